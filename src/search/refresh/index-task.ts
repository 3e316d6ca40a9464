import type { Library } from "../../fs/library.ts";
import { nodeDisk } from "../../fs/node-disk.ts";
import type { IndexBatch } from "../engine.ts";
import { createIndexWork } from "./index-work.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import type { SessionRow } from "./session-row.ts";
import { type QueueCounts, takeFrom } from "./shared-queue.ts";

/** What a thread is started with. */
export interface IndexTaskData {
  readonly places: Library["places"];
  readonly config: Library["config"];
}

export interface IndexTaskRequest extends QueueCounts {
  readonly queue: readonly SessionToRead[];
}

export type IndexTaskAnswer =
  /** Without a row it was no session. */
  | { readonly kind: "read"; readonly number: number; readonly row?: SessionRow | undefined }
  | { readonly kind: "finished"; readonly batches: readonly IndexBatch[] };

/** Reads sessions of a queue that it shares with others, and builds the part of the index that they make. */
export function indexTask(
  data: unknown,
  post: (answer: IndexTaskAnswer) => void,
): (request: unknown) => void {
  const { places, config } = data as IndexTaskData;
  const work = createIndexWork({ disk: nodeDisk, places, config });
  return (message) => {
    const { queue, counts } = message as IndexTaskRequest;
    for (const number of takeFrom("front", queue.length, { counts })) {
      const session = queue[number];
      if (session !== undefined) post({ kind: "read", number, row: work.put(session) });
    }
    post({ kind: "finished", batches: work.finish() });
  };
}
