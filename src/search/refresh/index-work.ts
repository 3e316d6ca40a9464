import { diskSource } from "../../agents/disk-source.ts";
import type { Library } from "../../fs/library.ts";
import { createRedactor } from "../../redact/redact.ts";
import type { IndexBatch } from "../engine.ts";
import { createBatchBuilder } from "../paged/batch-builder.ts";
import { sessionSchema } from "./open-engine.ts";
import type { SessionToRead } from "./plan-refresh.ts";
import { readForIndex } from "./read-for-index.ts";
import type { SessionRow } from "./session-row.ts";

/** What one thread does for the index: it reads sessions and builds segments of them. */
export interface IndexWork {
  /** The row of the session; undefined where it is none. */
  put(session: SessionToRead): SessionRow | undefined;
  finish(): readonly IndexBatch[];
  /** Leaves nothing behind of what is not finished. */
  abandon(): void;
}

export function createIndexWork(library: Pick<Library, "config" | "disk" | "places">): IndexWork {
  const builder = createBatchBuilder(library.disk, library.places.index, sessionSchema);
  const source = diskSource(library.disk);
  const { redact } = createRedactor({ extra: library.config.redact });
  return {
    put(session) {
      let row: SessionRow | undefined;
      // Which sessions are copies shows when all are known.
      const isCopy = (each: SessionRow): boolean => {
        row = each;
        return false;
      };
      const indexed = readForIndex(library, session, session.source ?? source, isCopy, redact);
      if (indexed === undefined) return undefined;
      builder.put(indexed);
      return row;
    },
    finish: () => builder.finish(),
    abandon: () => builder.abandon(),
  };
}
