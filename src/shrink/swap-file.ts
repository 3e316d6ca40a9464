import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import type { Disk, FileMark, FileStat, Handle } from "../fs/disk.ts";
import { diskError, isWithoutLinks } from "../fs/disk-error.ts";
import { removeQuietly } from "../fs/lock.ts";
import { secondNameFor, tempPathFor, writeTempFile } from "../fs/replace-file.ts";
import {
  plannedSize,
  type RewritePiece,
  type RewritePlan,
  rewrittenBytes,
  SourceEnded,
} from "../jsonl/rewrite-plan.ts";
import { type JournalRecord, openJournal } from "./journal.ts";
import { appendAll, copyOn, hashUpTo, readFrom, writeToEnd } from "./read-handle.ts";

interface Swap {
  /** The path without links. */
  readonly path: string;
  /** The file's state when the plan was made, and the hash of the bytes that the plan covers. */
  readonly expected: FileMark;
  readonly sha256: string;
  readonly plan: RewritePlan;
  /** Returns the time of the new file, from the old file's state. */
  readonly mtimeOf: (old: FileStat) => number;
  /** Whether another process holds the file open; called again shortly before the rename. */
  readonly isHeld: () => boolean;
  /** Where journals are kept. */
  readonly rewrites: string;
  readonly wait: (ms: number) => Promise<void>;
}

export type Swapped =
  /** `carried`: bytes that were appended in the meantime; all of them are in the new file. */
  | { readonly kind: "done"; readonly file: FileStat; readonly carried: number }
  /** The file differs from the plan, or kept changing; nothing was done. */
  | { readonly kind: "changed" }
  | { readonly kind: "held" };

/** Rounds of copying in which appended bytes are made durable before looking for more. */
const SYNCED_ROUNDS = 8;
const MAX_ROUNDS = 1_000;
/** How often lines in the wrong order are reordered by another swap, which may itself have late lines. */
const MAX_REPAIRS = 5;

/**
 * Replaces a log to which others may append. Writers that open it for each line lose nothing: lines appended before
 * the rename are copied; lines that reach the old file within 50 ms after it are carried over, before lines that were
 * written to the new file by then. Until all of that is durable, the old file has a second name, which the journal
 * records. At every moment the log is either the complete old file or the complete new one.
 */
export async function swapFile(disk: Disk, swap: Swap, round = 0): Promise<Swapped> {
  const source = disk.open(swap.path, "read");
  try {
    const found = disk.fstat(source);
    if (!isExpected(found, swap)) return { kind: "changed" };
    return await swapOpened(disk, swap, source, found, round);
  } finally {
    disk.close(source);
  }
}

function isExpected(found: FileStat, { expected, plan }: Swap): boolean {
  if (found.inode !== expected.inode) return false;
  if (found.size > expected.size) return plan.ifGrown === "carry";
  return found.size === expected.size && found.mtimeMs === expected.mtimeMs;
}

async function swapOpened(
  disk: Disk,
  swap: Swap,
  source: Handle,
  found: FileStat,
  round: number,
): Promise<Swapped> {
  const { path, plan } = swap;
  const folder = dirname(path);
  const temp = tempPathFor(path);
  const old = secondNameFor(path);
  const made = plannedSize(plan);
  const record: JournalRecord = {
    path,
    temps: [basename(temp)],
    old: basename(old),
    plannedTo: plan.plannedTo,
    made,
    round,
    inode: null,
  };
  const journal = openJournal(disk, swap.rewrites, record);
  const abandon = (): void => {
    removeQuietly(disk, temp);
    removeQuietly(disk, old);
    journal.close();
  };
  let prepared: Prepared | "changed" | "held";
  try {
    prepared = prepare(disk, swap, source, found, { temp, old }, (inode) =>
      journal.update({ ...record, inode }),
    );
  } catch (error) {
    abandon();
    throw diskError("rewrite", path, error);
  }
  if (typeof prepared === "string") {
    abandon();
    return { kind: prepared };
  }

  const { target, copied } = prepared;
  try {
    const length = made + (copied - plan.plannedTo);
    const late = await watchOldFile(disk, { source, target, copied, length, wait: swap.wait });
    disk.fsync(target);
    disk.fsyncFolder(folder);
    if (late.misplaced !== undefined) await putInOrder(disk, swap, late.misplaced, round);
    removeQuietly(disk, old);
    disk.fsyncFolder(folder);
    journal.close();
    const file = disk.stat(path) ?? disk.fstat(target);
    return { kind: "done", file, carried: late.copied - plan.plannedTo };
  } finally {
    disk.close(target);
  }
}

interface Prepared {
  /** The new file, in its place, open for appending. */
  readonly target: Handle;
  /** How much of the old file is in it. */
  readonly copied: number;
}

function prepare(
  disk: Disk,
  swap: Swap,
  source: Handle,
  found: FileStat,
  names: { readonly temp: string; readonly old: string },
  noteInode: (inode: number) => void,
): Prepared | "changed" | "held" {
  const { path, plan } = swap;
  const hash = createHash("sha256");
  const content = rewrittenBytes(plan, readFrom(disk, source, 0, plan.plannedTo, hash));
  try {
    writeTempFile(disk, path, content, { mode: found.mode, ownedLike: found, path: names.temp });
  } catch (error) {
    if (error instanceof SourceEnded) return "changed";
    throw error;
  }
  if (hash.digest("hex") !== swap.sha256) return "changed";
  noteInode(disk.stat(names.temp)?.inode ?? 0);
  if (!giveSecondName(disk, path, names.old, found)) return "changed";
  disk.fsyncFolder(dirname(path));
  if (swap.isHeld()) return "held";
  const target = disk.open(names.temp, "append");
  let isDone = false;
  try {
    const copied = catchUp(disk, swap, source, target, names.temp);
    isDone = copied !== undefined;
    return copied === undefined ? "changed" : { target, copied };
  } finally {
    if (!isDone) disk.close(target);
  }
}

/** Returns false if another file now has that name. Without hard links, a crash may lose a late line. */
function giveSecondName(disk: Disk, path: string, old: string, found: FileStat): boolean {
  try {
    disk.link(path, old);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    return true;
  }
  return disk.lstat(old)?.inode === found.inode;
}

/** Copies appended bytes until no more come, then renames immediately. */
function catchUp(
  disk: Disk,
  { path, plan, mtimeOf }: Swap,
  source: Handle,
  target: Handle,
  temp: string,
): number | undefined {
  let copied = plan.plannedTo;
  let isDurable = true;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const now = disk.fstat(source);
    if (now.size < copied || (now.size > copied && plan.ifGrown === "give-up")) return undefined;
    if (now.size > copied) {
      copied = copyOn(disk, source, target, copied, now.size);
      isDurable = false;
    } else if (!isDurable && round < SYNCED_ROUNDS) {
      disk.fsync(target);
      isDurable = true;
    } else {
      disk.utimes(temp, now.atimeMs, mtimeOf(now));
      const there = disk.stat(path);
      if (there === undefined || there.inode !== now.inode) return undefined;
      if (there.size !== copied) continue;
      disk.rename(temp, path);
      return copied;
    }
  }
  return undefined;
}

/** Moves late lines before those that were written to the new file in the meantime. */
async function putInOrder(disk: Disk, swap: Swap, misplaced: Misplaced, round: number): Promise<void> {
  const handle = disk.open(swap.path, "read");
  let repair: Swap;
  try {
    const expected = disk.fstat(handle);
    const behind = Buffer.concat([...readFrom(disk, handle, misplaced.at, expected.size)]);
    const plan = planRepair(misplaced, behind, expected.size);
    repair = { ...swap, expected, plan, sha256: hashUpTo(disk, handle, expected.size), isHeld: () => false };
  } finally {
    disk.close(handle);
  }
  const outcome = round < MAX_REPAIRS ? await swapFile(disk, repair, round + 1) : { kind: "changed" };
  // Lines in the wrong order are better than lost lines.
  if (outcome.kind !== "done") appendAll(disk, swap.path, misplaced.bytes.subarray(misplaced.written));
}

interface Watch {
  /** The old file, which has lost its name, and the new one. */
  readonly source: Handle;
  readonly target: Handle;
  /** How much of the old file is in the new one, and the length of that part. */
  readonly copied: number;
  readonly length: number;
  readonly wait: (ms: number) => Promise<void>;
}

interface LateLines {
  /** How much of the old file is in the new one, or in `misplaced`. */
  readonly copied: number;
  readonly misplaced: Misplaced | undefined;
}

/** Lines that were appended too late to be at their place. */
interface Misplaced {
  readonly bytes: Buffer;
  /** Where in the new file they belong. */
  readonly at: number;
  /** How many of them are in the new file, though possibly after the lines that they should precede. */
  readonly written: number;
}

/**
 * How often to check for late lines: a writer that opened the log before the rename writes to the old file a moment
 * later. The first checks follow at once, because the writer's next line goes to the new file and must come after the
 * late one.
 */
const QUICK_CHECKS = 100;
const SLOW_CHECKS = 25;
const STEP_MS = 2;

/** Carries over bytes that reach the old file within 50 ms. */
async function watchOldFile(disk: Disk, watch: Watch): Promise<LateLines> {
  const { source, target } = watch;
  let { copied, length } = watch;
  let misplaced: Misplaced | undefined;
  for (let check = 0; check < QUICK_CHECKS + SLOW_CHECKS; check++) {
    if (check >= QUICK_CHECKS) await watch.wait(STEP_MS);
    const { size } = disk.fstat(source);
    if (size <= copied) continue;
    const late = Buffer.concat([...readFrom(disk, source, copied, size)]);
    copied += late.length;
    if (misplaced !== undefined) misplaced = { ...misplaced, bytes: Buffer.concat([misplaced.bytes, late]) };
    else if (disk.fstat(target).size !== length) {
      misplaced = { bytes: late, at: length, written: 0 };
    } else {
      writeToEnd(disk, target, late);
      const after = disk.fstat(target).size;
      // Another process wrote to the new file between the check and our write.
      if (after === length + late.length) length = after;
      else misplaced = { bytes: late, at: length, written: late.length };
    }
  }
  return { copied, misplaced };
}

/** How the new file is corrected. `behind`: its content from the place where the late lines belong. */
function planRepair({ bytes, at, written }: Misplaced, behind: Buffer, size: number): RewritePlan {
  const pieces: RewritePiece[] = [
    { kind: "keep", from: 0, to: at },
    { kind: "put", bytes },
  ];
  const wrong = written > 0 ? behind.indexOf(bytes.subarray(0, written)) : -1;
  if (wrong === -1) pieces.push({ kind: "keep", from: at, to: size });
  else {
    pieces.push({ kind: "keep", from: at, to: at + wrong });
    pieces.push({ kind: "keep", from: at + wrong + written, to: size });
  }
  return { plannedTo: size, pieces: pieces.filter(isNotEmpty), ifGrown: "carry" };
}

function isNotEmpty(piece: RewritePiece): boolean {
  return piece.kind !== "keep" || piece.to > piece.from;
}
