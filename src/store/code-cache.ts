import type { Buffer } from "node:buffer";
import { join } from "node:path";
import { readCacheFile, writeCacheFile } from "./cache-file.ts";
import type { Disk } from "./disk.ts";
import type { Places } from "./places.ts";

/*
 * Compiling the program takes longer than most commands. So what the engine compiled for a command is kept
 * from one run to the next, as cache/code.<command>.<name of the program and of the engine>.
 */

const COMMAND = /^[a-z][a-z-]*$/;

/** The code that was kept for a command; undefined where there is none, or any doubt about it. */
export function readCode(disk: Disk, places: Places, command: string, name: string): Buffer | undefined {
  return COMMAND.test(command) ? readCacheFile(disk, codePath(places, command, name)) : undefined;
}

/** Keeps the code of a command, in place of what other programs and engines had. Only in a store that exists. */
export function keepCode(disk: Disk, places: Places, command: string, name: string, code: Buffer): void {
  if (disk.stat(places.home)?.kind !== "folder") return;
  writeCacheFile(disk, codePath(places, command, name), code);
  for (const { name: other } of disk.readdir(places.cache))
    if (other.startsWith(`code.${command}.`) && !other.endsWith(`.${name}`))
      disk.unlink(join(places.cache, other));
}

function codePath({ cache }: Places, command: string, name: string): string {
  return join(cache, `code.${command}.${name}`);
}
