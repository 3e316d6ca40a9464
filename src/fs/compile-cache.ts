import { Buffer } from "node:buffer";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { readCacheFile, writeCacheFile } from "./cache-file.ts";
import { errorCode } from "./disk-error.ts";
import { nodeDisk } from "./node-disk.ts";
import type { Places } from "./places.ts";
import { checkStoreVersion } from "./store.ts";

/*
 * Compiling the program takes longer than most commands run. So the launcher loads a bundle together with the machine
 * code that V8 made of it in an earlier run of the same command. Node 20 cannot do this by itself. Node 22 and later can
 * (`module.enableCompileCache`), but keep only what is compiled while a bundle is loaded, not what is compiled while it
 * runs; docs/decisions/cold-start.md has the figures. Once Node's own cache is good enough, this file can be deleted:
 * `loadBundle` then is `module.enableCompileCache(folder)` and `require`.
 *
 * A cache file is <cache>/code.<bundle>.<command>.<engine>. It starts with a checksum of the bundle, followed by V8's
 * code cache, which V8 itself checks for its version and flags.
 */

export interface CodeFor {
  /** Nothing is kept if there is no store. */
  readonly places: Places;
  readonly command: string;
  readonly now: () => number;
  /** Called before anything is compiled: V8 accepts code only under the flags that it was compiled with. */
  readonly setFlags?: () => void;
}

export interface LoadedBundle {
  readonly exports: unknown;
  /** Keeps the code that has been compiled so far, unless a recent cache file exists. Never fails. */
  keepCode(): void;
}

/** Loads a CommonJS bundle like `load`, the caller's `require`, but with its kept code. */
export function loadBundle(file: string, code: CodeFor, load: NodeJS.Require): LoadedBundle {
  // Deno has a code cache.
  const mayKeep = process.versions.deno === undefined && COMMAND.test(code.command);
  const source = mayKeep ? nodeDisk.readFile(file, MAX_BYTES) : undefined;
  if (source === undefined) return { exports: load(file), keepCode: () => {} };
  const folder = code.places.cache;
  const path = join(folder, `code.${basename(file, ".cjs")}.${code.command}.${engineName()}`);
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(crc32(source), 0);
  const kept = isPrivate(folder) ? readCacheFile(nodeDisk, path) : undefined;
  const cachedData = kept?.subarray(0, SUM_BYTES).equals(sum) ? kept.subarray(SUM_BYTES) : undefined;
  const text = `(function (exports, require, module, __filename, __dirname) {${source.toString("utf8")}\n})`;
  code.setFlags?.();
  const script = new Script(text, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  const module = { exports: {} };
  script.runInThisContext().call(module.exports, module.exports, load, module, file, dirname(file));
  const isUsed = cachedData !== undefined && script.cachedDataRejected !== true;
  return {
    exports: module.exports,
    keepCode() {
      try {
        if (isUsed && !isOlder(path, code.now() - KEEP_AGAIN_MS)) return;
        if (!mayWrite(code.places)) return;
        writeCacheFile(nodeDisk, path, Buffer.concat([sum, script.createCachedData()]));
        removeOld(folder, code.now() - REMOVE_MS);
      } catch (error) {
        // Without the file the next run is slower, nothing else.
        if (!(error instanceof Error)) throw error;
      }
    },
  };
}

const COMMAND = /^[a-z][A-Za-z-]*$/;
const MAX_BYTES = 64 * 1024 * 1024;
const SUM_BYTES = 4;
const DAY_MS = 24 * 60 * 60 * 1000;
/** V8 compiles a function when it is first called, and later runs may call others: so the code is kept again. */
const KEEP_AGAIN_MS = DAY_MS;
/** Files of earlier versions of the program or the engine are removed after this time. */
const REMOVE_MS = 60 * DAY_MS;

/** Whether only the user can write to the folder. Otherwise the code in it can't be trusted. */
function isPrivate(folder: string): boolean {
  try {
    const found = nodeDisk.lstat(folder);
    if (found?.kind !== "folder") return false;
    // Windows has no such owners and modes; the store is in the user's profile there.
    return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Whether there is a store of a version that this program may change, with a private cache folder. */
function mayWrite(places: Places): boolean {
  if (nodeDisk.stat(places.home)?.kind !== "folder") return false;
  checkStoreVersion(nodeDisk, places);
  if (nodeDisk.lstat(places.cache) === undefined) nodeDisk.mkdir(places.cache);
  return isPrivate(places.cache);
}

/** Names the engine and its options: V8 refuses code that was compiled by another version or with other flags. */
function engineName(): string {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim();
  return `${process.version}-${process.arch}${options === "" ? "" : `-${crc32(options).toString(16)}`}`;
}

function isOlder(path: string, thanMs: number): boolean {
  const found = nodeDisk.lstat(path);
  return found?.kind === "file" && found.mtimeMs < thanMs;
}

function removeOld(folder: string, beforeMs: number): void {
  for (const { name } of nodeDisk.readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith("code.") && isOlder(path, beforeMs)) nodeDisk.unlink(path);
  }
}
