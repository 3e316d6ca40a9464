import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { FileRole, FoundFile, Placement, PlacementCache } from "../../agents/agent.ts";
import type { FoundLogs } from "../../agents/find-sessions.ts";
import { archiveMark } from "../../archive/open-archive.ts";
import { readCacheFile, writeCacheFile } from "../../fs/cache-file.ts";
import type { Library } from "../../fs/library.ts";
import type { AgentName } from "../../session/entry.ts";
import type { SearchReader } from "../engine.ts";
import { historyMark } from "../history-stubs.ts";
import type { Totals } from "./index-rows.ts";
import { settingsMark } from "./index-rows.ts";

/*
 * Nearly always nothing has changed since the last search. So what was there when the index had all of it is
 * kept: where the same is found again, there is no need to group files, to look into any of them, or to open
 * the rows of all sessions. And where something has changed, only that is looked into.
 */

/** What there was when the index was found to be up to date. */
export interface SourceSnapshot {
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
  readonly agent: AgentName;
  /** One behind the other: a text is compared at once, a list path by path. */
  readonly paths: string;
  /** Of each file its size, time and inode, as eight bytes each. */
  readonly marks: Uint8Array;
  readonly placements: string;
}

/** Changes with what stands in the file, and with how formats tell what a file is. */
const VERSION = 4;

/** Clocks of file systems tick every few milliseconds: what changed right now may change again unseen. */
const TICK_MS = 50;

/** Stands in no path and in no name of a session. */
const SEPARATOR = "\0";

export function readSnapshot(library: Library): SourceSnapshot | undefined {
  const bytes = library.demo ? undefined : readCacheFile(library.disk, lookPath(library));
  return bytes === undefined ? undefined : decodeLook(bytes);
}

/** What stands before the lists: a line of JSON. */
interface LookHead extends Omit<SourceSnapshot, "logs"> {
  readonly version: number;
  /** Of each agent how many bytes its lists take, which follow in this order. */
  readonly logs: readonly ListLengths[];
}

interface ListLengths {
  readonly agent: AgentName;
  readonly lengths: readonly [paths: number, marks: number, placements: number];
}

/** Every search reads this, and lists as JSON would take it a millisecond for a thousand files. */
function encodeLook({ logs, ...look }: SourceSnapshot): Buffer {
  const lists: Uint8Array[] = [];
  const lengths = logs.map(({ agent, paths, marks, placements }): ListLengths => {
    const [first, last] = [Buffer.from(paths), Buffer.from(placements)];
    lists.push(first, marks, last);
    return { agent, lengths: [first.length, marks.length, last.length] };
  });
  const head: LookHead = { version: VERSION, ...look, logs: lengths };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...lists]);
}

/** Its checksum says that it is what was written, by this version or another. */
function decodeLook(bytes: Buffer): SourceSnapshot | undefined {
  let at = bytes.indexOf("\n") + 1;
  if (at === 0) return undefined;
  const { version, logs: lists, ...look }: LookHead = JSON.parse(bytes.toString("utf8", 0, at));
  if (version !== VERSION) return undefined;
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const logs = lists.map(({ agent, lengths: [paths, marks, placements] }) => ({
    agent,
    paths: take(paths).toString("utf8"),
    marks: take(marks),
    placements: take(placements).toString("utf8"),
  }));
  return { ...look, logs };
}

/** What all sessions of this index come to; undefined where nobody looked since it was written. */
export function knownTotals(library: Library, reader: SearchReader): Totals | undefined {
  const last = readSnapshot(library);
  return last?.index === reader.id ? last.totals : undefined;
}

/** Never fails: without it the next look takes longer, and that is all. */
export function writeSnapshot(library: Library, look: SourceSnapshot): void {
  if (library.demo) return;
  try {
    writeCacheFile(library.disk, lookPath(library), encodeLook(look));
  } catch {
    // The store can't be written; whoever must write to it says so.
  }
}

function lookPath({ places }: Library): string {
  return join(places.cache, "source-snapshot");
}

/** What else a refresh depends on, besides logs; undefined where that changed just now. */
export function marksOf(library: Library): string | undefined {
  const { mark, changedAt } = archiveMark(library);
  if (changedAt >= library.now() - TICK_MS) return undefined;
  return [mark, historyMark(library), settingsMark(library.config)].join("\n");
}

/** Are these the same files as then, and unchanged? */
export function isSameSnapshot(found: readonly FoundLogs[], { logs }: SourceSnapshot): boolean {
  return (
    found.length === logs.length &&
    found.every(({ format, files }, i) => {
      const then = logs[i];
      return then !== undefined && format.agent === then.agent && isSameList(files, then);
    })
  );
}

function isSameList(files: readonly FoundFile[], { paths, marks }: ListedLogs): boolean {
  return (
    marks.length === files.length * MARK_BYTES && marksIn(files).equals(marks) && pathsIn(files) === paths
  );
}

function pathsIn(files: readonly FoundFile[]): string {
  return files.map(({ path }) => path).join(SEPARATOR);
}

const MARK_BYTES = 24;

function marksIn(files: readonly FoundFile[]): Buffer {
  const marks = new Float64Array(files.length * 3);
  let at = 0;
  for (const { size, mtimeMs, inode } of files) {
    marks[at++] = size;
    marks[at++] = mtimeMs;
    marks[at++] = inode;
  }
  return Buffer.from(marks.buffer);
}

function fileMark({ size, mtimeMs, inode, path }: FoundFile): string {
  return `${size} ${mtimeMs} ${inode} ${path}`;
}

/** Knows what the files of the last look were found to be, and learns it of others. */
export interface Placements {
  of(agent: AgentName): PlacementCache;
  list(found: readonly FoundLogs[]): readonly ListedLogs[];
}

export function createPlacements(last: SourceSnapshot | undefined): Placements {
  const before = new Map<AgentName, ReadonlyMap<string, string>>();
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
        paths: pathsIn(files),
        marks: marksIn(files),
        placements: files.map((file) => learned.get(file) ?? "").join(SEPARATOR),
      })),
  };
}

function readPlacements({ paths, marks, placements }: ListedLogs): Map<string, string> {
  const words = placements.split(SEPARATOR);
  const numbers = new Float64Array(new Uint8Array(marks).buffer);
  const known = new Map<string, string>();
  paths.split(SEPARATOR).forEach((path, i) => {
    const [size = 0, mtimeMs = 0, inode = 0] = numbers.subarray(i * 3, i * 3 + 3);
    known.set(fileMark({ size, mtimeMs, inode, path }), words[i] ?? "");
  });
  return known;
}

function fromWords(words: string | undefined): Placement | null | undefined {
  if (words === undefined || words === "") return words === "" ? null : undefined;
  const at = words.indexOf(" ");
  // It is what `remember` was told.
  return { role: words.slice(0, at) as FileRole, id: words.slice(at + 1) };
}
