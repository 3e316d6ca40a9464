import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { FileRole, FoundFile, Placement, PlacementCache } from "../../agents/agent.ts";
import { type FoundLogs, findLogs } from "../../agents/find-sessions.ts";
import { guardProgress } from "../../archive/guard-stamp.ts";
import { archiveMarks } from "../../archive/open-archive.ts";
import { readCacheFile, writeCacheFile } from "../../fs/cache-file.ts";
import type { Library } from "../../fs/library.ts";
import { whyUnreadable } from "../../fs/sources.ts";
import type { AgentName } from "../../session/entry.ts";
import type { SearchEngine, SearchReader } from "../engine.ts";
import { historyMark } from "../history-stubs.ts";
import { isClosed, settingsMark, type Totals, unreadIn } from "./index-rows.ts";
import type { Refreshed } from "./refresh-index.ts";

/*
 * Answers one question: is the index current? Nearly always nothing has changed since the last search. So when the
 * index is up to date, a snapshot of its sources is saved: the list of all log files, and marks of everything else.
 * If the sources still equal the snapshot, no file is grouped or opened, and no rows are read.
 */

/** An index that is up to date, and the result of the refresh that it does not need. */
interface CurrentIndex {
  readonly kind: "current";
  readonly reader: SearchReader;
  readonly refreshed: Refreshed;
}

/** The index may be out of date. Results of the check need not be computed again. */
export interface PossiblyStale {
  readonly kind: "stale";
  readonly snapshot: SourceSnapshot | undefined;
  /** The logs that exist now, including those in the projects of the snapshot. */
  readonly found: readonly FoundLogs[] | undefined;
}

/** Opens the index if the sources are those of the snapshot. */
export async function openIfCurrent(
  library: Library,
  engine: SearchEngine,
): Promise<CurrentIndex | PossiblyStale> {
  const snapshot = readSnapshot(library);
  if (snapshot === undefined || !hasMarks(snapshot, library))
    return { kind: "stale", snapshot, found: undefined };
  const found = findLogs(library, snapshot.projects);
  const stale: PossiblyStale = { kind: "stale", snapshot, found };
  if (!isSameSnapshot(found, snapshot)) return stale;
  const opened = await engine.read();
  if (opened.kind !== "open") return stale;
  const { reader } = opened;
  const unread = unreadIn(reader.state);
  const isOpenAgain = unread.some(
    (problem) => isClosed(problem) && whyUnreadable(library.disk, problem.path) === undefined,
  );
  if (reader.id === snapshot.index && !isOpenAgain) {
    const problems = [...found.flatMap((logs) => logs.problems), ...unread];
    return { kind: "current", reader, refreshed: { ...NO_CHANGE, problems, totals: snapshot.totals } };
  }
  await reader.close();
  return stale;
}

/** The result of a refresh without anything to do. */
export const NO_CHANGE = { read: 0, removed: 0, stale: 0, bytes: 0, rebuilt: null };

/** The sources when the index was last up to date. */
export interface SourceSnapshot {
  /** The id of that index. */
  readonly index: string;
  readonly marks: SourceMarks;
  /** Project folders, which may also contain logs. */
  readonly projects: readonly string[];
  readonly totals: Totals;
  readonly logs: readonly ListedLogs[];
}

/** All files of an agent, and in the same order their placements. */
export interface ListedLogs {
  readonly agent: AgentName;
  /** Joined, so that all paths are compared at once. */
  readonly paths: string;
  /** The size, mtime and inode of each file, eight bytes each. */
  readonly marks: Uint8Array;
  readonly placements: string;
}

/** Changes with the format of the snapshot, and with how agents recognize their files. */
const VERSION = 7;

/** The precision of file times: a file that changed more recently may change again with the same time. */
const TICK_MS = 50;

/** Is in no path and in no session id. */
const SEPARATOR = "\0";

export function readSnapshot(library: Library): SourceSnapshot | undefined {
  const bytes = library.demo ? undefined : readCacheFile(library.disk, snapshotPath(library));
  return bytes === undefined ? undefined : decodeSnapshot(bytes);
}

/** The first line, as JSON. */
interface SnapshotHead extends Omit<SourceSnapshot, "logs"> {
  readonly version: number;
  /** The byte lengths of each agent's lists, which follow in this order. */
  readonly logs: readonly ListLengths[];
}

interface ListLengths {
  readonly agent: AgentName;
  readonly lengths: readonly [paths: number, marks: number, placements: number];
}

/** The lists are not JSON, because every search reads them. */
function encodeSnapshot({ logs, ...rest }: SourceSnapshot): Buffer {
  const lists: Uint8Array[] = [];
  const lengths = logs.map(({ agent, paths, marks, placements }): ListLengths => {
    const [first, last] = [Buffer.from(paths), Buffer.from(placements)];
    lists.push(first, marks, last);
    return { agent, lengths: [first.length, marks.length, last.length] };
  });
  const head: SnapshotHead = { version: VERSION, ...rest, logs: lengths };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...lists]);
}

/** The checksum was right, so some version of the program wrote this. */
function decodeSnapshot(bytes: Buffer): SourceSnapshot | undefined {
  let at = bytes.indexOf("\n") + 1;
  if (at === 0) return undefined;
  const { version, logs: lists, ...rest }: SnapshotHead = JSON.parse(bytes.toString("utf8", 0, at));
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
  return { ...rest, logs };
}

/** The totals of this index, if the snapshot belongs to it. */
export function knownTotals(library: Library, reader: SearchReader): Totals | undefined {
  const snapshot = readSnapshot(library);
  return snapshot?.index === reader.id ? snapshot.totals : undefined;
}

/** Never fails: without a snapshot the next check is only slower. */
export function writeSnapshot(library: Library, snapshot: SourceSnapshot): void {
  if (library.demo) return;
  try {
    writeCacheFile(library.disk, snapshotPath(library), encodeSnapshot(snapshot));
  } catch {
    // The store can't be written; commands that must write to it report that.
  }
}

function snapshotPath({ places }: Library): string {
  return join(places.cache, "source-snapshot");
}

/** Marks of everything besides logs that the index depends on; undefined for what changed just now. */
export interface SourceMarks {
  readonly archived: string | undefined;
  /** Of forgotten sessions, prompt histories and settings. */
  readonly others: string | undefined;
}

export function marksOf(library: Library): SourceMarks {
  const { archived, forgotten } = archiveMarks(library);
  const settledBefore = library.now() - TICK_MS;
  const others = [forgotten.mark, historyMark(library), settingsMark(library.config)].join("\n");
  return {
    archived: archived.changedAt < settledBefore ? archived.mark : undefined,
    others: forgotten.changedAt < settledBefore ? others : undefined,
  };
}

/** Both marks; undefined if anything changed just now. */
export function settledMark({ archived, others }: SourceMarks): string | undefined {
  return archived === undefined || others === undefined ? undefined : `${archived}\n${others}`;
}

/**
 * Whether the sources have the marks of the snapshot. While the guard is at work, the archive changes all the time, but
 * what comes into it are logs that the snapshot lists.
 */
function hasMarks({ marks }: SourceSnapshot, library: Library): boolean {
  const now = marksOf(library);
  if (now.others !== marks.others) return false;
  return now.archived === marks.archived || guardProgress(library) !== undefined;
}

/** Whether these are the files of the snapshot, unchanged. */
function isSameSnapshot(found: readonly FoundLogs[], { logs }: SourceSnapshot): boolean {
  return (
    found.length === logs.length &&
    found.every(({ format, files }, i) => {
      const before = logs[i];
      return before !== undefined && format.name === before.agent && isSameList(files, before);
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

/** Knows the placements of the files in the snapshot, and records those of new files. */
export interface Placements {
  of(agent: AgentName): PlacementCache;
  list(found: readonly FoundLogs[]): readonly ListedLogs[];
}

export function createPlacements(snapshot: SourceSnapshot | undefined): Placements {
  const before = new Map<AgentName, ReadonlyMap<string, string>>();
  for (const logs of snapshot?.logs ?? []) before.set(logs.agent, readPlacements(logs));
  const learned = new Map<FoundFile, string>();
  return {
    of: (agent) => ({
      recall: (file) => fromWords(before.get(agent)?.get(fileMark(file))),
      remember: (file, placed) =>
        void learned.set(file, placed === null ? "" : `${placed.role} ${placed.id}`),
    }),
    list: (found) =>
      found.map(({ format, files }) => ({
        agent: format.name,
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
  // The output of `remember`.
  return { role: words.slice(0, at) as FileRole, id: words.slice(at + 1) };
}
