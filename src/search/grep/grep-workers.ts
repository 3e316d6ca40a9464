import type { Disk } from "../../fs/disk.ts";
import type { StartWorker, WorkerHandle } from "../worker-handle.ts";
import type { GrepAnswer, GrepJob, GrepRequest, GrepStep, GrepTaskData } from "./grep-job.ts";
import { createOrderedOutput, type OrderedOutput, type TakenStep } from "./ordered-output.ts";
import { createScanner, type ScanSession, timeLimitOf } from "./scan-session.ts";

interface WorkerOptions {
  readonly start: StartWorker;
  readonly threads: number;
  readonly now: () => number;
  /** Called when a session is done, in any order. */
  readonly onSearched: (job: GrepJob) => void;
}

/**
 * Searches sessions in worker threads, each taking the next session when it has finished one, and yields the
 * results in the order of the sessions. A thread that exceeds the time limit of a file is terminated: the file
 * is reported as a problem, and a new thread continues with the next file.
 */
export async function* searchInWorkers(
  jobs: readonly GrepJob[],
  data: GrepTaskData,
  options: WorkerOptions,
): AsyncGenerator<TakenStep, void, void> {
  const output = createOrderedOutput(jobs.length);
  const running = new Set<WorkerHandle>();
  let next = 0;
  let isStopped = false;
  /** Files that exceeded their time limit. */
  let timedOut = 0;
  const limitFor = (bytes: number): number => timeLimitOf(data.query.timeLimitMs, bytes, timedOut);

  const start = (): WorkerHandle => {
    const worker = options.start("grep", data);
    running.add(worker);
    return worker;
  };
  const end = async (worker: WorkerHandle): Promise<void> => {
    running.delete(worker);
    await worker.terminate();
  };

  const work = async (): Promise<void> => {
    let worker = start();
    while (!isStopped && next < jobs.length) {
      const number = next++;
      let job = jobs[number];
      while (job !== undefined) {
        const stopped = await searchOne(worker, number, job, { ...options, limitFor }, output);
        if (stopped === undefined) break;
        timedOut++;
        await end(worker);
        if (isStopped) return;
        worker = start();
        job = { ...job, fromFile: stopped + 1 };
      }
      const done = jobs[number];
      if (done !== undefined) options.onSearched(done);
      output.finish(number);
    }
    await end(worker);
  };

  try {
    for (let thread = 0; thread < Math.min(options.threads, jobs.length); thread++)
      work().catch((error: unknown) => output.fail(error));
    yield* output.take();
  } finally {
    isStopped = true;
    await Promise.all([...running].map(end));
  }
}

/** Searches one session. Returns the number of the file that stopped it, or undefined if it was finished. */
function searchOne(
  worker: WorkerHandle,
  number: number,
  job: GrepJob,
  { now, limitFor }: Pick<WorkerOptions, "now"> & { readonly limitFor: (bytes: number) => number },
  output: OrderedOutput,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    let file = { number: -1, path: "", leftMs: 0 };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let startedAt = 0;
    let isSettled = false;
    const send = (request: GrepRequest): void => worker.post(request);

    const settle = (stoppedAt: number | undefined): void => {
      clearTimeout(timer);
      isSettled = true;
      resolve(stoppedAt);
    };
    const giveUp = (what: string): void => {
      if (isSettled) return;
      void output.put(number, { kind: "problem", problem: { path: file.path, line: 0, what } });
      settle(file.number);
    };
    const startTimer = (): void => {
      startedAt = now();
      timer = setTimeout(() => giveUp(TOO_LONG), file.leftMs);
    };
    const takeHits = async (step: Extract<GrepAnswer, { kind: "hits" }>): Promise<void> => {
      clearTimeout(timer);
      file.leftMs -= now() - startedAt;
      await output.put(number, step);
      if (isSettled) return;
      startTimer();
      send({ kind: "continue" });
    };

    worker.onMessage((message) => {
      // Both ends are this program: the sender has checked the types.
      const answer = message as GrepAnswer;
      if (isSettled) return;
      switch (answer.kind) {
        case "file":
          clearTimeout(timer);
          file = { number: answer.file, path: answer.path, leftMs: limitFor(answer.bytes) };
          startTimer();
          return;
        case "hits":
          takeHits(answer).catch(reject);
          return;
        case "problem":
          void output.put(number, answer);
          return;
        case "done":
          settle(undefined);
      }
    });
    worker.ended.then(
      () => giveUp("not searched: the worker thread ended"),
      (error: unknown) => {
        clearTimeout(timer);
        // Before the first file, it is the program that failed, not a log.
        if (file.number === -1) reject(error);
        else giveUp(`cannot be searched: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
    send({ kind: "search", job });
  });
}

const TOO_LONG = "search stopped: the pattern takes too long on this file";

/**
 * Searches without worker threads. The time limit is checked only between texts: a pattern that runs away
 * within one text can't be stopped here.
 */
export function createMainThreadScanner(data: GrepTaskData, disk: Disk, now: () => number): ScanSession {
  let startedAt = now();
  const scan = createScanner(
    data,
    disk,
    ({ bytes }) => now() - startedAt > timeLimitOf(data.query.timeLimitMs, bytes),
  );
  return async function* scanOnMainThread(job: GrepJob): AsyncGenerator<GrepStep, void, void> {
    for await (const step of scan(job)) {
      if (step.kind === "file") {
        // Lets Ctrl-C in between files.
        await new Promise((resolve) => setImmediate(resolve));
        startedAt = now();
      }
      yield step;
    }
  };
}
