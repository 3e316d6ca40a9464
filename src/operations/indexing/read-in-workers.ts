import { createRedactor } from "../../core/redact/redact.ts";
import type { IndexBatch } from "../../core/search/search-engine.ts";
import type { StartWorker } from "../../core/worker-handle.ts";
import { compileLess } from "../../store/compile-less.ts";
import { createBatchBuilder } from "../../store/index/batch-builder.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import type { IndexTaskAnswer, IndexTaskData, IndexTaskRead, IndexTaskRequest } from "./index-task.ts";
import { sessionSchema } from "./open-engine.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { readForIndex } from "./read-for-index.ts";
import type { ReadInWorkers } from "./refresh-index.ts";
import { type SessionRow, sizeOf } from "./session-row.ts";

/** Sessions that a thread is asked for at a time: it goes on while one is put. */
const READ_AHEAD = 2;

/**
 * Spreads sessions over threads, the longest first, each thread taking the next when it is done with one. Each
 * builds segments of its own; they become part of the index together, in one commit.
 *
 * Of two threads the other one reads and this one builds: so each compiles only its part of the program, which is a
 * seventh of all processor time, and terms are in memory once. Of more, this one would keep the others waiting.
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
    const { places, config } = library;
    const isPair = threads === 2;
    const builder = createBatchBuilder(library.disk, places.index, sessionSchema);
    const batches: IndexBatch[] = [];
    let isOver = false;
    const take = (session: SessionToRead, { row, indexed }: IndexTaskRead): void => {
      if (indexed !== undefined) builder.put(indexed);
      if (row === undefined) none.push(session);
      else rows.push({ session, row });
      done(sizeOf(session.files));
    };
    const work = async (): Promise<void> => {
      const folder = isPair ? undefined : places.index;
      const worker = start("index", { folder, places, config } satisfies IndexTaskData);
      const asked: SessionToRead[] = [];
      const ask = (): void => {
        const session = queue.shift();
        if (session !== undefined) {
          asked.push(session);
          post({ kind: "read", session });
        } else if (asked.length === 0) post({ kind: "finish" });
      };
      const post = (request: IndexTaskRequest): void => worker.post(request);
      try {
        await new Promise<void>((resolve, reject) => {
          const receive = (answer: IndexTaskAnswer): void => {
            if (answer.kind === "finished") batches.push(...answer.batches);
            const session = asked.shift();
            if (session === undefined || answer.kind === "finished" || isOver) {
              resolve();
              return;
            }
            ask();
            take(session, answer);
          };
          worker.onMessage((answer) => {
            try {
              receive(answer as IndexTaskAnswer);
            } catch (error) {
              reject(error);
            }
          });
          worker.ended.then(() => reject(new Error("A thread that reads logs ended too early")), reject);
          for (let ahead = 0; ahead < READ_AHEAD; ahead++) ask();
        });
      } finally {
        await worker.terminate();
      }
    };
    try {
      await Promise.all(Array.from({ length: isPair ? 1 : Math.max(1, threads) }, work));
      writer.add([...batches, ...builder.finish()]);
    } finally {
      // Where one thread has failed, what the others still send is not wanted any more.
      isOver = true;
      builder.abandon();
    }
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
