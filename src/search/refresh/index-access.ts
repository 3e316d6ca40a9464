import { exitCodes, UserError } from "../../errors.ts";
import { IndexDamage } from "../../fs/damage.ts";
import type { Library } from "../../fs/library.ts";
import type { EngineFailure, SearchEngine, SearchReader } from "../engine.ts";
import { openIfCurrent, type PossiblyStale, readSnapshot, writeSnapshot } from "./freshness.ts";
import type { Refreshed, RefreshOptions } from "./refresh-index.ts";

/** How commands access the index. */
export interface IndexAccess extends Omit<RefreshOptions, "check"> {
  /** An engine in memory, for a store that cannot be written; absent: that is an error. */
  readonly inMemory?: () => SearchEngine;
  /** Answers from the index without checking for changes. */
  readonly skipRefresh?: boolean;
  /** Lists the whole archive, also if nothing seems to have changed: sessions of other machines were added. */
  readonly listArchive?: boolean;
  /** Called if the store cannot be written, before everything is read into memory. */
  readonly onUnwritable?: (error: UserError) => void;
  /** Called if sessions were read. */
  readonly onChange?: () => void;
}

/** An open index, and the result of the refresh before. */
export interface OpenIndex {
  readonly reader: SearchReader;
  readonly refreshed: Refreshed | undefined;
}

/**
 * Opens the index, after refreshing it, for as long as `use` takes. If it turns out to be damaged, it is rebuilt and
 * `use` is called again.
 */
export async function withIndex<T>(
  library: Library,
  access: IndexAccess,
  use: (reader: SearchReader, refreshed: Refreshed | undefined) => Promise<T>,
): Promise<T> {
  return recovering(access, async (how) => {
    const { reader, refreshed } = await open(library, how);
    try {
      return await use(reader, refreshed);
    } finally {
      await reader.close();
    }
  });
}

/** Opens the index, after refreshing it; the caller closes its reader. */
export async function openIndex(library: Library, access: IndexAccess): Promise<OpenIndex> {
  return recovering(access, (how) => open(library, how));
}

/** Tries again with a rebuilt index if it is damaged, and with one in memory if the store cannot be written. */
async function recovering<T>(access: IndexAccess, attempt: (how: IndexAccess) => Promise<T>): Promise<T> {
  try {
    return await attempt(access);
  } catch (error) {
    if (error instanceof IndexDamage && access.rebuild !== true)
      return recovering({ ...access, skipRefresh: false, rebuild: true }, attempt);
    // Worker threads would write to the store.
    const { workers: _, inMemory, ...alone } = access;
    const isUnwritable = error instanceof UserError && error.exitCode === exitCodes.broken;
    if (!isUnwritable || access.skipRefresh === true || inMemory === undefined) throw error;
    access.onUnwritable?.(error);
    return attempt({ ...alone, engine: inMemory() });
  }
}

async function open(library: Library, access: IndexAccess): Promise<OpenIndex> {
  const mayBeCurrent = access.skipRefresh !== true && access.rebuild !== true && access.listArchive !== true;
  const check = mayBeCurrent ? await openIfCurrent(library, access.engine) : undefined;
  if (check?.kind === "current") return check;
  const refreshed = access.skipRefresh === true ? undefined : await refresh(library, access, check);
  if (refreshed !== undefined && refreshed.read > 0) access.onChange?.();
  const opened = await access.engine.read();
  if (opened.kind === "open") return { reader: opened.reader, refreshed };
  if (opened.kind === "unreachable" || opened.kind === "denied") throw engineError(opened);
  // Without a refresh, an index that can't be read is built nevertheless.
  if (access.skipRefresh === true || opened.kind === "damaged") throw new IndexDamage(opened.kind);
  throw new UserError("Cannot read the index: another process is building it", {
    exitCode: exitCodes.refused,
    hint: "try again in a minute",
  });
}

/** Imported on demand: most searches read no logs. */
async function refresh(
  library: Library,
  access: IndexAccess,
  check: PossiblyStale | undefined,
): Promise<Refreshed> {
  const { refreshIndex } = await import("./refresh-index.ts");
  return refreshIndex(library, { ...access, check });
}

/** The error for an engine that cannot answer. Damage, if thrown from `use`, has the index rebuilt. */
export function engineError({ kind, what }: EngineFailure): Error {
  switch (kind) {
    case "damaged":
      return new IndexDamage(what);
    case "unreachable":
      return new UserError(`Cannot reach the search engine: ${what}`, {
        exitCode: exitCodes.refused,
        hint: "try again later",
      });
    case "denied":
      return new UserError(`Cannot use the search engine: ${what}`, {
        exitCode: exitCodes.refused,
        hint: "check who may use it",
      });
  }
}

/** Merges segments to make searches faster, unless another process is writing or the store cannot be written. */
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
    // The id is new, but the sessions are the same, and so is the snapshot of their sources.
    const snapshot = before === writer.index ? undefined : readSnapshot(library);
    if (snapshot?.index === before) writeSnapshot(library, { ...snapshot, index: writer.index });
  } finally {
    await writer.close();
  }
}
