import type { SessionFiles } from "../../agents/agent.ts";
import { runningSessions, sessionState } from "../../agents/running-sessions.ts";
import type { Problem } from "../../errors.ts";
import type { Library } from "../../fs/library.ts";
import type { SearchEngine } from "../engine.ts";
import type { SessionState } from "../session-catalog.ts";
import type { StartWorker } from "../worker-handle.ts";
import type { GrepHit, GrepJob, GrepQuery, GrepStep, GrepTaskData, SessionFacts } from "./grep-job.ts";
import { createScannerHere, searchInWorkers } from "./grep-workers.ts";
import { planGrep } from "./plan-grep.ts";

interface GrepThreads {
  readonly start: StartWorker;
  readonly count: number;
}

/** Told on the way, in the order of the sessions, newest first. */
export type GrepEvent =
  | {
      readonly kind: "hits";
      readonly session: FoundIn;
      /** None where only sessions are asked for. */
      readonly hits: readonly GrepHit[];
    }
  | { readonly kind: "problem"; readonly problem: Problem }
  /** The last one: everything was searched. */
  | { readonly kind: "done" };

export interface FoundIn extends SessionFacts {
  /** The leading log; null where it is gone. */
  readonly source: string | null;
  readonly state: SessionState;
}

/** How far the search is. */
export interface GrepProgress {
  readonly sessions: number;
  readonly sessionsInAll: number;
  readonly files: number;
  readonly filesInAll: number;
  readonly bytes: number;
  readonly bytesInAll: number;
}

export interface GrepOptions {
  readonly threads?: GrepThreads;
  readonly onProgress?: (progress: GrepProgress) => void;
}

/** A thread costs 80 ms to start and then goes through this in about that time. */
const WORTH_A_THREAD = 16 * 1024 * 1024;

/** Searches the decoded text of everything, exactly. Whoever has enough stops taking, and the search ends. */
export async function* grepSessions(
  library: Library,
  engine: SearchEngine,
  wish: GrepQuery,
  { threads, onProgress }: GrepOptions = {},
): AsyncGenerator<GrepEvent, void, void> {
  const plan = await planGrep(library, engine, wish);
  for (const problem of plan.problems) yield { kind: "problem", problem };
  const { jobs } = plan;
  const running = runningSessions(library);
  const logState: LogState = (files) => sessionState(library, files, running);
  let progress = startOf(jobs);
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
  const data: GrepTaskData = { wish, places: library.places, config: library.config };
  const isSmall = progress.bytesInAll < WORTH_A_THREAD;
  if (threads === undefined || (isSmall && wish.pattern.isQuick)) {
    const scan = createScannerHere(data, library.disk, library.now);
    for (const job of jobs) {
      for await (const step of scan(job)) if (step.kind !== "file") yield eventOf(step, job, logState);
      onSearched(job);
    }
  } else {
    const count = Math.min(threads.count, Math.ceil(progress.bytesInAll / WORTH_A_THREAD) || 1);
    const options = { start: threads.start, threads: count, now: library.now, onSearched };
    for await (const { session, step } of searchInWorkers(jobs, data, options)) {
      const job = jobs[session];
      if (job !== undefined) yield eventOf(step, job, logState);
    }
  }
  yield { kind: "done" };
}

type LogState = (files: SessionFiles) => SessionState;

function startOf(jobs: readonly GrepJob[]): GrepProgress {
  return {
    sessions: 0,
    sessionsInAll: jobs.length,
    files: 0,
    filesInAll: jobs.reduce((sum, { files }) => sum + files.files.length, 0),
    bytes: 0,
    bytesInAll: jobs.reduce((sum, job) => sum + bytesIn(job), 0),
  };
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

/** Puts what several threads find into the order of the sessions. */
export interface OrderedOutput {
  /** Resolves when there is room for more of this session: at once for the one whose turn it is. */
  put(session: number, step: Exclude<GrepStep, { kind: "file" }>): Promise<void>;
  finish(session: number): void;
  /** Nobody takes any more; whoever waits for it gets the error. */
  fail(error: unknown): void;
  /** In order, each as soon as it can be told. */
  take(): AsyncGenerator<TakenStep, void, void>;
}

export interface TakenStep {
  readonly session: number;
  readonly step: Exclude<GrepStep, { kind: "file" }>;
}

/** Hits that wait for sessions before theirs. */
const MOST_WAITING = 20_000;

export function createOrderedOutput(sessions: number): OrderedOutput {
  const waiting = new Map<number, TakenStep["step"][]>();
  const finished = new Set<number>();
  let held: { readonly session: number; readonly goOn: () => void }[] = [];
  let turn = 0;
  let hits = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => undefined;

  const release = (): void => {
    const kept: typeof held = [];
    for (const each of held) {
      if (each.session === turn || hits < MOST_WAITING) each.goOn();
      else kept.push(each);
    }
    held = kept;
  };

  return {
    put(session, step) {
      const steps = waiting.get(session);
      if (steps === undefined) waiting.set(session, [step]);
      else steps.push(step);
      if (step.kind === "hits") hits += step.hits.length;
      wake();
      if (session === turn || hits < MOST_WAITING) return Promise.resolve();
      return new Promise((goOn) => {
        held.push({ session, goOn });
      });
    },
    finish(session) {
      finished.add(session);
      wake();
    },
    fail(error) {
      failure = { error };
      wake();
    },
    async *take() {
      while (turn < sessions) {
        const step = waiting.get(turn)?.shift();
        if (step !== undefined) {
          if (step.kind === "hits") hits -= step.hits.length;
          yield { session: turn, step };
          release();
        } else if (finished.has(turn)) {
          waiting.delete(turn);
          turn++;
          release();
        } else if (failure !== undefined) throw failure.error;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
