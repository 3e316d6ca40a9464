import { exitCodes, UserError } from "../../errors.ts";
import { IndexDamage } from "../../fs/damage.ts";
import type { Library } from "../../fs/library.ts";
import type { DamagedIndex, SearchEngine, SearchReader } from "../engine.ts";
import { type FreshnessCheck, openIfCurrent } from "./freshness.ts";
import type { Refreshed, RefreshOptions } from "./refresh-index.ts";
import { readSnapshot, writeSnapshot } from "./source-snapshot.ts";

/** How the index is reached. */
export interface IndexAccess extends Omit<RefreshOptions, "engine" | "glance"> {
  readonly engine: SearchEngine;
  /** An engine that leaves nothing behind, for where the store can't be written; absent: an index must be kept. */
  readonly inMemory?: () => SearchEngine;
  /** Answer from the index as it is. */
  readonly skipRefresh?: boolean;
  /** Told where the store can't be written, before everything is read into memory. */
  readonly onUnwritable?: (error: UserError) => void;
  /** Told where logs had changed. */
  readonly onChange?: () => void;
}

/**
 * Opens the index, brought up to date, for as long as `use` takes. Damage that shows only on the way
 * has one answer: build it anew, and ask again.
 */
export async function withIndex<T>(
  library: Library,
  access: IndexAccess,
  use: (reader: SearchReader, refreshed: Refreshed | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(library, access, use);
  } catch (error) {
    if (error instanceof IndexDamage && access.rebuild !== true)
      return withIndex(library, { ...access, skipRefresh: false, rebuild: true }, use);
    // Threads build their part in the store itself.
    const { workers: _, inMemory, ...alone } = access;
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.broken || access.skipRefresh === true)
      throw error;
    if (inMemory === undefined) throw error;
    access.onUnwritable?.(error);
    return attempt(library, { ...alone, engine: inMemory() }, use);
  }
}

async function attempt<T>(
  library: Library,
  access: IndexAccess,
  use: (reader: SearchReader, refreshed: Refreshed | undefined) => Promise<T>,
): Promise<T> {
  const { reader, refreshed } = await open(library, access);
  try {
    return await use(reader, refreshed);
  } finally {
    await reader.close();
  }
}

async function open(
  library: Library,
  access: IndexAccess,
): Promise<{ readonly reader: SearchReader; readonly refreshed: Refreshed | undefined }> {
  const mayBeSame = access.skipRefresh !== true && access.rebuild !== true;
  const seen = mayBeSame ? await openIfCurrent(library, access.engine) : undefined;
  if (seen?.kind === "same") return seen;
  const refreshed = access.skipRefresh === true ? undefined : await refresh(library, access, seen);
  if (refreshed !== undefined && refreshed.read > 0) access.onChange?.();
  const opened = await access.engine.read();
  if (opened.kind === "open") return { reader: opened.reader, refreshed };
  // Nothing was indexed: there is nothing, or it was not to be looked for.
  if (access.skipRefresh === true || opened.kind === "damaged") throw new IndexDamage(opened.kind);
  throw new UserError("Cannot read the index: another process is building it", {
    exitCode: exitCodes.refused,
    hint: "try again when that is done",
  });
}

/** Loaded when there is something to read: most searches have nothing to do with how logs are read. */
async function refresh(
  library: Library,
  access: IndexAccess,
  glance: FreshnessCheck | undefined,
): Promise<Refreshed> {
  const { refreshIndex } = await import("./refresh-index.ts");
  return refreshIndex(library, { ...access, glance });
}

/** Thrown out of `use`, it makes the index be built anew. */
export function damaged({ what }: DamagedIndex): Error {
  return new IndexDamage(what);
}

/** Merges what makes searches slower; not where another process writes, or nobody can. */
export async function tidyIndex(library: Library, { engine }: Pick<IndexAccess, "engine">): Promise<void> {
  try {
    await tidy(library, engine);
  } catch (error) {
    if (!(error instanceof UserError) || error.exitCode !== exitCodes.broken) throw error;
  }
}

async function tidy(library: Library, engine: SearchEngine): Promise<void> {
  const opened = await engine.write();
  if (opened.kind !== "open") return;
  const { writer } = opened;
  try {
    const before = writer.index;
    await writer.commit({ tidy: "thorough" });
    // It is another index now, of the same sessions: what was seen of them still holds.
    const last = before === writer.index ? undefined : readSnapshot(library);
    if (last?.index === before) writeSnapshot(library, { ...last, index: writer.index });
  } finally {
    await writer.close();
  }
}
