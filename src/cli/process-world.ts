import { exitCodes } from "../errors.ts";
import type { StartWorker } from "../search/worker-handle.ts";
import { createInterrupts } from "./interrupts.ts";
import { reportError } from "./report-error.ts";
import { realWorld, type World } from "./world.ts";

export interface ProcessWorld {
  readonly world: World;
  /** Does what commands left for when their answer is out. */
  finish(): Promise<void>;
  /** Takes its hands off the process, for another bundle that does all of it again. */
  release(): void;
}

/** Takes a process as the real world: Ctrl-C ends it in order, and no error goes unreported. */
export function takeProcess(
  host: NodeJS.Process,
  startWorker: StartWorker,
  neverFails: boolean = false,
): ProcessWorld {
  const interrupts = createInterrupts((exitCode) => {
    // What is in the line, be it only the ^C, must not come before the prompt.
    if (exitCode === exitCodes.interrupted && world.stderr.isTerminal) world.stderr.write("\n");
    host.exit(exitCode);
  });
  const afterwards: (() => Promise<void>)[] = [];
  const world = realWorld(host, startWorker, interrupts, (work) => afterwards.push(work));
  const onInterrupt = (): void => interrupts.request(exitCodes.interrupted);
  // A rejected promise that nobody waits for ends here, too.
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
