import { ArchiveDamage } from "../../core/archive/archive-damage.ts";
import type { Session } from "../../core/model/session.ts";
import type { TextLimits } from "../../core/text/text-budget.ts";
import type { SessionFiles } from "../../formats/format.ts";
import { wasRewritten } from "../../store/rewrite/own-writes.ts";
import { archiveSource, sessionFilesOf } from "../archive-source.ts";
import type { Library } from "../library.ts";
import { openArchive } from "../open-archive.ts";
import { readSession } from "../read-session.ts";

/**
 * A session as the archive has it in all generations, the oldest first; none where this program never made it
 * smaller. A generation that is damaged is left out: what the log has is found all the same.
 */
export function earlierStates(
  library: Pick<Library, "disk" | "places">,
  files: SessionFiles,
  limits: TextLimits,
): readonly Session[] {
  if (!wasRewritten(library.disk, library.places.rewrites, files)) return [];
  const archive = openArchive(library);
  return (archive.get(files)?.generations ?? []).flatMap((generation) => {
    try {
      const kept = archive.get(files, generation);
      return kept === undefined
        ? []
        : [
            readSession(
              archiveSource(() => kept),
              sessionFilesOf(kept),
              limits,
            ),
          ];
    } catch (error) {
      if (error instanceof ArchiveDamage) return [];
      throw error;
    }
  });
}
