import { pageCalls } from "../web/server/page-calls.ts";
import { type AnswerMessage, answerCalls } from "../web/server/page-thread.ts";
import { openHistoryIn } from "./open-history.ts";
import type { Interrupts } from "./process-world.ts";
import type { Task } from "./worker-threads.ts";
import { realWorld } from "./world.ts";

/** Answers calls of the page in a thread, from the machine's history. */
export function pageTask(host: NodeJS.Process): Task {
  return (_, post: (message: AnswerMessage) => void) =>
    answerCalls(async () => {
      const world = realWorld(host, noThreads, leftToMain, () => undefined);
      const { startWorker: _, ...alone } = world;
      // Progress would be printed into the user's terminal.
      const quiet = { ...alone, stderr: { ...world.stderr, isTerminal: false } };
      return pageCalls(await openHistoryIn(quiet, { reveal: false, allowDemo: false }));
    }, post);
}

/** Ctrl-C ends the process, and this thread with it. */
const leftToMain: Interrupts = {
  request: () => undefined,
  hold: (action) => action(),
  leaveTo: (child) => child(),
};

function noThreads(): never {
  throw new Error("A thread of the page starts no threads");
}
