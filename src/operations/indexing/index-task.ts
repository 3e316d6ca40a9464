import { createRedactor } from "../../core/redact/redact.ts";
import type { IndexBatch, IndexedSession } from "../../core/search/search-engine.ts";
import { createBatchBuilder } from "../../store/index/batch-builder.ts";
import { nodeDisk } from "../../store/node-disk.ts";
import { diskSource } from "../disk-source.ts";
import type { Library } from "../library.ts";
import { sessionSchema } from "./open-engine.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { readForIndex } from "./read-for-index.ts";
import type { SessionRow } from "./session-row.ts";

/** What a thread is started with. */
export interface IndexTaskData {
  /** Where it builds its part of the index; absent: what it has read is put by who asked for it. */
  readonly folder?: string | undefined;
  readonly places: Library["places"];
  readonly config: Library["config"];
}

export type IndexTaskRequest =
  | { readonly kind: "read"; readonly session: SessionToRead }
  | { readonly kind: "finish" };

/** Without a row it was no session; `indexed` is there if it is to be put. */
export interface IndexTaskRead {
  readonly kind: "read";
  readonly row?: SessionRow | undefined;
  readonly indexed?: IndexedSession | undefined;
}

export type IndexTaskAnswer =
  | IndexTaskRead
  | { readonly kind: "finished"; readonly batches: readonly IndexBatch[] };

/** Reads and masks sessions in a thread of its own, and may build the part of the index that they make. */
export function indexTask(
  data: unknown,
  post: (answer: IndexTaskAnswer) => void,
): (request: unknown) => void {
  const { folder, places, config } = data as IndexTaskData;
  const builder = folder === undefined ? undefined : createBatchBuilder(nodeDisk, folder, sessionSchema);
  const source = diskSource(nodeDisk);
  const { redact } = createRedactor({ extra: config.redact });
  return (message) => {
    const request = message as IndexTaskRequest;
    if (request.kind === "finish") {
      post({ kind: "finished", batches: builder?.finish() ?? [] });
      return;
    }
    let row: SessionRow | undefined;
    const indexed = readForIndex(
      { config, places, disk: nodeDisk },
      request.session,
      source,
      (each) => {
        row = each;
        return false;
      },
      redact,
    );
    if (indexed === undefined) post({ kind: "read" });
    else if (builder === undefined) post({ kind: "read", row, indexed });
    else {
      builder.put(indexed);
      post({ kind: "read", row });
    }
  };
}
