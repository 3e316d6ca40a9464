import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { Agent } from "../../core/model/entry.ts";
import type { SearchReader } from "../../core/search/search-engine.ts";
import type { FileRole, FoundFile, Placed, PlacementMemory } from "../../formats/format.ts";
import { readCacheFile, writeCacheFile } from "../../store/cache-file.ts";
import type { FoundLogs } from "../find-sessions.ts";
import { historyMark } from "../history-stubs.ts";
import type { Library } from "../library.ts";
import { archiveMark } from "../open-archive.ts";
import type { Totals } from "./index-rows.ts";

/*
 * Nearly always nothing has changed since the last search. So what was there when the index had all of it is
 * kept: where the same is found again, there is no need to group files, to look into any of them, or to open
 * the rows of all sessions. And where something has changed, only that is looked into.
 */

/** What there was when the index was found to be up to date. */
export interface LastLook {
  /** The index that had all of it. */
  readonly index: string;
  /** Of the archive and of the files that prompts of deleted sessions come from. */
  readonly marks: string;
  /** Folders in which agents may keep logs. */
  readonly projects: readonly string[];
  readonly totals: Totals;
  readonly logs: readonly ListedLogs[];
}

/** All files of an agent, and in the same order what each was found to be. */
export interface ListedLogs {
  readonly agent: Agent;
  readonly paths: readonly string[];
  /** Of each file its size, time and inode: plain numbers, which are compared as they are. */
  readonly marks: readonly number[];
  readonly placements: string;
}

/** Changes with what stands in the file, and with how formats tell what a file is. */
const VERSION = 2;

/** Clocks of file systems tick every few milliseconds: what changed right now may change again unseen. */
const TICK_MS = 50;

/** Stands in no name of a session. */
const SEPARATOR = "\0";

export function readLastLook(library: Library): LastLook | undefined {
  const bytes = library.demo ? undefined : readCacheFile(library.disk, lookPath(library));
  if (bytes === undefined) return undefined;
  // Its checksum says that it is what was written.
  const { version, ...look }: LastLook & { readonly version: number } = JSON.parse(bytes.toString("utf8"));
  return version === VERSION ? look : undefined;
}

/** What all sessions of this index come to; undefined where nobody looked since it was written. */
export function knownTotals(library: Library, reader: SearchReader): Totals | undefined {
  const last = readLastLook(library);
  return last?.index === reader.id ? last.totals : undefined;
}

/** Never fails: without it the next look takes longer, and that is all. */
export function keepLook(library: Library, look: LastLook): void {
  if (library.demo) return;
  try {
    const text = JSON.stringify({ version: VERSION, ...look });
    writeCacheFile(library.disk, lookPath(library), Buffer.from(text));
  } catch {
    // The store can't be written; whoever must write to it says so.
  }
}

function lookPath({ places }: Library): string {
  return join(places.cache, "last-look");
}

/** What else a refresh depends on; undefined where that changed just now. */
export function marksOf(library: Library): string | undefined {
  const { mark, changedAt } = archiveMark(library);
  return changedAt < library.now() - TICK_MS ? `${mark}\n${historyMark(library)}` : undefined;
}

/** Are these the same files as then, and unchanged? */
export function isSame(found: readonly FoundLogs[], { logs }: LastLook): boolean {
  return (
    found.length === logs.length &&
    found.every(({ format, files }, i) => {
      const then = logs[i];
      return then !== undefined && format.agent === then.agent && isSameList(files, then);
    })
  );
}

/** In a plain loop: every search does this for every file, and before anything of it is compiled. */
function isSameList(files: readonly FoundFile[], { paths, marks }: ListedLogs): boolean {
  if (files.length !== paths.length) return false;
  let at = 0;
  for (let i = 0; i < files.length; i++) {
    const file = files[i];
    if (file === undefined || file.path !== paths[i]) return false;
    if (file.size !== marks[at++] || file.mtimeMs !== marks[at++] || file.inode !== marks[at++]) return false;
  }
  return true;
}

function fileMark({ size, mtimeMs, inode, path }: FoundFile): string {
  return `${size} ${mtimeMs} ${inode} ${path}`;
}

/** Knows what the files of the last look were found to be, and learns it of others. */
export interface Placements {
  of(agent: Agent): PlacementMemory;
  list(found: readonly FoundLogs[]): readonly ListedLogs[];
}

export function createPlacements(last: LastLook | undefined): Placements {
  const before = new Map<Agent, ReadonlyMap<string, string>>();
  for (const logs of last?.logs ?? []) before.set(logs.agent, readPlacements(logs));
  const learned = new Map<FoundFile, string>();
  return {
    of: (agent) => ({
      recall: (file) => fromWords(before.get(agent)?.get(fileMark(file))),
      remember: (file, placed) =>
        void learned.set(file, placed === null ? "" : `${placed.role} ${placed.id}`),
    }),
    list: (found) =>
      found.map(({ format, files }) => ({
        agent: format.agent,
        paths: files.map(({ path }) => path),
        marks: files.flatMap(({ size, mtimeMs, inode }) => [size, mtimeMs, inode]),
        placements: files.map((file) => learned.get(file) ?? "").join(SEPARATOR),
      })),
  };
}

function markAt(marks: readonly number[], file: number): Omit<FoundFile, "path"> {
  const [size = 0, mtimeMs = 0, inode = 0] = marks.slice(file * 3, file * 3 + 3);
  return { size, mtimeMs, inode };
}

function readPlacements({ paths, marks, placements }: ListedLogs): Map<string, string> {
  const words = placements.split(SEPARATOR);
  return new Map(paths.map((path, i) => [fileMark({ ...markAt(marks, i), path }), words[i] ?? ""]));
}

function fromWords(words: string | undefined): Placed | null | undefined {
  if (words === undefined || words === "") return words === "" ? null : undefined;
  const at = words.indexOf(" ");
  // It is what `remember` was told.
  return { role: words.slice(0, at) as FileRole, id: words.slice(at + 1) };
}
