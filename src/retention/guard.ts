import { createHash } from "node:crypto";
import type { LogFiles } from "../agents/agent.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { type ArchiveAnswer, archiveSessions } from "../archive/archive-sessions.ts";
import { archiveState } from "../archive/archived-sessions.ts";
import {
  GUARD_PAUSE_MS,
  guardLock,
  readGuardStamp,
  type SkippedSession,
  type SkippedSessions,
  writeGuardStamp,
} from "../archive/guard-stamp.ts";
import { type MarkdownWriter, readRenderNote } from "../archive/keep-session.ts";
import { logAt, logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import type { Problem } from "../errors.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { tryLock } from "../fs/lock.ts";
import type { Locking } from "../fs/store.ts";
import { type IndexAccess, tidyIndex, withIndex } from "../search/refresh/index-access.ts";
import { filesMark, sizeOf } from "../search/refresh/session-row.ts";
import { logKey } from "../session/session.ts";
import { sweepLeftovers } from "../shrink/sweep-leftovers.ts";

export interface GuardOptions {
  /** A log whose session is archived immediately, even if it has just changed. */
  readonly log?: string;
  /** Absent if the masking rules are unknown: then only bytes are archived. */
  readonly markdown?: MarkdownWriter | undefined;
  readonly access: IndexAccess;
  readonly locking: Locking;
  readonly pause: () => Promise<void>;
}

export interface GuardAnswer {
  readonly archived: number;
  /** Another guard is working on the rest. */
  readonly isBusy: boolean;
  readonly problems: readonly Problem[];
}

/** A session that changes is archived by the hooks of its agent, and here once it has been quiet for this long. */
const QUIET_MS = 10 * 60_000;
/** Nothing is expected, or archiving failed: check again after this time. */
const IDLE_MS = 6 * 60 * 60_000;
/** The store is released after this many bytes, for as long as it was held: an agent may be waiting for its hook. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_SESSIONS = 20;
const SHORTEST_REST_MS = 150;
const LONGEST_REST_MS = 3_000;

/**
 * Archives every session that is not safe yet, those that the agent will delete first before the others, and updates
 * the index. Meant for a separate process in the background.
 */
export async function guardSessions(library: Library, options: GuardOptions): Promise<GuardAnswer> {
  const { settingsFault: fault } = library;
  const problems: Problem[] = [];
  if (fault !== undefined) problems.push({ path: library.places.config, line: 0, what: fault.message });
  let archived = 0;
  const archive = async (sessions: readonly LogFiles[]): Promise<ArchiveAnswer> => {
    const { markdown, locking, pause } = options;
    const copies = markdown === undefined ? {} : { markdown };
    const done = await archiveSessions(library, { sessions, locking, pause, ...copies });
    archived += done.archived.length;
    for (const problem of done.problems) problems.push(problem);
    return done;
  };
  const named = options.log === undefined ? undefined : logAt(library, options.log);
  if (named !== undefined) await archive([named]);

  makeFolders(library.disk, library.places.logs);
  const attempt = tryLock(library.disk, guardLock(library), options.locking.processes);
  if (attempt.kind === "held") {
    if (named !== undefined) await refresh(library, options);
    return { archived, isBusy: true, problems };
  }
  try {
    await archiveQuiet(library, archive, options.locking.wait);
    sweepLeftovers(library);
    await refresh(library, options);
  } finally {
    attempt.lock.release();
  }
  return { archived, isBusy: false, problems };
}

async function archiveQuiet(
  library: Library,
  archive: (sessions: readonly LogFiles[]) => Promise<ArchiveAnswer>,
  rest: (ms: number) => Promise<void>,
): Promise<void> {
  const startedAt = library.now();
  const settings = exclusionMark(library);
  const skipped = stillSkipped(readGuardStamp(library)?.skipped ?? {}, settings, startedAt);
  const unsafe = findUnsafe(library).filter((files) => !isIn(skipped, files));
  const foundAt = library.now();
  const due = unsafe
    .filter((files) => isQuiet(files, foundAt))
    .toSorted((a, b) => changedAt(a) - changedAt(b));
  const excluded = new Set<string>();
  let done = 0;
  for (const batch of batchesOf(due)) {
    const heldFrom = library.now();
    writeGuardStamp(library, {
      startedAt,
      nextAt: startedAt + GUARD_PAUSE_MS,
      skipped,
      progress: { done, total: due.length },
    });
    for (const log of (await archive(batch)).excluded) excluded.add(logKey(log));
    done += batch.length;
    await rest(Math.min(Math.max(library.now() - heldFrom, SHORTEST_REST_MS), LONGEST_REST_MS));
  }
  const at = library.now();
  const notArchived = (files: LogFiles): SkippedSession => {
    const mark = filesMark(files);
    return excluded.has(logKey(files))
      ? { mark, reason: "excluded", settings }
      : { mark, reason: "failed", at };
  };
  const tried: SkippedSessions = Object.fromEntries(due.map((files) => [logKey(files), notArchived(files)]));
  const left: [string, SkippedSession][] = [];
  let nextAt = startedAt + IDLE_MS;
  for (const files of findUnsafe(library)) {
    const key = logKey(files);
    const session = [skipped[key], tried[key]].find((each) => each?.mark === filesMark(files));
    if (session !== undefined) left.push([key, session]);
    // A session that changed during the run was not tried in its present state.
    nextAt = Math.min(nextAt, session === undefined ? quietAt(files, at) : retryAt(session));
  }
  writeGuardStamp(library, { startedAt, nextAt, skipped: Object.fromEntries(left) });
}

function isQuiet(files: LogFiles, now: number): boolean {
  return quietAt(files, now) <= now;
}

/** When a session will have been quiet for long enough, if nothing changes. */
function quietAt(files: LogFiles, now: number): number {
  const at = changedAt(files);
  // From the future: a clock was wrong, and waiting would not end.
  return at > now ? now : at + QUIET_MS;
}

/** Leaves out sessions whose reason to be skipped is gone. */
function stillSkipped(skipped: SkippedSessions, settings: string, now: number): SkippedSessions {
  return Object.fromEntries(
    Object.entries(skipped).filter(([, session]) =>
      session.reason === "excluded"
        ? session.settings === settings
        : session.at <= now && now < retryAt(session),
    ),
  );
}

/** When a session is tried again although nothing has changed. */
function retryAt(session: SkippedSession): number {
  return session.reason === "failed" ? session.at + IDLE_MS : Number.POSITIVE_INFINITY;
}

function isIn(skipped: SkippedSessions, files: LogFiles): boolean {
  return skipped[logKey(files)]?.mark === filesMark(files);
}

/** Changes with the settings that exclude projects. */
function exclusionMark({ config }: Library): string {
  return createHash("sha1").update(JSON.stringify(config.exclude)).digest("base64url").slice(0, 16);
}

/** Sessions that are not completely archived. */
function findUnsafe(library: Library): readonly LogFiles[] {
  const { sessions } = openArchive(library).list();
  const state = archiveState(sessions);
  const forgotten = forgottenSessions(library);
  const projects = new Set(
    sessions.flatMap((session) => {
      return readRenderNote(session)?.project ?? [];
    }),
  );
  return findSessions(library, [...projects])
    .sessions.flatMap(logIdentities(library, sessions).of)
    .filter((files) => !state.holds(files) && !forgotten.has(files));
}

function changedAt({ files }: LogFiles): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

function* batchesOf(sessions: readonly LogFiles[]): Generator<readonly LogFiles[]> {
  let batch: LogFiles[] = [];
  let bytes = 0;
  for (const files of sessions) {
    batch.push(files);
    bytes += sizeOf(files);
    if (bytes < BATCH_BYTES && batch.length < BATCH_SESSIONS) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Also tidies the index: searches leave that to the guard, because no user waits for it. */
async function refresh(library: Library, { access }: GuardOptions): Promise<void> {
  // With settings other than the user's, everything would be read again: what to mask, what to leave out, how much to
  // store.
  if (library.settingsFault !== undefined) return;
  await withIndex(library, access, async () => {});
  await tidyIndex(library, access);
}
