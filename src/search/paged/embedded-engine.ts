import { join } from "node:path";
import type { Disk } from "../../fs/disk.ts";
import { makeFolders } from "../../fs/folders.ts";
import { acquireLock, type Lock, tryLock } from "../../fs/lock.ts";
import type { Processes } from "../../fs/processes.ts";
import type { SearchEngine } from "../engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { openIndexReader } from "./index-reader.ts";
import { createIndexWriter, type WriterPlans } from "./index-writer.ts";

const LOCK_FILE = "lock";

/** The full-text engine of one machine: an index in a folder of its own. */
export function createEmbeddedEngine(
  disk: Disk,
  folder: string,
  processes: Processes,
  schema: IndexSchema,
  plans: WriterPlans = {},
): SearchEngine {
  const open = (lock: Lock) => {
    try {
      return { kind: "open", writer: createIndexWriter(disk, folder, schema, lock, plans) } as const;
    } catch (error) {
      lock.release();
      throw error;
    }
  };
  return {
    read: async () => openIndexReader(disk, folder, schema),
    async write(wait) {
      makeFolders(disk, folder);
      const path = join(folder, LOCK_FILE);
      if (wait !== undefined) return open(await acquireLock(disk, path, processes, { wait }));
      const attempt = tryLock(disk, path, processes);
      if (attempt.kind === "locked") return open(attempt.lock);
      const { owner } = attempt.by;
      return { kind: "locked", by: owner === undefined ? "an unknown process" : `process ${owner.pid}` };
    },
  };
}
