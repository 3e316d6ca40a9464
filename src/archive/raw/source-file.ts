import { Buffer } from "node:buffer";
import type { Disk, FileStat, Handle } from "../../fs/disk.ts";
import type { FileToKeep, ListedFile, OpenedFile } from "../archive-store.ts";

const READ_BYTES = 256 * 1024;

/** A file of an agent, to be kept. */
export function sourceFile(disk: Disk, file: ListedFile, root: string | null): FileToKeep {
  const { path, role, size, mtimeMs, inode } = file;
  return { path, role, size, mtimeMs, inode, root, open: () => openSource(disk, path) };
}

/**
 * Everything is read through one handle: a file that is replaced meanwhile is read to its end as it
 * was, and one that grows is read up to where it was when it was opened.
 */
function openSource(disk: Disk, path: string): OpenedFile {
  const handle = disk.open(path, "read");
  let first: FileStat;
  try {
    first = disk.fstat(handle);
  } catch (error) {
    disk.close(handle);
    throw error;
  }
  const { size, mtimeMs, inode, mode } = first;
  return {
    mark: { size, mtimeMs, inode },
    mode,
    read: (from) => readUpTo(disk, handle, from, size),
    isStill: () => {
      const now = disk.fstat(handle);
      // Longer, and what was read is the beginning; as long, and written since: it is not known what.
      return now.size > size || (now.size === size && now.mtimeMs === mtimeMs);
    },
    close: () => disk.close(handle),
  };
}

function* readUpTo(disk: Disk, handle: Handle, from: number, to: number): Generator<Buffer, void, void> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(READ_BYTES, to - from)));
  for (let at = from; at < to; ) {
    const got = disk.read(handle, buffer.subarray(0, Math.min(buffer.length, to - at)), at);
    if (got === 0) return;
    at += got;
    yield buffer.subarray(0, got);
  }
}
