import { exitCodes } from "../errors.ts";
import type { StartWorker } from "../search/worker-handle.ts";
import { reportError } from "./report-error.ts";
import { realWorld, type World } from "./world.ts";

export interface ProcessWorld {
  readonly world: World;
  /** Does the work that commands left for after their answer. */
  finish(): Promise<void>;
  /** Removes the handlers from the process: another bundle takes it over. */
  release(): void;
}

/** Makes the world of a process: Ctrl-C ends it in order, and no error goes unreported. */
export function takeProcess(
  host: NodeJS.Process,
  startWorker: StartWorker,
  neverFails: boolean = false,
): ProcessWorld {
  const interrupts = createInterrupts(
    (exitCode) => {
      // The prompt must not follow the rest of the line, if only the ^C.
      if (exitCode === exitCodes.interrupted && world.stderr.isTerminal) world.stderr.write("\n");
      host.exit(exitCode);
    },
    () => host.hrtime()[0] * 1_000 + host.hrtime()[1] / 1_000_000,
  );
  const afterwards: (() => Promise<void>)[] = [];
  const world = realWorld(host, startWorker, interrupts, (work) => afterwards.push(work));
  const onInterrupt = (): void => interrupts.request(exitCodes.interrupted);
  // A rejected promise that nothing awaits ends here, too.
  const onError = (error: unknown): void => {
    const exitCode = reportError(error, world, false);
    host.exit(neverFails ? exitCodes.done : exitCode);
  };
  host.on("SIGINT", onInterrupt);
  host.on("uncaughtException", onError);
  return {
    world,
    async finish() {
      for (const work of afterwards) await work();
    },
    release() {
      host.off("SIGINT", onInterrupt);
      host.off("uncaughtException", onError);
    },
  };
}

/** Decides when a request to end the program (Ctrl-C, a closed pipe) is granted. */
export interface Interrupts {
  /** Ends the program with this exit code: now, or as soon as nothing holds it. */
  request(exitCode: number): void;
  /** Delays requests until `action` is over. */
  hold<T>(action: () => Promise<T>): Promise<T>;
  /** Ignores requests while a child has the terminal: Ctrl-C is meant for the child. */
  leaveTo<T>(child: () => Promise<T>): Promise<T>;
}

/**
 * Ctrl-C goes to all processes at a terminal at once. The end of a child that it kills may be noticed before the
 * signal itself, because the two reach the event loop in different ways; so for a moment after the child's end, a
 * request still belongs to the child.
 */
const CHILD_GRACE_MS = 200;

export function createInterrupts(exit: (exitCode: number) => void, now: () => number): Interrupts {
  let holds = 0;
  let children = 0;
  let childEndedAt = Number.NEGATIVE_INFINITY;
  let waiting: number | undefined;
  return {
    request(exitCode) {
      if (children > 0 || now() - childEndedAt < CHILD_GRACE_MS) return;
      if (holds === 0) exit(exitCode);
      else waiting ??= exitCode;
    },
    async hold(action) {
      holds++;
      try {
        return await action();
      } finally {
        holds--;
        if (holds === 0 && waiting !== undefined) exit(waiting);
      }
    },
    async leaveTo(child) {
      children++;
      try {
        return await child();
      } finally {
        children--;
        childEndedAt = now();
      }
    },
  };
}
