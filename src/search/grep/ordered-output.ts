import type { GrepStep } from "./grep-job.ts";

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
