import type { SessionFiles } from "../../agents/agent.ts";
import { readSession } from "../../agents/read-session.ts";
import { archiveSource, sessionFilesOf } from "../../archive/archive-source.ts";
import { openArchive } from "../../archive/open-archive.ts";
import { wasRewritten } from "../../archive/own-writes.ts";
import { ArchiveDamage } from "../../fs/archive-damage.ts";
import type { Library } from "../../fs/library.ts";
import type { Session } from "../../session/session.ts";
import type { TextLimits } from "../../session/text-budget.ts";

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
