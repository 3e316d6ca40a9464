import type { GrepStep } from "./grep-job.ts";

/** Brings the results of several threads into the order of the sessions. */
export interface OrderedOutput {
  /** Resolves when more of this session can be accepted: at once for the session being output. */
  put(session: number, step: Exclude<GrepStep, { kind: "file" }>): Promise<void>;
  finish(session: number): void;
  /** Ends the output; `take` throws the error. */
  fail(error: unknown): void;
  /** Yields the steps in order, each as soon as those before it are out. */
  take(): AsyncGenerator<TakenStep, void, void>;
}

export interface TakenStep {
  readonly session: number;
  readonly step: Exclude<GrepStep, { kind: "file" }>;
}

/** Hits that may wait for earlier sessions. */
const MAX_WAITING_HITS = 20_000;

export function createOrderedOutput(sessions: number): OrderedOutput {
  const waiting = new Map<number, TakenStep["step"][]>();
  const finished = new Set<number>();
  let blocked: { readonly session: number; readonly resume: () => void }[] = [];
  /** The session being output. */
  let current = 0;
  let hits = 0;
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => undefined;

  const release = (): void => {
    const stillBlocked: typeof blocked = [];
    for (const each of blocked) {
      if (each.session === current || hits < MAX_WAITING_HITS) each.resume();
      else stillBlocked.push(each);
    }
    blocked = stillBlocked;
  };

  return {
    put(session, step) {
      const steps = waiting.get(session);
      if (steps === undefined) waiting.set(session, [step]);
      else steps.push(step);
      if (step.kind === "hits") hits += step.hits.length;
      wake();
      if (session === current || hits < MAX_WAITING_HITS) return Promise.resolve();
      return new Promise((resume) => {
        blocked.push({ session, resume });
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
      while (current < sessions) {
        const step = waiting.get(current)?.shift();
        if (step !== undefined) {
          if (step.kind === "hits") hits -= step.hits.length;
          yield { session: current, step };
          release();
        } else if (finished.has(current)) {
          waiting.delete(current);
          current++;
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
