import type { SessionFiles } from "../../agents/agent.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import { diskSource } from "../../agents/disk-source.ts";
import { archiveSource, sessionFilesOf } from "../../archive/archive-source.ts";
import { openArchive } from "../../archive/open-archive.ts";
import type { Disk } from "../../fs/disk.ts";
import type { Library } from "../../fs/library.ts";
import type { GrepJob } from "./grep-job.ts";

/** The files of a session in one state of theirs. */
export interface SessionLayer {
  readonly files: SessionFiles;
  readonly source: ByteSource;
  /** The same for reading the whole session while a file of it is being searched: a source has one buffer. */
  readonly second: ByteSource;
  /** null: as they are now. */
  readonly generation: number | null;
}

/** Finds the states of sessions that are to be searched: as it is now, then archived ones, newest first. */
export function createLayers(library: {
  readonly disk: Disk;
  readonly places: Library["places"];
}): (job: Pick<GrepJob, "files" | "origin" | "generations">) => readonly SessionLayer[] {
  const disk = diskSource(library.disk);
  const second = diskSource(library.disk);
  return ({ files, origin, generations }) => {
    const layers: SessionLayer[] =
      origin === "log" ? [{ files, source: disk, second, generation: null }] : [];
    if (origin === "history" || (origin === "log" && generations === "none")) return layers;
    const archive = openArchive(library);
    const newest = archive.get(files);
    for (const generation of (newest?.generations ?? []).toReversed()) {
      if (generation === newest?.generation && origin === "log" && generations === "older") continue;
      const kept = archive.get(files, generation);
      if (kept === undefined) continue;
      layers.push({
        files: sessionFilesOf(kept),
        source: archiveSource(() => kept),
        second: archiveSource(() => archive.get(files, generation)),
        generation,
      });
    }
    return layers;
  };
}
