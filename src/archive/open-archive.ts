import { join } from "node:path";
import type { FolderMark } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import type { ArchiveStore } from "./archive-store.ts";
import { openRawArchive, rawArchiveMark } from "./raw/raw-archive.ts";
import { readTombstones, type Tombstones, tombstonesMark } from "./raw/tombstones.ts";

/** The archive of the library's store. If there is none yet, it lists nothing. */
export function openArchive({ disk, places }: Pick<Library, "disk" | "places">): ArchiveStore {
  return openRawArchive(disk, places.raw);
}

/** The folder of forgotten data, until it is purged. */
export function forgottenFolder({ places }: Pick<Library, "places">): string {
  return join(places.home, "forgotten");
}

/** The forgotten sessions: they are not read, listed or archived, though their logs may exist. */
export function forgottenSessions(library: Pick<Library, "disk" | "places">): Tombstones {
  return readTombstones(library.disk, forgottenFolder(library));
}

/** Change if sessions are archived or forgotten; no session is read. */
export function archiveMarks({ disk, places }: Pick<Library, "disk" | "places">): {
  readonly archived: FolderMark;
  readonly forgotten: FolderMark;
} {
  return {
    archived: rawArchiveMark(disk, places.raw),
    forgotten: tombstonesMark(disk, forgottenFolder({ places })),
  };
}
