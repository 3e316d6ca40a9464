import { join } from "node:path";
import { diskSource } from "../../agents/byte-source.ts";
import { sweepCheckpoints } from "../../agents/checkpoints/checkpoint-folder.ts";
import type { CheckpointOptions } from "../../agents/checkpoints/parse-checkpoints.ts";
import { isTorn } from "../../agents/sniff-format.ts";
import { forgottenSessions } from "../../archive/open-archive.ts";
import { type Problem, UserError } from "../../errors.ts";
import { errorCode } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import { createRedactor } from "../../redact/redact.ts";
import { sessionKey } from "../../session/session.ts";
import type { IndexedSession, OpenedWriter, SearchEngine, SearchWriter } from "../engine.ts";
import { type HistoryStubs, sessionOfStub } from "../history-stubs.ts";
import { forkFinder, putForks, type ReadSession } from "./find-forks.ts";
import { NO_CHANGE, type PossiblyStale } from "./freshness.ts";
import { engineError } from "./index-access.ts";
import { countingWriter, type IndexState, type Totals } from "./index-rows.ts";
import { createIndexMasking, indexSession, readForIndex } from "./index-session.ts";
import { isUnchanged, type SessionToRead, type SourceScan, scanSources } from "./scan-sources.ts";
import { type SessionRow, sizeOf } from "./session-row.ts";

export interface RefreshOptions {
  readonly engine: SearchEngine;
  /** Reads everything again. */
  readonly rebuild?: boolean;
  /** Waits for another process that is writing; absent: the refresh is left to that process. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Waits for it however long it takes. */
  readonly patient?: boolean;
  readonly meter?: () => RefreshMeter;
  /** Absent: all sessions are read in this thread. */
  readonly workers?: IndexWorkers;
  /** Results of the freshness check. */
  readonly check?: PossiblyStale | undefined;
  /** When parse checkpoints are kept; absent: the default. */
  readonly checkpoints?: Partial<CheckpointOptions>;
}

/** Shows the progress of a refresh. */
export interface RefreshMeter {
  update(done: RefreshProgress): void;
  /** Called in any case, even after a failure. */
  end(): void;
}

export interface RefreshProgress {
  readonly sessions: number;
  readonly sessionsInAll: number;
  readonly bytes: number;
  readonly bytesInAll: number;
}

/** Other threads that read sessions, used if there are more than `minBytes` of logs to read. */
export interface IndexWorkers {
  readonly minBytes: number;
  readonly read: PutSessions;
}

/** Reads sessions and puts them into the index; returns those that turned out not to be sessions. */
export type PutSessions = (
  sessions: readonly SessionToRead[],
  writer: SearchWriter,
  isFork: (row: SessionRow) => boolean,
  done: (bytes: number) => void,
) => Promise<readonly SessionToRead[]>;

export interface Refreshed {
  readonly read: number;
  readonly removed: number;
  /** Sessions that changed but could not be read, because another process is writing to the index. */
  readonly stale: number;
  readonly bytes: number;
  readonly problems: readonly Problem[];
  /** Why everything was read again, if it was. */
  readonly rebuilt: SourceScan["rebuilt"];
  /** Sums over all sessions, if they are known without reading the rows. */
  readonly totals?: Totals;
}

/** Up to this many grown sessions are read in this thread, which can reuse the parts that the index has. */
const FEW_GROWN = 4;

/** Brings the index up to date with the logs and the archive. */
export async function refreshIndex(library: Library, options: RefreshOptions): Promise<Refreshed> {
  const { check, ...again } = options;
  const before = await scanSources(library, again, check);
  if (before.rebuilt === null && before.stubs === undefined && isUnchanged(before)) {
    before.keepSnapshot(before);
    return { ...NO_CHANGE, problems: before.problems };
  }
  const opened = await openWriter(options, before.rebuilt !== null);
  if (opened.kind === "unreachable" || opened.kind === "denied") throw engineError(opened);
  if (opened.kind === "locked") {
    const stale = before.plan.toRead.length;
    return { ...NO_CHANGE, stale, problems: before.problems };
  }
  const { writer } = opened;
  try {
    // Another writer may have done the work in the meantime, unless everything has to be read anyway. If nobody
    // wrote, the scan is still valid.
    const isAlone = options.rebuild === true ? !opened.hasWaited : writer.index === before.index;
    const now = isAlone ? before : await scanSources(library, again);
    // Segments that cannot be read must not be opened again.
    if (now.rebuilt !== null) writer.clear();
    const refreshed = await write(library, options, writer, now);
    if (refreshed !== undefined) return refreshed;
  } finally {
    await writer.close();
  }
  // After `close`, because the lock can only be taken once.
  return refreshIndex(library, { ...again, rebuild: true });
}

/** Waits for another writer as long as an answer can wait; without any index, until there is one. */
async function openWriter(
  { engine, wait, patient }: RefreshOptions,
  isNeeded: boolean,
): Promise<OpenedWriter & { readonly hasWaited: boolean }> {
  let opened = await engine.write();
  let waited = 0;
  for (; opened.kind === "locked" && wait !== undefined; waited += RETRY_MS) {
    if (!isNeeded && patient !== true && waited >= PATIENCE_MS) break;
    await wait(RETRY_MS);
    opened = await engine.write();
  }
  return { ...opened, hasWaited: waited > 0 };
}

const RETRY_MS = 50;
const PATIENCE_MS = 2_000;

/** Returns undefined if the index is damaged: then nothing was written. */
async function write(
  library: Library,
  options: RefreshOptions,
  opened: SearchWriter,
  { plan, rows, totals, state, mark, stubs, problems, rebuilt, keepSnapshot }: SourceScan,
): Promise<Refreshed | undefined> {
  const counting = countingWriter(opened, rows, totals);
  const { writer } = counting;
  const meter = plan.toRead.length > 0 ? options.meter?.() : undefined;
  const bytesInAll = plan.toRead.reduce((sum, { files }) => sum + sizeOf(files), 0);
  let sessions = 0;
  let bytes = 0;
  const done = (size: number): void => {
    sessions++;
    bytes += size;
    meter?.update({ sessions, sessionsInAll: plan.toRead.length, bytes, bytesInAll });
  };
  const isFork = forkFinder(rows);
  let isAllRead = true;
  const onVanished = (): void => {
    isAllRead = false;
  };
  const grown = plan.toRead.filter(({ key }) => rows.has(key));
  const few = grown.length > FEW_GROWN ? [] : grown;
  const rest = few.length === 0 ? plan.toRead : plan.toRead.filter(({ key }) => !rows.has(key));
  const { workers } = options;
  const restBytes = rest.reduce((sum, { files }) => sum + sizeOf(files), 0);
  const isMuch = workers !== undefined && writer.add !== undefined && restBytes > workers.minBytes;
  const read = isMuch ? workers.read : readHere(library, onVanished);
  const checkpoints =
    options.rebuild === true ? undefined : checkpointOptions(library, rows.values(), options.checkpoints);
  const none: SessionToRead[] = [];
  try {
    if (few.length > 0)
      none.push(...(await readHere(library, onVanished, checkpoints)(few, writer, isFork, done)));
    if (rest.length > 0) none.push(...(await read(rest, writer, isFork, done)));
  } finally {
    meter?.end();
    tidyCheckpoints(library, checkpoints);
  }
  await putStubs(library, writer, rows, stubs);
  for (const key of [...plan.toRemove, ...none.map((each) => each.key)])
    if (rows.has(key)) writer.remove(key);
  const skipped = Object.fromEntries([
    ...Object.entries(state.skipped),
    ...none.map(({ key, mark }) => [key, mark] as const),
  ]);
  const unread = Object.fromEntries(none.flatMap((each) => unreadLog(library, each)));
  const found = [...problems, ...Object.values(unread)];
  const next: IndexState = {
    indexedAt: library.now(),
    gone: plan.gone,
    skipped,
    unread: { ...state.unread, ...unread },
    ...(state.settings === undefined ? {} : { settings: state.settings }),
    historyMark: stubs?.mark ?? state.historyMark,
    // The archive may have sessions that vanished a moment ago: the next refresh lists it again.
    ...(mark === undefined || !isAllRead || none.length > 0 ? {} : { archiveMark: mark }),
    problems: found.slice(0, MAX_PROBLEMS),
  };
  const known = counting.known();
  const committed = await writer.commit({
    state: JSON.stringify(next),
    tidy: isMuch ? "all" : "little",
  });
  if (committed.kind === "damaged") return undefined;
  if (committed.kind !== "committed") throw engineError(committed);
  if (known !== undefined) keepSnapshot({ ...known, index: opened.index });
  return {
    read: plan.toRead.length - none.length,
    removed: plan.toRemove.length,
    stale: 0,
    bytes,
    problems: found,
    rebuilt,
    ...(known === undefined ? {} : { totals: known.totals }),
  };
}

const MAX_PROBLEMS = 200;

/** Reports a log that has only a truncated line; nothing if the file is of another kind. */
function unreadLog({ disk }: Library, { key, files: { files } }: SessionToRead): [string, Problem][] {
  const path = files[0]?.path;
  if (path === undefined || disk.stat(path)?.kind !== "file") return [];
  if (!isTorn(path, diskSource(disk).head)) return [];
  return [[key, { path, line: 1, what: "no line of it can be read, so it is not listed" }]];
}

/** Reads sessions in this thread, one after the other. */
function readHere(library: Library, onVanished: () => void, checkpoints?: CheckpointOptions): PutSessions {
  return async (sessions, writer, isFork, done) => {
    const none: SessionToRead[] = [];
    const originals: ReadSession[] = [];
    const source = diskSource(library.disk);
    const masking = createIndexMasking(library);
    const read = (session: SessionToRead, copy: (row: SessionRow) => boolean): IndexedSession | undefined =>
      readForIndex(library, session, session.source ?? source, copy, masking, checkpoints);
    for (const session of sessions) {
      let original: SessionRow | undefined;
      const indexed = read(session, (row) => {
        const isOne = isFork(row);
        if (!isOne) original = row;
        return isOne;
      });
      if (indexed === undefined) none.push(session);
      else if (hasVanished(library, session, indexed)) onVanished();
      else {
        await writer.put(indexed);
        if (original !== undefined) originals.push({ session, row: original });
      }
      done(sizeOf(session.files));
    }
    await putForks(originals, isFork, async (session) => {
      const copy = read(session, () => true);
      if (copy !== undefined) await writer.put(copy);
    });
    return none;
  };
}

/** Whether a log was deleted before it could be read: then the index or the archive has more of it. */
function hasVanished({ disk }: Library, { files, origin }: SessionToRead, { row }: IndexedSession): boolean {
  const lead = files.files[0];
  if (origin === "archive" || lead === undefined || disk.stat(lead.path) !== undefined) return false;
  const { problems }: SessionRow = JSON.parse(row);
  return problems.some(({ path, line }) => path === lead.path && line === 0);
}

/** Puts the sessions of which only the prompts are left, and removes those that are no longer stubs. */
async function putStubs(
  library: Library,
  writer: SearchWriter,
  rows: ReadonlyMap<string, SessionRow>,
  history: HistoryStubs | undefined,
): Promise<void> {
  if (history === undefined) return;
  const { redact: mask } = createRedactor({ extra: library.config.redact });
  const left = new Set(history.stubs.map(sessionKey));
  for (const [key, { origin }] of rows) if (origin === "history" && !left.has(key)) writer.remove(key);
  for (const stub of history.stubs) {
    const mark = `${stub.prompts.length} prompts`;
    if (rows.get(sessionKey(stub))?.mark === mark) continue;
    const files = { agent: stub.agent, id: stub.id, files: [] };
    await writer.put(
      indexSession(sessionOfStub(stub), files, { origin: "history", mark, isFork: () => false, mask }),
    );
  }
}

/** A log that has not changed for this long will hardly grow any more. */
const ACTIVE_MS: number = 24 * 60 * 60 * 1000;
/** The share of the logs that the index and the checkpoints together may take. */
const SHARE = 0.05;
/** The size that checkpoints may always take. */
const LEAST_ROOM: number = 1024 * 1024;

function checkpointOptions(
  library: Library,
  rows: Iterable<Pick<SessionRow, "bytes">>,
  given: Partial<CheckpointOptions> = {},
): CheckpointOptions {
  let logBytes = 0;
  for (const { bytes } of rows) logBytes += bytes;
  const room = Math.max(LEAST_ROOM, Math.floor(SHARE * logBytes) - segmentBytes(library));
  return { sinceMs: library.now() - ACTIVE_MS, room, ...given };
}

function segmentBytes({ disk, places }: Library): number {
  try {
    return disk
      .readdir(places.index)
      .filter(({ name }) => name.endsWith(".seg"))
      .reduce((sum, { name }) => sum + (disk.stat(join(places.index, name))?.size ?? 0), 0);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return 0;
  }
}

/** Removes checkpoints of inactive logs and of forgotten sessions; without options, all. */
function tidyCheckpoints(library: Library, options: CheckpointOptions | undefined): void {
  try {
    const olderThan = options === undefined ? Number.POSITIVE_INFINITY : options.sinceMs;
    sweepCheckpoints(library.disk, library.places.index, olderThan, forgottenSessions(library).stones);
  } catch (error) {
    // The next refresh tries again: stale checkpoints are never used, they only take space.
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
  }
}
