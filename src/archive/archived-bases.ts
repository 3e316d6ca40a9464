import { type BaseLog, type ByteSource, diskSource } from "../agents/byte-source.ts";
import type { Library } from "../fs/library.ts";
import { archiveSource, sessionFilesOf } from "./archive-source.ts";
import { openArchive } from "./open-archive.ts";

/** The same source, which also finds logs that others continue: on disk, or else in the archive. */
export function withBases(library: Pick<Library, "disk" | "places">, source: ByteSource): ByteSource {
  return {
    ...source,
    baseLog: (agent, base) => {
      const here = diskSource(library.disk).baseLog?.(agent, base);
      if (here !== undefined) return { ...here, source: withBases(library, here.source) };
      return archivedBase(library, { agent, id: base.session });
    },
  };
}

function archivedBase(
  library: Pick<Library, "disk" | "places">,
  session: { readonly agent: string; readonly id: string },
): BaseLog | undefined {
  const archive = openArchive(library);
  for (const archived of archive.copies(session)) {
    const kept = archive.get(archived);
    const log = kept && sessionFilesOf(kept).files.find(({ role }) => role === "main");
    if (log === undefined) continue;
    return {
      path: log.path,
      source: withBases(
        library,
        archiveSource(() => kept),
      ),
      archived,
    };
  }
  return undefined;
}
