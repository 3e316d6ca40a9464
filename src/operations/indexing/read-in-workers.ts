import { createRedactor } from "../../core/redact/redact.ts";
import type { IndexBatch } from "../../core/search/search-engine.ts";
import type { StartWorker, WorkerHandle } from "../../core/worker-handle.ts";
import { compileLess } from "../../store/compile-less.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import type { IndexTaskAnswer, IndexTaskData } from "./index-task.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { readForIndex } from "./read-for-index.ts";
import type { ReadInWorkers } from "./refresh-index.ts";
import { type SessionRow, sizeOf } from "./session-row.ts";

/**
 * Spreads sessions over threads, the longest first, each thread taking the next when it is done with
 * one. Each builds segments of its own; they become part of the index together, in one commit.
 */
export function readInWorkers(library: Library, start: StartWorker, threads: number): ReadInWorkers {
  return async (sessions, writer, isCopy, done) => {
    compileLess();
    const source = diskSource(library.disk);
    const { redact } = createRedactor({ extra: library.config.redact });
    const none: SessionToRead[] = [];
    const readHere = (session: SessionToRead, copy: (row: SessionRow) => boolean): void => {
      const indexed = readForIndex(library, session, session.source ?? source, copy, redact);
      if (indexed === undefined) none.push(session);
      else writer.put(indexed);
    };
    const queue = sessions
      .filter((session) => session.source === undefined)
      .toSorted((a, b) => sizeOf(b.files) - sizeOf(a.files));
    const rows: { readonly session: SessionToRead; readonly row: SessionRow }[] = [];
    const work = async (): Promise<readonly IndexBatch[]> => {
      const worker = start("index", {
        folder: library.places.index,
        places: library.places,
        config: library.config,
      } satisfies IndexTaskData);
      try {
        for (let session = queue.shift(); session !== undefined; session = queue.shift()) {
          const answer = await ask(worker, { kind: "read", session });
          if (answer.kind === "read" && answer.row !== undefined) rows.push({ session, row: answer.row });
          else none.push(session);
          done(sizeOf(session.files));
        }
        const last = await ask(worker, { kind: "finish" });
        return last.kind === "finished" ? last.batches : [];
      } finally {
        await worker.terminate();
      }
    };
    const batches = await Promise.all(Array.from({ length: Math.max(1, threads) }, work));
    writer.add(batches.flat());
    // The archive is read here: its reader can't be handed to another thread.
    for (const session of sessions) {
      if (session.source === undefined) continue;
      readHere(session, isCopy);
      done(sizeOf(session.files));
    }
    // A thread does not know the sessions of the others: forks are told, and read again, when all are there.
    for (const { row } of rows) isCopy(row);
    for (const { session, row } of rows) if (isCopy(row)) readHere(session, () => true);
    return none;
  };
}

function ask(worker: WorkerHandle, request: unknown): Promise<IndexTaskAnswer> {
  return new Promise((resolve, reject) => {
    worker.onMessage((answer) => resolve(answer as IndexTaskAnswer));
    worker.ended.then(() => reject(new Error("A thread that reads logs ended too early")), reject);
    worker.post(request);
  });
}
