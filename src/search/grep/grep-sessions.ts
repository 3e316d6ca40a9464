import type { SessionFiles } from "../../agents/agent.ts";
import { runningSessions, sessionState } from "../../agents/running-sessions.ts";
import { hasLog } from "../../archive/archived-sessions.ts";
import type { Problem } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import type { SearchEngine } from "../engine.ts";
import type { SessionState } from "../session-catalog.ts";
import type { StartWorker } from "../worker-handle.ts";
import type { GrepHit, GrepJob, GrepQuery, GrepTaskData, SessionFacts } from "./grep-job.ts";
import { createMainThreadScanner, searchInWorkers } from "./grep-workers.ts";
import type { TakenStep } from "./ordered-output.ts";
import { planGrep } from "./plan-grep.ts";

interface GrepThreads {
  readonly start: StartWorker;
  readonly count: number;
}

/** Reported during the search, session by session, newest first. */
export type GrepEvent =
  | {
      readonly kind: "hits";
      readonly session: FoundIn;
      /** Empty if only sessions are requested. */
      readonly hits: readonly GrepHit[];
    }
  | { readonly kind: "problem"; readonly problem: Problem }
  /** The last event: everything was searched. */
  | { readonly kind: "done" };

/** A session with hits. */
export interface FoundIn extends SessionFacts {
  /** Path of the main log; null if it is gone. */
  readonly source: string | null;
  readonly state: SessionState;
}

/** How far the search has got. */
export interface GrepProgress {
  readonly sessions: number;
  readonly sessionsInAll: number;
  /** Those of them of which only parts are left. */
  readonly stubsInAll: number;
  readonly files: number;
  readonly filesInAll: number;
  readonly bytes: number;
  readonly bytesInAll: number;
}

export interface GrepOptions {
  readonly threads?: GrepThreads;
  readonly onProgress?: (progress: GrepProgress) => void;
}

/** Searching this much takes about as long as starting a thread. */
const BYTES_PER_THREAD = 16 * 1024 * 1024;

/** Searches the decoded text of all sessions. The search ends when the caller stops iterating. */
export async function* grepSessions(
  library: Library,
  engine: SearchEngine,
  query: GrepQuery,
  { threads, onProgress }: GrepOptions = {},
): AsyncGenerator<GrepEvent, void, void> {
  const plan = await planGrep(library, engine, query);
  for (const problem of plan.problems) yield { kind: "problem", problem };
  const { jobs } = plan;
  const running = runningSessions(library);
  const logState: LogState = (files) => sessionState(library, files, running);
  let progress = initialProgress(jobs);
  onProgress?.(progress);
  const onSearched = (job: GrepJob): void => {
    progress = {
      ...progress,
      sessions: progress.sessions + 1,
      files: progress.files + job.files.files.length,
      bytes: progress.bytes + bytesIn(job),
    };
    onProgress?.(progress);
  };
  const data: GrepTaskData = { query, places: library.places, config: library.config };
  const isSmall = progress.bytesInAll < BYTES_PER_THREAD;
  if (threads === undefined || (isSmall && query.pattern.isQuick)) {
    const scan = createMainThreadScanner(data, library.disk, library.now);
    for (const job of jobs) {
      for await (const step of scan(job)) if (step.kind !== "file") yield eventOf(step, job, logState);
      onSearched(job);
    }
  } else {
    const count = Math.min(threads.count, Math.ceil(progress.bytesInAll / BYTES_PER_THREAD) || 1);
    const options = { start: threads.start, threads: count, now: library.now, onSearched };
    for await (const { session, step } of searchInWorkers(jobs, data, options)) {
      const job = jobs[session];
      if (job !== undefined) yield eventOf(step, job, logState);
    }
  }
  yield { kind: "done" };
}

type LogState = (files: SessionFiles) => SessionState;

function initialProgress(jobs: readonly GrepJob[]): GrepProgress {
  return {
    sessions: 0,
    sessionsInAll: jobs.length,
    stubsInAll: jobs.filter(isPartial).length,
    files: 0,
    filesInAll: jobs.reduce((sum, { files }) => sum + files.files.length, 0),
    bytes: 0,
    bytesInAll: jobs.reduce((sum, job) => sum + bytesIn(job), 0),
  };
}

/** Whether only prompts or sub-agents of a session are left. */
function isPartial({ files, origin }: GrepJob): boolean {
  return origin === "history" || (origin === "log" && !hasLog(files));
}

function bytesIn({ files }: GrepJob): number {
  return files.files.reduce((sum, { size }) => sum + size, 0);
}

function eventOf(step: TakenStep["step"], { files, origin }: GrepJob, logState: LogState): GrepEvent {
  if (step.kind === "problem") return step;
  const state = origin === "log" ? logState(files) : origin === "archive" ? "kept" : "stub";
  const source = origin === "log" ? (files.files[0]?.path ?? null) : null;
  return { kind: "hits", session: { ...step.facts, source, state }, hits: step.hits };
}
