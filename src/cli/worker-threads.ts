import { pathToFileURL } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";
import { exitCodes, UserError } from "../errors.ts";
import type { WorkerHandle } from "../search/worker-handle.ts";

/** Work for other threads, by name. Its code is loaded only there. */
const tasks: Readonly<Record<string, (host: NodeJS.Process) => Promise<Task>>> = {
  index: async () => (await import("../search/refresh/index-workers.ts")).indexTask,
  grep: async () => (await import("../search/grep/grep-job.ts")).grepTask,
  page: async (host) => (await import("./page-thread.ts")).pageTask(host),
};

/** Starts the work of a thread, which answers with messages, and returns its message handler. */
export type Task = (data: unknown, post: (message: unknown) => void) => (message: unknown) => void;

/**
 * The first argument of another thread; its task is the second. Loading node:worker_threads just to find out whether this is
 * one takes time.
 */
const WORKER_MARK = "--thread-of-sessions";

/** Loads node:worker_threads, which most commands do not need. */
function threadsOf(host: NodeJS.Process): typeof import("node:worker_threads") {
  return host.getBuiltinModule("node:worker_threads");
}

/** Whether this is another thread of the program. Deno's threads have no separate command line. */
export function isWorker(host: NodeJS.Process): boolean {
  const mayBe = host.argv[2] === WORKER_MARK || host.versions.deno !== undefined;
  return mayBe && !threadsOf(host).isMainThread;
}

/** The other end of `startWorker`: runs until the program that started it ends it. */
export async function runWorker(host: NodeJS.Process): Promise<void> {
  const { parentPort, workerData } = threadsOf(host);
  const port = parentPort;
  const load = tasks[String(workerData.task)];
  if (port === null || load === undefined) throw new Error(`Unknown task ${String(workerData.task)}`);
  const receive = (await load(host))(workerData.data, (message) => port.postMessage(message));
  port.on("message", (message) => {
    if (message === FINISH) port.close();
    else receive(message);
  });
  port.postMessage(READY);
}

const READY = "sessions: ready";
const FINISH = "sessions: finish";

/** Starts threads of this very program: `program` is the path of the bundle, or of a source next to main.ts. */
export function startWorker(
  program: string,
  host: NodeJS.Process,
): (task: string, data: unknown) => WorkerHandle {
  return (task, data) => {
    const worker = startThread(program, host, task, data);
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
      worker.on("error", (error) => reject(asThrown(error)));
      worker.on("exit", () => resolve());
    });
    // The caller that awaits the end gets the error; if nobody does, it must not end the program.
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

/** Restores the class of an error, which gets lost on the way from another thread. */
function asThrown(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "UserError" || !("exitCode" in error)) return error;
  const exitCode = Object.values(exitCodes).find((code) => code === error.exitCode);
  const hint = "hint" in error && typeof error.hint === "string" ? { hint: error.hint } : {};
  return exitCode === undefined ? error : new UserError(error.message, { exitCode, cause: error, ...hint });
}

/** Limits the young generation of each thread, which V8 would let grow to 48 MB: less memory, same time. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

function startThread(program: string, host: NodeJS.Process, task: string, data: unknown): Worker {
  const { Worker } = threadsOf(host);
  const options: WorkerOptions = { workerData: { task, data }, argv: [WORKER_MARK, task] };
  if (!program.endsWith(".ts")) return new Worker(program, { ...options, resourceLimits });
  const main = new URL("main.ts", pathToFileURL(program));
  if (host.versions.deno !== undefined) return new Worker(main, options);
  // Node reads TypeScript in the main thread only, where tsx was loaded; a thread has to load it too.
  const boot = `import("tsx/esm/api").then(({ register }) => { register(); return import(${JSON.stringify(main.href)}); });`;
  return new Worker(boot, { ...options, eval: true });
}
