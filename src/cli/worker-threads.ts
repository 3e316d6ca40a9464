import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { WorkerHandle } from "../core/worker-handle.ts";

/** Work that may be done in another thread, by name. Each is loaded only where it is done. */
const tasks: Readonly<Record<string, () => Promise<Task>>> = {
  index: async () => (await import("../operations/indexing/index-task.ts")).indexTask,
};

/** Does what messages ask for, and answers with messages. Returns what is to be done with each message. */
export type Task = (data: unknown, post: (message: unknown) => void) => (message: unknown) => void;

export const isWorker: boolean = !isMainThread;

/** The other end of `startWorker`: runs until the program that started it ends it. */
export async function runWorker(): Promise<void> {
  const port = parentPort;
  const load = tasks[String(workerData.task)];
  if (port === null || load === undefined) throw new Error(`Unknown task ${String(workerData.task)}`);
  const receive = (await load())(workerData.data, (message) => port.postMessage(message));
  port.on("message", (message) => {
    if (message === FINISH) port.close();
    else receive(message);
  });
  port.postMessage(READY);
}

const READY = "sessions: ready";
const FINISH = "sessions: finish";

/**
 * Starts a thread of this very program. Node runs no TypeScript in threads, so from the sources there
 * are none, and work is done in the main one.
 */
export function startWorker(program: string): ((task: string, data: unknown) => WorkerHandle) | undefined {
  if (program.endsWith(".ts")) return undefined;
  return (task, data) => {
    const worker = new Worker(new URL(program), { workerData: { task, data } });
    let receiver: (message: unknown) => void = () => undefined;
    const early: unknown[] = [];
    let isReady = false;
    worker.on("message", (message) => {
      if (message === READY) {
        isReady = true;
        for (const each of early.splice(0)) worker.postMessage(each);
      } else receiver(message);
    });
    const ended = new Promise<void>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("exit", () => resolve());
    });
    // Whoever waits for the end gets the error; without anybody it must not end the program.
    ended.catch(() => undefined);
    return {
      post: (message) => void (isReady ? worker.postMessage(message) : early.push(message)),
      onMessage: (receive) => {
        receiver = receive;
      },
      ended,
      finish: () => void (isReady ? worker.postMessage(FINISH) : early.push(FINISH)),
      terminate: async () => void (await worker.terminate()),
    };
  };
}
