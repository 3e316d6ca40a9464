import { join } from "node:path";
import type { Disk } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";

/** Processes that hold a file open for writing; `unknown` where the system does not tell such things. */
export type OpenWriters =
  | { readonly kind: "known"; readonly pids: readonly number[] }
  | { readonly kind: "unknown" };

const PROC = "/proc";
/** The two lowest bits say how it was opened; 0 is reading alone. */
const ACCESS_MODE = 3;

/**
 * Looks through the open files of all processes but the one that asks. What belongs to other users can't
 * be seen without their rights; their processes rarely write to one's own logs.
 */
export function findOpenWriters(disk: Disk, realPath: string, self: number): OpenWriters {
  // Deno tells nothing of /proc unless everything is allowed.
  if (quietly(() => disk.stat(join(PROC, "self", "fd"))) === undefined) return { kind: "unknown" };
  const pids = namesIn(disk, PROC)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== self)
    .filter((name) => holdsForWriting(disk, join(PROC, name), realPath))
    .map(Number);
  return { kind: "known", pids };
}

function holdsForWriting(disk: Disk, folder: string, path: string): boolean {
  const files = join(folder, "fd");
  return namesIn(disk, files).some((name) => {
    if (quietly(() => disk.readlink(join(files, name))) !== path) return false;
    const text = quietly(() => disk.readFile(join(folder, "fdinfo", name), 4096)?.toString("latin1"));
    const flags = /^flags:\s*([0-7]+)/m.exec(text ?? "")?.[1];
    // In doubt it writes.
    return flags === undefined || (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
  });
}

function namesIn(disk: Disk, folder: string): readonly string[] {
  return quietly(() => disk.readdir(folder).map(({ name }) => name)) ?? [];
}

/** Processes end while they are looked at, and some are nobody's business. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
