import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import type { Disk } from "./disk.ts";
import { diskError, errorCode, isAbsent, isWithoutLinks } from "./disk-error.ts";
import { markProcess, type Processes, type ProcessMark, stateOf } from "./processes.ts";
import { writeTempFile } from "./replace-file.ts";

/*
 * No runtime has flock, so a lock is a file that exists. The hard part is the lock file of a process that died. Checking
 * it and then removing it is wrong: in between, the dead lock may have been replaced by a live one. Renaming it to a
 * unique name and checking again is not enough either: until a wrongly taken lock is put back, a third process finds
 * none. So a process that wants to remove a dead lock first creates a file that is named after that lock's token, the
 * heir file, and only one process can create it:
 *
 *   lock                   token X, its process is dead
 *   lock.X.heir            token Y: this process alone may remove X from `lock`
 *   lock.Y.heir            token Z: if that process died before it did, this one alone may
 *
 * An heir reads `lock` once more, and removes it only if it is still X. An heir file is removed only when `lock` is no
 * longer X, or when its process gives up. X never comes back, so a process that creates the same heir file later sees
 * another token in `lock` and leaves it alone.
 */

export interface Lock {
  readonly path: string;
  /** False if somebody has removed the file by hand. */
  isOurs(): boolean;
  /** Removes the file if it is still ours. Call it in a `finally`. */
  release(): void;
}

export type LockAttempt =
  | { readonly kind: "locked"; readonly lock: Lock }
  | { readonly kind: "held"; readonly by: LockRecord };

export interface LockWaiting {
  readonly wait: (ms: number) => Promise<void>;
  readonly timeoutMs?: number;
  /** Called before every pause, so that a message can be shown. */
  readonly onWait?: (by: LockRecord, waitedMs: number) => void;
}

interface Attempting {
  readonly disk: Disk;
  readonly path: string;
  readonly processes: Processes;
  readonly self: ProcessMark;
  /** Tokens of lock files that have been unreadable for so long that no process can still be writing them. */
  readonly condemned: ReadonlySet<string>;
}

const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** A lock file is written in microseconds, if it is ever seen unfinished at all. */
const UNREADABLE_MS = 2_000;
/** Each round means that another process was faster; so many in one attempt mean that something is wrong. */
const MAX_ROUNDS = 50;

/**
 * Tokens that this process no longer uses. If the disk failed to remove such a lock file, or claimed that it was not there,
 * it is still there; and since its pid is alive, this process would wait for itself.
 */
const abandoned = new Set<string>();
const MAX_ABANDONED = 1_000;

function abandon(token: string): void {
  abandoned.add(token);
  const [oldest = ""] = abandoned;
  if (abandoned.size > MAX_ABANDONED) abandoned.delete(oldest);
}

/** Tries once, without waiting. The folder must exist. */
export function tryLock(disk: Disk, path: string, processes: Processes): LockAttempt {
  const self = markProcess(disk, processes);
  return attempt({ disk, path, processes, self, condemned: new Set() });
}

/** Waits until the lock is free; throws a UserError after `timeoutMs` (30 s). The folder must exist. */
export async function acquireLock(
  disk: Disk,
  path: string,
  processes: Processes,
  waiting: LockWaiting,
): Promise<Lock> {
  const timeoutMs = waiting.timeoutMs ?? TIMEOUT_MS;
  const self = markProcess(disk, processes);
  const condemned = new Set<string>();
  const unreadableSince = new Map<string, number>();
  // Counts the time that was spent waiting, not by the clock: while a laptop sleeps, nobody can release the lock.
  let waitedMs = 0;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const result = attempt({ disk, path, processes, self, condemned });
    if (result.kind === "locked") return result.lock;
    const { by } = result;
    if (by.owner === undefined) {
      const since = unreadableSince.get(by.token) ?? waitedMs;
      unreadableSince.set(by.token, since);
      if (waitedMs - since >= UNREADABLE_MS) condemned.add(by.token);
    }
    if (waitedMs >= timeoutMs) throw heldTooLong(disk, path, processes, self, by);
    waiting.onWait?.(by, waitedMs);
    const ms = Math.min(pauseMs, timeoutMs - waitedMs);
    await waiting.wait(ms);
    waitedMs += ms;
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}

/** Holds the lock while the work runs, and releases it however the work ends. */
export async function withLock<T>(
  disk: Disk,
  path: string,
  processes: Processes,
  waiting: LockWaiting,
  work: (lock: Lock) => T | Promise<T>,
): Promise<T> {
  const lock = await acquireLock(disk, path, processes, waiting);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

function attempt(context: Attempting): LockAttempt {
  try {
    return tryRounds(context);
  } catch (error) {
    throw diskError("lock", context.path, error);
  }
}

function tryRounds(context: Attempting): LockAttempt {
  const { disk, path, self } = context;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const present = readLockRecord(disk, path);
    if (present === undefined) {
      const token = placeLockRecord(disk, path, self);
      if (token !== undefined && isPlaced(disk, path, token)) {
        removeHeirFiles(disk, path);
        return { kind: "locked", lock: heldLock(disk, path, token) };
      }
      continue;
    }
    if (!isStale(context, present)) return { kind: "held", by: present };
    const rival = removeDeadLock(context, present);
    if (rival !== undefined) return { kind: "held", by: rival };
  }
  return { kind: "held", by: { token: "", owner: undefined } };
}

function isStale(context: Attempting, record: LockRecord): boolean {
  if (abandoned.has(record.token)) return true;
  if (record.owner === undefined) return context.condemned.has(record.token);
  return stateOf(context.disk, context.processes, context.self, record.owner) === "dead";
}

/** Removes a dead lock. If a live process is already doing that, returns that process's record. */
function removeDeadLock(context: Attempting, dead: LockRecord): LockRecord | undefined {
  const { disk, path, self } = context;
  const inherited: string[] = [];
  let last = dead;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const heirFile = `${path}.${last.token}.heir`;
    const token = placeLockRecord(disk, heirFile, self);
    if (token !== undefined) {
      try {
        if (readLockRecord(disk, path)?.token === dead.token) removeQuietly(disk, path);
      } finally {
        try {
          removeQuietly(disk, heirFile);
        } finally {
          abandon(token);
        }
      }
      for (const file of inherited) removeQuietly(disk, file);
      return undefined;
    }
    const heir = readLockRecord(disk, heirFile);
    // It has just finished.
    if (heir === undefined) return undefined;
    if (!isStale(context, heir)) return heir;
    inherited.push(heirFile);
    last = heir;
  }
  // Only files that somebody copied by hand form a cycle.
  return last;
}

/** Whether the lock file is the one that was just placed. */
function isPlaced(disk: Disk, path: string, token: string): boolean {
  let isOurs = false;
  try {
    isOurs = readLockRecord(disk, path)?.token === token;
  } finally {
    if (!isOurs) abandon(token);
  }
  return isOurs;
}

/** Only the holder of the lock may do this: then every heir file belongs to a lock that is gone. */
function removeHeirFiles(disk: Disk, path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  try {
    for (const { name } of disk.readdir(folder)) {
      if (name.startsWith(prefix) && name.endsWith(".heir")) removeQuietly(disk, join(folder, name));
    }
  } catch (error) {
    // Leftover files are no reason to fail, least of all while holding the lock.
    if (errorCode(error) === undefined) throw error;
  }
}

function heldLock(disk: Disk, path: string, token: string): Lock {
  const isOurs = (): boolean => readLockRecord(disk, path)?.token === token;
  return {
    path,
    isOurs,
    release: () => {
      try {
        if (isOurs()) removeQuietly(disk, path);
      } catch (error) {
        throw diskError("unlock", path, error);
      } finally {
        abandon(token);
      }
    },
  };
}

function heldTooLong(
  disk: Disk,
  path: string,
  processes: Processes,
  self: ProcessMark,
  by: LockRecord,
): UserError {
  const { owner } = by;
  const remove = `if no \`sessions\` is running there, delete ${JSON.stringify(path)}`;
  if (owner === undefined) {
    return new UserError(`Cannot lock ${JSON.stringify(path)}: an unknown program holds it`, {
      exitCode: exitCodes.refused,
      hint: remove,
    });
  }
  const elsewhere = stateOf(disk, processes, self, owner) === "elsewhere";
  const where = elsewhere ? ` on ${JSON.stringify(owner.host)}, another machine or container,` : "";
  return new UserError(`Cannot lock ${JSON.stringify(path)}: process ${owner.pid}${where} holds it`, {
    exitCode: exitCodes.refused,
    hint: elsewhere ? remove : "wait for it to end, and run this again",
  });
}

/** The content of a lock file: the process that created it, and a unique token. */
interface LockRecord {
  readonly token: string;
  /** undefined if the file cannot be read: damaged by a power cut, or made by another program. */
  readonly owner: ProcessMark | undefined;
}

const MAX_RECORD_BYTES = 4096;

/** The process that holds a lock, whether or not it still runs; undefined if there is none. */
export function lockHolder(disk: Disk, path: string): number | undefined {
  return readLockRecord(disk, path)?.owner?.pid;
}

/** Reads a lock file; undefined if there is none. */
function readLockRecord(disk: Disk, path: string): LockRecord | undefined {
  const bytes = disk.readFile(path, MAX_RECORD_BYTES);
  if (bytes === undefined) return undefined;
  const parsed = parseRecord(bytes.toString("utf8"));
  if (parsed !== undefined) return parsed;
  const stat = disk.stat(path);
  return stat === undefined
    ? undefined
    : { token: `unreadable-${stat.inode}-${stat.mtimeMs}-${stat.size}`, owner: undefined };
}

/**
 * Makes a lock file in one step, with its content, and returns its token; undefined if the name is taken. A hard link to a
 * finished file appears with its content; a file made with `wx` would be empty for a moment, and forever if the process
 * died then.
 */
function placeLockRecord(disk: Disk, path: string, owner: ProcessMark): string | undefined {
  const token = randomBytes(16).toString("hex");
  const bytes = Buffer.from(`${JSON.stringify({ token, ...owner })}\n`);
  const temp = writeTempFile(disk, path, [bytes], { mode: 0o600 });
  const place = (): boolean => {
    try {
      disk.link(temp.path, path);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      if (!isWithoutLinks(error)) throw error;
      return createInPlace(disk, path, bytes);
    } finally {
      temp.discard();
    }
  };
  try {
    return place() ? token : undefined;
  } catch (error) {
    abandon(token);
    throw error;
  }
}

export function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** For file systems without hard links. */
function createInPlace(disk: Disk, path: string, bytes: Buffer): boolean {
  let handle: number;
  try {
    handle = disk.open(path, "create");
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  let whole = false;
  try {
    whole = disk.write(handle, bytes) === bytes.length;
    return whole;
  } finally {
    disk.close(handle);
    if (!whole) removeQuietly(disk, path);
  }
}

function parseRecord(text: string): LockRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;
  const textOrNull = (name: string): string | null => {
    const found = field(name);
    return typeof found === "string" ? found : null;
  };
  const token = field("token");
  const pid = field("pid");
  const host = field("host");
  if (typeof token !== "string" || !/^[0-9a-f]{32}$/.test(token)) return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== "string") return undefined;
  return {
    token,
    owner: {
      pid,
      host,
      started: textOrNull("started"),
      boot: textOrNull("boot"),
      machine: textOrNull("machine"),
      space: textOrNull("space"),
    },
  };
}
