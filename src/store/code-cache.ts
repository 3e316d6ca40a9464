import type { Buffer } from "node:buffer";
import { join } from "node:path";
import { readCacheFile, writeCacheFile } from "./cache-file.ts";
import type { Disk } from "./disk.ts";
import type { Places } from "./places.ts";
import { checkStoreVersion } from "./store-version.ts";

/*
 * Compiling the program takes longer than most commands. So what the engine compiled for a command is kept
 * from one run to the next, for each part of the program, as cache/code.<command>.<program>.<part>.<engine>.
 */

/** Which code it is. */
export interface CodeName {
  readonly command: string;
  readonly part: string;
  /** A checksum of the whole program. */
  readonly program: string;
  /** What else decides whether code can be used: the runtime, the processor, flags. */
  readonly engine: string;
}

const COMMAND = /^[a-z][a-z-]*$/;

/** The code that was kept for a command; undefined where there is none, or any doubt about it. */
export function readCode(disk: Disk, places: Places, name: CodeName): Buffer | undefined {
  return COMMAND.test(name.command) ? readCacheFile(disk, codePath(places, name)) : undefined;
}

/** Keeps the code of a command, in place of what other versions of the program had. Not in a store that is newer. */
export function keepCode(disk: Disk, places: Places, name: CodeName, code: Buffer): void {
  checkStoreVersion(disk, places);
  writeCacheFile(disk, codePath(places, name), code);
  const begin = `code.${name.command}.`;
  for (const { name: other } of disk.readdir(places.cache))
    if (other.startsWith(begin) && !other.startsWith(`${begin}${name.program}.`))
      disk.unlink(join(places.cache, other));
}

function codePath({ cache }: Places, { command, part, program, engine }: CodeName): string {
  return join(cache, `code.${command}.${program}.${part}.${engine}`);
}
