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
 * To compile the program takes longer than most commands run. So what V8 compiled of a bundle for a command is kept in
 * the store's cache as code.<bundle>.<command>.<engine>: a checksum of the bundle, then V8's code cache, which V8 itself
 * checks for its version and its flags. Node's own compile cache (22 and later) keeps only what is compiled while a
 * bundle is loaded, not what is compiled when it runs (docs/decisions/cold-start.md).
 */

export interface CodeFor {
  /** Without a store nothing is kept. */
  readonly places: Places;
  readonly command: string;
  readonly now: () => number;
  /** Called before anything is compiled: code is kept for the flags that it was compiled under. */
  readonly setFlags?: () => void;
}

export interface LoadedBundle {
  readonly exports: unknown;
  /** Keeps the code that was compiled up to now, if none was kept or that was long ago. Never fails. */
  keepCode(): void;
}

/** Loads a CommonJS bundle as `load`, the `require` of the caller, does, with the code that was kept of it. */
export function loadBundle(file: string, code: CodeFor, load: NodeJS.Require): LoadedBundle {
  // Deno keeps code by itself.
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
        // Without it the next run is slower, and that is all.
        if (!(error instanceof Error)) throw error;
      }
    },
  };
}

const COMMAND = /^[a-z][a-z-]*$/;
const MAX_BYTES = 64 * 1024 * 1024;
const SUM_BYTES = 4;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A function is compiled when it is first called: later runs may have called more of them. */
const KEEP_AGAIN_MS = DAY_MS;
/** What earlier versions of the program or of the engine left. */
const REMOVE_MS = 60 * DAY_MS;

/** Is it a folder that nobody else can write to? Else the code in it may be anybody's. */
function isPrivate(folder: string): boolean {
  try {
    const found = nodeDisk.lstat(folder);
    if (found?.kind !== "folder") return false;
    // Windows has no such owners and modes; there the store is in the user's profile.
    return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Is there a store, of a version that this program may change, with room for code that nobody else can touch? */
function mayWrite(places: Places): boolean {
  if (nodeDisk.stat(places.home)?.kind !== "folder") return false;
  checkStoreVersion(nodeDisk, places);
  if (nodeDisk.lstat(places.cache) === undefined) nodeDisk.mkdir(places.cache);
  return isPrivate(places.cache);
}

/** What else decides whether code can be used: code that was compiled under other flags is refused. */
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
