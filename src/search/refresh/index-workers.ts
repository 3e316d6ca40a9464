import { diskSource } from "../../agents/byte-source.ts";
import { deferOptimization, limitHeapGrowth } from "../../fs/engine-flags.ts";
import type { Library } from "../../fs/library.ts";
import { nodeDisk } from "../../fs/node-disk.ts";
import { sessionSchema } from "../document-fields.ts";
import type { IndexBatch } from "../engine.ts";
import { createBatchBuilder } from "../paged/segment-builder.ts";
import type { StartWorker } from "../worker-handle.ts";
import { putForks, type ReadSession } from "./find-forks.ts";
import { createIndexMasking, type IndexLibrary, readForIndex } from "./index-session.ts";
import type { PutSessions } from "./refresh-index.ts";
import type { SessionToRead } from "./scan-sources.ts";
import { type SessionRow, sizeOf } from "./session-row.ts";

/** Most memory of a thread is short-lived. A smaller share takes longer and saves nothing more. */
const HEAP_GROWTH_PERCENT = 50;

/**
 * Spreads sessions over threads, including this one. Each builds its own segments; one commit adds them all. The
 * other threads take the longest sessions first and this one the shortest, so that all finish at about the same time
 * and this one can handle Ctrl-C and show progress.
 */
export function readInWorkers(library: Library, start: StartWorker, threads: number): PutSessions {
  return async (sessions, writer, isFork, done) => {
    deferOptimization();
    limitHeapGrowth(HEAP_GROWTH_PERCENT);
    const queue = sessions
      .filter((session) => session.source === undefined)
      .toSorted((a, b) => sizeOf(b.files) - sizeOf(a.files));
    const counts = createQueueCounts();
    const rows: ReadSession[] = [];
    const none: SessionToRead[] = [];
    const take = (session: SessionToRead, row: SessionRow | undefined): void => {
      if (row === undefined) none.push(session);
      else rows.push({ session, row });
      done(sizeOf(session.files));
    };
    const { places, config, environment } = library;
    const others = Array.from({ length: Math.max(1, threads) - 1 }, () =>
      workElsewhere(start, { places, config, environment }, { queue, ...counts }, take),
    );
    const hasFailed = failureOf(others);
    const own = createIndexWork(library);
    try {
      for (const number of takeFrom("back", queue.length, counts)) {
        const session = queue[number];
        if (session !== undefined) take(session, own.put(session));
        await new Promise((resolve) => setImmediate(resolve));
        if (hasFailed()) break;
      }
      // Archived sessions are read here: their source cannot be posted to another thread.
      for (const session of sessions) if (session.source !== undefined) take(session, own.put(session));
      const batches = own.finish();
      writer.add?.([...batches, ...(await Promise.all(others.map((other) => other.batches))).flat()]);
    } finally {
      own.abandon();
      await Promise.all(others.map(({ end }) => end()));
    }
    // A thread does not know the sessions of the others, so forks are found now.
    const source = diskSource(library.disk);
    const masking = createIndexMasking(library);
    await putForks(rows, isFork, async (session) => {
      const copy = readForIndex(library, session, session.source ?? source, () => true, masking);
      if (copy !== undefined) await writer.put(copy);
    });
    return none;
  };
}

interface OtherThread {
  readonly batches: Promise<readonly IndexBatch[]>;
  end(): Promise<void>;
}

function workElsewhere(
  start: StartWorker,
  data: IndexTaskData,
  request: IndexTaskRequest,
  take: (session: SessionToRead, row: SessionRow | undefined) => void,
): OtherThread {
  const worker = start("index", data);
  const batches = new Promise<readonly IndexBatch[]>((resolve, reject) => {
    worker.onMessage((message) => {
      // Both ends are this program, which checked the type of what it posted.
      const answer = message as IndexTaskAnswer;
      if (answer.kind === "finished") {
        resolve(answer.batches);
        return;
      }
      const session = request.queue[answer.number];
      if (session !== undefined) take(session, answer.row);
    });
    worker.ended.then(() => reject(new Error("A thread that reads logs ended too early")), reject);
  });
  worker.post(request);
  return { batches, end: () => worker.terminate() };
}

/** Returns a function that checks whether a thread has failed: then the rest is not needed. */
function failureOf(others: readonly OtherThread[]): () => boolean {
  let hasFailed = false;
  for (const { batches } of others) {
    batches.catch(() => {
      hasFailed = true;
    });
  }
  return () => hasFailed;
}

/** Everything that a thread needs to start. */
export interface IndexTaskData {
  readonly places: Library["places"];
  readonly config: Library["config"];
  readonly environment: Library["environment"];
}

export interface IndexTaskRequest extends QueueCounts {
  readonly queue: readonly SessionToRead[];
}

export type IndexTaskAnswer =
  /** Without a row, it was not a session. */
  | { readonly kind: "read"; readonly number: number; readonly row?: SessionRow | undefined }
  | { readonly kind: "finished"; readonly batches: readonly IndexBatch[] };

/** Runs in a thread: reads sessions from the shared queue and builds segments of them. */
export function indexTask(
  data: unknown,
  post: (answer: IndexTaskAnswer) => void,
): (request: unknown) => void {
  const work = createIndexWork({ disk: nodeDisk, ...(data as IndexTaskData) });
  return (message) => {
    const { queue, counts } = message as IndexTaskRequest;
    for (const number of takeFrom("front", queue.length, { counts })) {
      const session = queue[number];
      if (session !== undefined) post({ kind: "read", number, row: work.put(session) });
    }
    post({ kind: "finished", batches: work.finish() });
  };
}

/** The work of one thread: reading sessions and building segments of them. */
export interface IndexWork {
  /** Returns the row of the session; undefined if it is not a session. */
  put(session: SessionToRead): SessionRow | undefined;
  finish(): readonly IndexBatch[];
  /** Removes anything unfinished. */
  abandon(): void;
}

export function createIndexWork(library: IndexLibrary): IndexWork {
  const builder = createBatchBuilder(library.disk, library.places.index, sessionSchema);
  const source = diskSource(library.disk);
  const masking = createIndexMasking(library);
  return {
    put(session) {
      let row: SessionRow | undefined;
      // Forks are found when all sessions are known.
      const isFork = (each: SessionRow): boolean => {
        row = each;
        return false;
      };
      const indexed = readForIndex(library, session, session.source ?? source, isFork, masking);
      if (indexed === undefined) return undefined;
      builder.put(indexed);
      return row;
    },
    finish: () => builder.finish(),
    abandon: () => builder.abandon(),
  };
}

/**
 * A queue that several threads take entries from, each entry once. Only these counters are shared.
 */
export interface QueueCounts {
  /** Taken in all, from the front, from the back. */
  readonly counts: Int32Array;
}

const ALL = 0;
const FRONT = 1;
const BACK = 2;

export function createQueueCounts(): QueueCounts {
  return { counts: new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) };
}

/** Takes entries from one end until there are no more; yields their numbers. */
export function* takeFrom(
  end: "front" | "back",
  length: number,
  { counts }: QueueCounts,
): Generator<number, void, void> {
  while (Atomics.add(counts, ALL, 1) < length) {
    yield end === "front" ? Atomics.add(counts, FRONT, 1) : length - 1 - Atomics.add(counts, BACK, 1);
  }
}
