import { pageCalls } from "../web/server/page-calls.ts";
import { type AnswerMessage, answerCalls } from "../web/server/page-thread.ts";
import { openHistoryIn } from "./open-history.ts";
import { takeProcess } from "./process-world.ts";
import type { Task } from "./worker-threads.ts";

/** Answers calls of the page in a thread, from the history of the machine. */
export function pageTask(host: NodeJS.Process): Task {
  return (_, post: (message: AnswerMessage) => void) =>
    answerCalls(async () => {
      const { world } = takeProcess(host, noThreads);
      const { startWorker: _, ...alone } = world;
      // Progress would be printed into what the user reads.
      const quiet = { ...alone, stderr: { ...world.stderr, isTerminal: false } };
      return pageCalls(await openHistoryIn(quiet, { reveal: false, allowDemo: false }));
    }, post);
}

function noThreads(): never {
  throw new Error("A thread of the page starts no threads");
}
