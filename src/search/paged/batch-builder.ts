import type { Disk } from "../../fs/disk.ts";
import type { BatchBuilder, IndexBatch, IndexedSession } from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import type { CarriedFields } from "./carry-card.ts";
import { createSegmentBuilder, type SegmentBuilder } from "./segment-builder.ts";
import type { SegmentDescriptor } from "./segment-layout.ts";

/** Memory at which a segment is finished and the next one begun: about 60 MB of text. */
const MAX_BYTES: number = 32 * 1024 * 1024;

interface SegmentBatch extends IndexBatch {
  readonly content: SegmentDescriptor;
}

export interface SegmentBatchBuilder extends BatchBuilder {
  put(session: IndexedSession, carried?: CarriedFields): void;
}

/**
 * Builds segments in a folder, in this thread. Nobody sees them before a commit names them; what a
 * killed builder leaves behind is removed by the next writer.
 */
export function createBatchBuilder(
  disk: Disk,
  folder: string,
  schema: IndexSchema,
  maxBytes: number = MAX_BYTES,
): SegmentBatchBuilder {
  const finished: SegmentBatch[] = [];
  let builder: SegmentBuilder | undefined;

  const finish = (): void => {
    if (builder === undefined) return;
    const complete = builder;
    builder = undefined;
    finished.push({ kind: "batch", content: complete.finish() });
  };

  return {
    put(session, carried) {
      builder ??= createSegmentBuilder(disk, folder, schema);
      builder.put(session, carried);
      if (builder.bytes > maxBytes) finish();
    },
    finish() {
      finish();
      return finished.splice(0);
    },
    abandon() {
      builder?.abandon();
      builder = undefined;
    },
  };
}

export function descriptorOf(batch: IndexBatch): SegmentDescriptor {
  if (!isSegmentBatch(batch)) throw new TypeError("A batch must come from createBatchBuilder()");
  return batch.content;
}

function isSegmentBatch(batch: IndexBatch): batch is SegmentBatch {
  const { content } = batch;
  return typeof content === "object" && content !== null && "file" in content && "directorySum" in content;
}
