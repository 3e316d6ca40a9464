import { diskSource } from "../../agents/disk-source.ts";
import { deferOptimization } from "../../fs/engine-flags.ts";
import type { Library } from "../../fs/library.ts";
import { createRedactor } from "../../redact/redact.ts";
import type { IndexBatch } from "../engine.ts";
import type { StartWorker } from "../worker-handle.ts";
import { putCopies, type ReadSession } from "./copies.ts";
import type { IndexTaskAnswer, IndexTaskData, IndexTaskRequest } from "./index-task.ts";
import { createIndexWork } from "./index-work.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { readForIndex } from "./read-for-index.ts";
import type { ReadInWorkers } from "./refresh-index.ts";
import { type SessionRow, sizeOf } from "./session-row.ts";
import { createQueueCounts, takeFrom } from "./shared-queue.ts";

/**
 * Spreads sessions over threads, of which this is one. Each builds segments of its own; they become part of the index
 * together, in one commit. The others take the longest sessions first, this one the shortest: so all are done at about
 * the same time, and this one has time for Ctrl-C and for telling how far it is.
 */
export function readInWorkers(library: Library, start: StartWorker, threads: number): ReadInWorkers {
  return async (sessions, writer, isCopy, done) => {
    deferOptimization();
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
    const { places, config } = library;
    const others = Array.from({ length: Math.max(1, threads) - 1 }, () =>
      workElsewhere(start, { places, config }, { queue, ...counts }, take),
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
      // The archive is read here: its reader can't be handed to another thread.
      for (const session of sessions) if (session.source !== undefined) take(session, own.put(session));
      const batches = own.finish();
      writer.add([...batches, ...(await Promise.all(others.map((other) => other.batches))).flat()]);
    } finally {
      own.abandon();
      await Promise.all(others.map(({ end }) => end()));
    }
    // A thread does not know the sessions of the others.
    const source = diskSource(library.disk);
    const { redact } = createRedactor({ extra: library.config.redact });
    putCopies(rows, isCopy, (session) => {
      const copy = readForIndex(library, session, session.source ?? source, () => true, redact);
      if (copy !== undefined) writer.put(copy);
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
      // Both ends are this program: what comes here was typed where it was sent.
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

/** Says whether one of them has failed: then nobody needs the rest. */
function failureOf(others: readonly OtherThread[]): () => boolean {
  let hasFailed = false;
  for (const { batches } of others) {
    batches.catch(() => {
      hasFailed = true;
    });
  }
  return () => hasFailed;
}
