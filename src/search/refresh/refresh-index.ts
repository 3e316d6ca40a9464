import { diskSource } from "../../agents/byte-source.ts";
import type { CheckpointOptions } from "../../agents/checkpoints/parse-checkpoints.ts";
import type { Problem } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import { createRedactor } from "../../redact/redact.ts";
import { sessionKey } from "../../session/session.ts";
import type { IndexedSession, OpenedWriter, SearchEngine, SearchWriter } from "../engine.ts";
import { type HistoryStubs, sessionOfStub } from "../history-stubs.ts";
import { checkpointOptions, tidyCheckpoints } from "./checkpoint-upkeep.ts";
import { type FreshnessCheck, isUnchanged, NO_CHANGE, type SourceScan, scanSources } from "./freshness.ts";
import { countingWriter, type IndexState, type Totals } from "./index-rows.ts";
import { copyFinder, indexSession, putCopies, type ReadSession, readForIndex } from "./index-session.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { type SessionRow, sizeOf } from "./session-row.ts";

export interface RefreshOptions {
  readonly engine: SearchEngine;
  /** Everything is read anew. */
  readonly rebuild?: boolean;
  /** For waiting until another process has written; absent: what that one does must do. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Wait for it however long it takes. */
  readonly patient?: boolean;
  readonly meter?: () => RefreshMeter;
  /** Absent: all sessions are read in this thread. */
  readonly workers?: IndexWorkers;
  /** What was seen a moment ago. */
  readonly glance?: FreshnessCheck | undefined;
  /** How far logs were read is remembered so; absent: as it is best. */
  readonly tails?: Partial<CheckpointOptions>;
}

/** Is told how far a refresh is. */
export interface RefreshMeter {
  update(done: RefreshProgress): void;
  /** Called in any case, also after a failure. */
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
  isCopy: (row: SessionRow) => boolean,
  done: (bytes: number) => void,
) => Promise<readonly SessionToRead[]>;

export interface Refreshed {
  readonly read: number;
  readonly removed: number;
  /** Sessions that changed and could not be read now: another process writes to the index. */
  readonly stale: number;
  readonly bytes: number;
  readonly problems: readonly Problem[];
  /** Why everything had to be read anew, if it had. */
  readonly rebuilt: SourceScan["rebuilt"];
  /** What all sessions come to, where that is known without opening them. */
  readonly totals?: Totals;
}

/** So few sessions that have grown are read in this thread: another one can't tell what the index has of them. */
const FEW_GROWN = 4;

/** Brings the index up to date with what is on disk and in the archive. */
export async function refreshIndex(library: Library, options: RefreshOptions): Promise<Refreshed> {
  const { glance, ...again } = options;
  const before = await scanSources(library, again, glance);
  if (before.rebuilt === null && before.stubs === undefined && isUnchanged(before.plan, before.state)) {
    before.keep(before);
    return { ...NO_CHANGE, problems: before.problems };
  }
  const opened = await openWriter(options, before.rebuilt !== null);
  if (opened.kind === "locked") {
    const stale = before.plan.toRead.length;
    return { ...NO_CHANGE, stale, problems: before.problems };
  }
  const { writer } = opened;
  try {
    // Whoever wrote until now may have done all of it, but where everything is to be read in any case. Where nobody
    // did, what was seen still holds.
    const isAlone = options.rebuild === true ? !opened.hasWaited : writer.index === before.index;
    const now = isAlone ? before : await scanSources(library, again);
    // What can't be read must not be touched either.
    if (now.rebuilt !== null) writer.clear();
    const refreshed = await write(library, options, writer, now);
    if (refreshed !== undefined) return refreshed;
  } finally {
    await writer.close();
  }
  // Only now: nobody gets the lock twice.
  return refreshIndex(library, { ...again, rebuild: true });
}

/** Another writer is waited for as long as an answer can wait; without any index at all, until there is one. */
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

/** undefined: the index is damaged, and nothing was written. */
async function write(
  library: Library,
  options: RefreshOptions,
  opened: SearchWriter,
  { plan, rows, totals, state, marks, stubs, problems, rebuilt, keep }: SourceScan,
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
  const isCopy = copyFinder(rows);
  let isAllRead = true;
  const onVanished = (): void => {
    isAllRead = false;
  };
  const grown = plan.toRead.filter(({ key }) => rows.has(key));
  const few = grown.length > FEW_GROWN ? [] : grown;
  const rest = few.length === 0 ? plan.toRead : plan.toRead.filter(({ key }) => !rows.has(key));
  const { workers } = options;
  const restBytes = rest.reduce((sum, { files }) => sum + sizeOf(files), 0);
  const isMuch = workers !== undefined && restBytes > workers.minBytes;
  const read = isMuch ? workers.read : readHere(library, onVanished);
  const tails =
    options.rebuild === true ? undefined : checkpointOptions(library, rows.values(), options.tails);
  const none: SessionToRead[] = [];
  try {
    if (few.length > 0) none.push(...(await readHere(library, onVanished, tails)(few, writer, isCopy, done)));
    if (rest.length > 0) none.push(...(await read(rest, writer, isCopy, done)));
  } finally {
    meter?.end();
    tidyCheckpoints(library, tails);
  }
  putStubs(library, writer, rows, stubs);
  for (const key of [...plan.toRemove, ...none.map((each) => each.key)])
    if (rows.has(key)) writer.remove(key);
  const skipped = Object.fromEntries([
    ...Object.entries(state.skipped),
    ...none.map(({ key, mark }) => [key, mark] as const),
  ]);
  const next: IndexState = {
    indexedAt: library.now(),
    gone: plan.gone,
    skipped,
    ...(state.settings === undefined ? {} : { settings: state.settings }),
    historyMark: stubs?.mark ?? state.historyMark,
    // Of what went a moment ago the archive may have the rest: it is looked through again.
    ...(marks === undefined || !isAllRead || none.length > 0 ? {} : { archiveMark: marks }),
    problems: problems.slice(0, MAX_PROBLEMS),
  };
  const known = counting.known();
  const committed = await writer.commit({
    state: JSON.stringify(next),
    tidy: isMuch ? "all" : "little",
  });
  if (committed.kind === "damaged") return undefined;
  if (known !== undefined) keep({ ...known, index: opened.index });
  return {
    read: plan.toRead.length - none.length,
    removed: plan.toRemove.length,
    stale: 0,
    bytes,
    problems,
    rebuilt,
    ...(known === undefined ? {} : { totals: known.totals }),
  };
}

const MAX_PROBLEMS = 200;

/** In this thread, one after the other. */
function readHere(library: Library, onVanished: () => void, tails?: CheckpointOptions): PutSessions {
  return async (sessions, writer, isCopy, done) => {
    const none: SessionToRead[] = [];
    const originals: ReadSession[] = [];
    const source = diskSource(library.disk);
    const { redact } = createRedactor({ extra: library.config.redact });
    const read = (session: SessionToRead, copy: (row: SessionRow) => boolean): IndexedSession | undefined =>
      readForIndex(library, session, session.source ?? source, copy, redact, tails);
    for (const session of sessions) {
      let original: SessionRow | undefined;
      const indexed = read(session, (row) => {
        const isOne = isCopy(row);
        if (!isOne) original = row;
        return isOne;
      });
      if (indexed === undefined) none.push(session);
      else if (hasVanished(library, session, indexed)) onVanished();
      else {
        writer.put(indexed);
        if (original !== undefined) originals.push({ session, row: original });
      }
      done(sizeOf(session.files));
    }
    putCopies(originals, isCopy, (session) => {
      const copy = read(session, () => true);
      if (copy !== undefined) writer.put(copy);
    });
    return none;
  };
}

/** Its log went before it could be read: what the index or the archive has of it is more than that. */
function hasVanished({ disk }: Library, { files, source }: SessionToRead, { row }: IndexedSession): boolean {
  const lead = files.files[0];
  if (source !== undefined || lead === undefined || disk.stat(lead.path) !== undefined) return false;
  const { problems }: SessionRow = JSON.parse(row);
  return problems.some(({ path, line }) => path === lead.path && line === 0);
}

/** Sessions of which only the prompts are left. One whose log came back is known again, and no stub. */
function putStubs(
  library: Library,
  writer: SearchWriter,
  rows: ReadonlyMap<string, SessionRow>,
  history: HistoryStubs | undefined,
): void {
  if (history === undefined) return;
  const { redact: mask } = createRedactor({ extra: library.config.redact });
  const left = new Set(history.stubs.map(sessionKey));
  for (const [key, { origin }] of rows) if (origin === "history" && !left.has(key)) writer.remove(key);
  for (const stub of history.stubs) {
    const mark = `${stub.prompts.length} prompts`;
    if (rows.get(sessionKey(stub))?.mark === mark) continue;
    const files = { agent: stub.agent, id: stub.id, files: [] };
    writer.put(
      indexSession(sessionOfStub(stub), files, { origin: "history", mark, isCopy: () => false, mask }),
    );
  }
}
