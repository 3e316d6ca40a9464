import { join } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { sessionOfLog } from "../agents/session-of-log.ts";
import { archiveSessions } from "../archive/archive-sessions.ts";
import { archiveState } from "../archive/archive-state.ts";
import { type MarkdownWriter, readNote } from "../archive/keep-session.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import { type Library, sessionKey } from "../fs/library.ts";
import { tryLock } from "../fs/lock.ts";
import { makeFolders } from "../fs/make-folders.ts";
import type { Locking } from "../fs/with-store.ts";
import { type IndexAccess, tidyIndex, withIndex } from "../search/refresh/index-access.ts";
import { markOf, sizeOf } from "../search/refresh/session-row.ts";
import type { Problem } from "../session/session.ts";
import { sweepLeftovers } from "../shrink/sweep-leftovers.ts";
import { readGuardStamp, writeGuardStamp } from "./guard-stamp.ts";

export interface GuardOptions {
  /** A log whose session is to be archived at once, although it may have changed just now. */
  readonly log?: string;
  readonly markdown: MarkdownWriter;
  readonly access: IndexAccess;
  readonly locking: Locking;
  readonly pause: () => Promise<void>;
}

export interface GuardAnswer {
  readonly archived: number;
  /** Another one is at work on the rest. */
  readonly isBusy: boolean;
  readonly problems: readonly Problem[];
}

/** A session that changes is archived by the hooks of its agent, and here when it has been quiet for so long. */
const QUIET_MS = 10 * 60_000;
/** Nothing is known to come: look again after this time. */
const IDLE_MS = 6 * 60 * 60_000;
/** The store is let go after so many bytes, for as long as it was held: an agent may wait for its hook. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_SESSIONS = 20;
const SHORTEST_REST_MS = 150;
const LONGEST_REST_MS = 3_000;

/**
 * Archives every session that is not safe yet, those first that the agent will delete first, and brings the
 * index up to date. Meant for a process of its own in the background.
 */
export async function guardSessions(library: Library, options: GuardOptions): Promise<GuardAnswer> {
  const problems: Problem[] = [];
  let archived = 0;
  const archive = async (sessions: readonly SessionFiles[]): Promise<void> => {
    const { markdown, locking, pause } = options;
    const done = await archiveSessions(library, { sessions, markdown, locking, pause });
    archived += done.archived.length;
    for (const problem of done.problems) problems.push(problem);
  };
  const named = options.log === undefined ? undefined : sessionOfLog(library, options.log);
  if (named !== undefined) await archive([named]);

  makeFolders(library.disk, library.places.logs);
  const attempt = tryLock(library.disk, join(library.places.logs, "guard.lock"), options.locking.processes);
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
  archive: (sessions: readonly SessionFiles[]) => Promise<void>,
  rest: (ms: number) => Promise<void>,
): Promise<void> {
  const startedAt = library.now();
  const skipped = readGuardStamp(library)?.skipped ?? {};
  const unsafe = findUnsafe(library).filter((files) => skipped[sessionKey(files)] !== markOf(files));
  const isQuiet = (files: SessionFiles): boolean => {
    const ageMs = startedAt - changedAt(files);
    // From the future: a clock was wrong, and waiting would not end.
    return ageMs >= QUIET_MS || ageMs < 0;
  };
  const due = unsafe.filter(isQuiet).toSorted((a, b) => changedAt(a) - changedAt(b));
  for (const batch of batchesOf(due)) {
    const heldFrom = library.now();
    await archive(batch);
    await rest(Math.min(Math.max(library.now() - heldFrom, SHORTEST_REST_MS), LONGEST_REST_MS));
  }
  const left = new Map(
    findUnsafe(library)
      .filter(isQuiet)
      .map((files) => [sessionKey(files), markOf(files)]),
  );
  const deferred = unsafe.filter((files) => !isQuiet(files)).map((files) => changedAt(files) + QUIET_MS);
  writeGuardStamp(library, {
    startedAt,
    nextAt: deferred.reduce((first, at) => Math.min(first, at), startedAt + IDLE_MS),
    skipped: Object.fromEntries(left),
  });
}

/** Sessions of which the archive does not have every byte. */
function findUnsafe(library: Library): readonly SessionFiles[] {
  const { sessions } = openArchive(library).list();
  const state = archiveState(sessions);
  const forgotten = forgottenSessions(library);
  const projects = new Set(
    sessions.flatMap((session) => {
      return readNote(session)?.project ?? [];
    }),
  );
  return findSessions(library, [...projects]).sessions.filter(
    (files) => !state.holds(files) && !forgotten.has(files),
  );
}

function changedAt({ files }: SessionFiles): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

function* batchesOf(sessions: readonly SessionFiles[]): Generator<readonly SessionFiles[]> {
  let batch: SessionFiles[] = [];
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

/** Also tidies the index: nobody waits here, and searches leave that to others. */
async function refresh(library: Library, { access }: GuardOptions): Promise<void> {
  await withIndex(library, access, async () => {});
  await tidyIndex(library, access);
}
