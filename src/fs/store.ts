import { exitCodes, UserError } from "../errors.ts";
import { tryParse } from "../jsonl/json-line.ts";
import type { Disk } from "./disk.ts";
import { diskError } from "./disk-error.ts";
import { makeFolders } from "./folders.ts";
import type { Library } from "./library.ts";
import { type LockWaiting, withLock } from "./lock.ts";
import type { Places } from "./places.ts";
import type { Processes } from "./processes.ts";
import { replaceFile } from "./replace-file.ts";
import { sweepTempFiles } from "./sweep-temp-files.ts";

/** How to take the store's lock, and what to do first with it. */
export interface Locking extends LockWaiting {
  readonly processes: Processes;
  /** Completes what a killed process began. Called by everyone who takes the lock, before anything else. */
  readonly recover: (library: Library) => void;
  /** How a store of an earlier version is brought up to date. */
  readonly migrations: readonly MigrationStep[];
}

/** Runs a write while holding the store's lock. The store is created, migrated and recovered first. */
export async function withStore<T>(
  library: Library,
  locking: Locking,
  work: () => T | Promise<T>,
): Promise<T> {
  const { disk, places, now } = library;
  // In a store of an unknown version not even the lock is taken.
  checkStoreVersion(disk, places);
  makeFolders(disk, places.home);
  return withLock(disk, places.lock, locking.processes, locking, () => {
    prepareStore(disk, places, { current: STORE_VERSION, steps: locking.migrations });
    // Others write next to the lock without holding it: only old files were left by dead processes.
    sweepTempFiles(disk, places.home, { now: now() });
    locking.recover(library);
    return work();
  });
}

/** The version of the bytes on disk that this program writes; docs/STORAGE.md describes them. */
export const STORE_VERSION = 2;

/**
 * Migrates a store from one version to the next. It may be killed at any point, and is then run again from its start, on
 * what it left: so it must check what is there. When it returns, its changes must be durable, because the new version is
 * written next.
 */
export interface MigrationStep {
  /** The version that it starts from; it leads to the next. */
  readonly from: number;
  readonly what: string;
  run(disk: Disk, places: Places): void;
}

interface StoreVersions {
  readonly current: number;
  readonly steps: readonly MigrationStep[];
}

type StoreState =
  | { readonly kind: "absent" }
  | { readonly kind: "current" }
  /** `version` is the version after the last step that finished. */
  | { readonly kind: "older"; readonly version: number };

/** The version for readers, which run no migrations. */
const present: StoreVersions = { current: STORE_VERSION, steps: [] };
const MAX_VERSION_BYTES = 4096;

/** Checks the store without changing it. A newer store, or one whose version cannot be read, is a UserError. */
export function readStoreState(disk: Disk, places: Places, versions: StoreVersions = present): StoreState {
  const found = readVersionFile(disk, places);
  if (found === undefined) {
    // The version is written before anything else. If it is missing although there is data, it was lost; the oldest
    // version is the safe guess, because a step does nothing if there is nothing to migrate.
    if (!hasData(disk, places)) return { kind: "absent" };
    return versions.current === 1 ? { kind: "current" } : { kind: "older", version: 1 };
  }
  refuseNewer(places, found, versions);
  return found.version === versions.current ? { kind: "current" } : { kind: "older", version: found.version };
}

/**
 * Throws a UserError if the store is newer than this program or its version cannot be read: nothing in it may be changed
 * then, and its files may mean something else. Call this before using anything in it.
 */
export function checkStoreVersion(disk: Disk, places: Places): void {
  const found = readVersionFile(disk, places);
  if (found !== undefined) refuseNewer(places, found, present);
}

function refuseNewer(
  places: Places,
  { version, migratingTo }: VersionFile,
  { current }: StoreVersions,
): void {
  const newest = Math.max(version, migratingTo ?? 0);
  if (newest <= current) return;
  throw new UserError(
    `Cannot use the store ${JSON.stringify(places.home)}: its version is ${newest}, and this program knows versions up to ${current}; nothing was changed`,
    { exitCode: exitCodes.broken, hint: "update `sessions`, or set SESSIONS_HOME to another folder" },
  );
}

/**
 * Prepares the store for writing: creates it, or migrates it. Call it with the store's lock held. Returns the
 * completed work, one line per step.
 */
export function prepareStore(
  disk: Disk,
  places: Places,
  versions: StoreVersions = present,
): readonly string[] {
  const state = readStoreState(disk, places, versions);
  const done: string[] = [];
  if (state.kind === "older") {
    for (let version = state.version; version < versions.current; version++) {
      const step = versions.steps.find(({ from }) => from === version);
      if (step === undefined) throw new Error(`No migration from store version ${version}`);
      // From here on a program that knows only the old version refuses to use the store.
      writeVersionFile(disk, places, { version, migratingTo: version + 1 });
      step.run(disk, places);
      writeVersionFile(disk, places, { version: version + 1 });
      done.push(step.what);
    }
  } else if (state.kind === "absent" || readVersionFile(disk, places) === undefined) {
    makeFolders(disk, places.home);
    writeVersionFile(disk, places, { version: versions.current });
  }
  return done;
}

interface VersionFile {
  readonly version: number;
  /** Set while a step is running. */
  readonly migratingTo?: number;
}

function writeVersionFile(disk: Disk, places: Places, content: VersionFile): void {
  replaceFile(disk, places.version, `${JSON.stringify(content)}\n`);
}

function readVersionFile(disk: Disk, places: Places): VersionFile | undefined {
  const text = readText(disk, places.version);
  if (text === undefined) return undefined;
  const value = tryParse(text);
  const version = numberAt(value, "version");
  if (version === undefined) {
    throw new UserError(
      `Cannot use the store ${JSON.stringify(places.home)}: ${JSON.stringify(places.version)} does not contain its version`,
      {
        exitCode: exitCodes.broken,
        hint: `write {"version":1} into that file if only version 1 ever used the store`,
      },
    );
  }
  const migratingTo = numberAt(value, "migratingTo");
  return migratingTo === undefined ? { version } : { version, migratingTo };
}

function readText(disk: Disk, path: string): string | undefined {
  try {
    return disk.readFile(path, MAX_VERSION_BYTES)?.toString("utf8");
  } catch (error) {
    throw diskError("read", path, error);
  }
}

function numberAt(value: unknown, key: string): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return typeof found === "number" && Number.isSafeInteger(found) && found > 0 ? found : undefined;
}

function hasData(disk: Disk, places: Places): boolean {
  return [places.raw, places.archive, places.flat].some((folder) => {
    try {
      return disk.stat(folder) !== undefined && disk.readdir(folder).length > 0;
    } catch (error) {
      throw diskError("read", folder, error);
    }
  });
}
