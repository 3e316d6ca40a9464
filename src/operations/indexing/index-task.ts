import { createRedactor } from "../../core/redact/redact.ts";
import type { BatchBuilder, IndexBatch } from "../../core/search/search-engine.ts";
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
  readonly folder: string;
  readonly places: Library["places"];
  readonly config: Library["config"];
}

export type IndexTaskRequest =
  | { readonly kind: "read"; readonly session: SessionToRead }
  | { readonly kind: "finish" };

export type IndexTaskAnswer =
  /** `row` is absent where it was no session. */
  | { readonly kind: "read"; readonly row: SessionRow | undefined }
  | { readonly kind: "finished"; readonly batches: readonly IndexBatch[] };

/** Reads sessions in a thread of its own, and builds the part of the index that they make. */
export function indexTask(
  data: unknown,
  post: (answer: IndexTaskAnswer) => void,
): (request: unknown) => void {
  const { folder, places, config } = data as IndexTaskData;
  const builder: BatchBuilder = createBatchBuilder(nodeDisk, folder, sessionSchema);
  const source = diskSource(nodeDisk);
  const { redact } = createRedactor({ extra: config.redact });
  return (message) => {
    const request = message as IndexTaskRequest;
    if (request.kind === "finish") {
      post({ kind: "finished", batches: builder.finish() });
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
    if (indexed !== undefined) builder.put(indexed);
    post({ kind: "read", row: indexed === undefined ? undefined : row });
  };
}
