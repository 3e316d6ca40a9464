import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Disk, diskFrom } from "../../../src/fs/disk.ts";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import type { SearchEngine, SearchReader, SearchWriter } from "../../../src/search/engine.ts";
import { createEmbeddedEngine } from "../../../src/search/paged/embedded-engine.ts";
import type { WriterPolicies } from "../../../src/search/paged/index-writer.ts";
import type { IndexSchema } from "../../../src/search/ranking/index-schema.ts";
import type { IndexChange } from "./index-arbitraries.ts";
import { smallSchema } from "./small-schema.ts";

/** A new folder for an index, gone afterwards however the test ends. */
export async function withIndexFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const base = fs.mkdtempSync(join(tmpdir(), "sessions-index-"));
  try {
    return await use(join(base, "index"));
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** The real disk without its waiting: what is durable is another test's matter. */
export const hastyDisk: Disk = diskFrom({ ...nodeDisk, fsync: () => {}, fsyncFolder: () => {} });

export interface EngineOptions extends WriterPolicies {
  readonly schema?: IndexSchema;
  readonly disk?: Disk;
}

export function engineIn(folder: string, options: EngineOptions = {}): SearchEngine {
  const { schema = smallSchema, disk = hastyDisk, ...plans } = options;
  return createEmbeddedEngine(disk, folder, nodeProcesses, schema, plans);
}

export async function mustWrite(engine: SearchEngine): Promise<SearchWriter> {
  const opened = await engine.write();
  if (opened.kind !== "open") throw new Error(`Cannot write: ${JSON.stringify(opened)}`);
  return opened.writer;
}

export async function mustRead(engine: SearchEngine): Promise<SearchReader> {
  const opened = await engine.read();
  if (opened.kind !== "open") throw new Error(`Cannot read: ${JSON.stringify(opened)}`);
  return opened.reader;
}

/** Makes the changes and commits; each `commit` among them ends a segment. */
export async function applyChanges(
  engine: SearchEngine,
  changes: readonly IndexChange[],
  tidy: "little" | "all" = "little",
): Promise<void> {
  const writer = await mustWrite(engine);
  try {
    for (const change of [...changes, { kind: "commit" } as const]) {
      if (change.kind === "put") await writer.put(change.session);
      else if (change.kind === "remove") writer.remove(change.key);
      else {
        const committed = await writer.commit({ tidy });
        if (committed.kind !== "committed") throw new Error(committed.what);
      }
    }
  } finally {
    await writer.close();
  }
}

/** What is in the index after all changes. */
export function survivors(
  changes: readonly IndexChange[],
): Map<string, Extract<IndexChange, { kind: "put" }>["session"]> {
  const sessions = new Map<string, Extract<IndexChange, { kind: "put" }>["session"]>();
  for (const change of changes) {
    if (change.kind === "put") sessions.set(change.session.key, change.session);
    else if (change.kind === "remove") sessions.delete(change.key);
  }
  return sessions;
}
