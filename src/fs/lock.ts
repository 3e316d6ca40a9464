import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import type { Disk } from "./disk.ts";
import { diskError, errorCode, isAbsent, isWithoutLinks } from "./disk-error.ts";
import { markProcess, type Processes, type ProcessMark, stateOf } from "./processes.ts";
import { writeTempFile } from "./replace-file.ts";

/*
 * No runtime has flock, so a lock is a file that exists. The hard part is the file of a process that
 * died. "Look, then remove" is wrong: between the two the dead lock may be gone and a living one in
 * its place. A rename to a unique name and a second look is not enough either: until the wrongly
 * taken lock is put back, a third process finds none. So who wants to remove a dead lock first makes
 * a file that is named after that lock's token, the heir file, and making a file is exclusive:
 *
 *   lock                   token X, its process is dead
 *   lock.X.heir            token Y: this process alone may remove X from `lock`
 *   lock.Y.heir            token Z: … and if it died in between, this one alone may
 *
 * An heir looks at `lock` once more, and removes it only if it is still X. Heir files go away only
 * when `lock` is X no more, or by an heir that gives up; X never comes back; so whoever makes the same
 * heir file later sees another token and leaves it alone.
 */

export interface Lock {
  readonly path: string;
  /** Somebody may have removed the file by hand. */
  isOurs(): boolean;
  /** Removes the file if it is still ours. To be called in a `finally`. */
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
  /** Tokens of files that could not be understood for so long that nobody can be writing them. */
  readonly condemned: ReadonlySet<string>;
}

const TIMEOUT_MS = 30_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** A lock file is written in microseconds, where it is ever seen unfinished at all. */
const UNREADABLE_MS = 2_000;
/** Each round means that another process got ahead; so many in one attempt are no coincidence. */
const MAX_ROUNDS = 50;

/** One attempt, without waiting. The folder must exist. */
export function tryLock(disk: Disk, path: string, processes: Processes): LockAttempt {
  const self = markProcess(disk, processes);
  return attempt({ disk, path, processes, self, condemned: new Set() });
}

/** Waits until the lock is free. A UserError after `timeoutMs` (30 s). The folder must exist. */
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
  // Time is what was waited, not what a clock says: a laptop that slept has given nobody a chance.
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

/** Holds the lock for as long as the work lasts, however it ends. */
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
      if (token !== undefined && readLockRecord(disk, path)?.token === token) {
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
  if (record.owner === undefined) return context.condemned.has(record.token);
  return stateOf(context.disk, context.processes, context.self, record.owner) === "dead";
}

/** Gives back the living process that is already at it, if there is one. */
function removeDeadLock(context: Attempting, dead: LockRecord): LockRecord | undefined {
  const { disk, path, self } = context;
  const inherited: string[] = [];
  let last = dead;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const heirFile = `${path}.${last.token}.heir`;
    if (placeLockRecord(disk, heirFile, self) !== undefined) {
      try {
        if (readLockRecord(disk, path)?.token === dead.token) removeQuietly(disk, path);
      } finally {
        removeQuietly(disk, heirFile);
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
  // Only files that somebody copied by hand lead in a circle.
  return last;
}

/** Who holds the lock may do so: every heir file there is belongs to a lock that is gone. */
function removeHeirFiles(disk: Disk, path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  try {
    for (const { name } of disk.readdir(folder)) {
      if (name.startsWith(prefix) && name.endsWith(".heir")) removeQuietly(disk, join(folder, name));
    }
  } catch (error) {
    // Litter is no reason to fail, least of all with the lock in hand.
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
  const remove = `if no \`sessions\` is running there any more, delete ${JSON.stringify(path)}`;
  if (owner === undefined) {
    return new UserError(`Cannot lock ${JSON.stringify(path)}: something unknown holds it`, {
      exitCode: exitCodes.refused,
      hint: remove,
    });
  }
  const elsewhere = stateOf(disk, processes, self, owner) === "elsewhere";
  const where = elsewhere ? ` on ${JSON.stringify(owner.host)}, in another machine or container,` : "";
  return new UserError(`Cannot lock ${JSON.stringify(path)}: process ${owner.pid}${where} holds it`, {
    exitCode: exitCodes.refused,
    hint: elsewhere ? remove : "wait for it to end, and run this again",
  });
}

/** What a lock file says: who made it, and a name that no other lock file ever has. */
interface LockRecord {
  readonly token: string;
  /** undefined where the file can't be understood: torn by a power cut, or made by something else. */
  readonly owner: ProcessMark | undefined;
}

const MAX_RECORD_BYTES = 4096;

/** undefined where there is no file. */
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
 * Makes a lock file in one step, whole; its token, or undefined where something has that name
 * already. A hard link to a written file appears with its content; a file made with `wx` would be
 * empty for a moment, and for ever if the process died then.
 */
function placeLockRecord(disk: Disk, path: string, owner: ProcessMark): string | undefined {
  const token = randomBytes(16).toString("hex");
  const bytes = Buffer.from(`${JSON.stringify({ token, ...owner })}\n`);
  const temp = writeTempFile(disk, path, [bytes], { mode: 0o600 });
  try {
    disk.link(temp.path, path);
    return token;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    if (!isWithoutLinks(error)) throw error;
    return createInPlace(disk, path, bytes) ? token : undefined;
  } finally {
    temp.discard();
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
