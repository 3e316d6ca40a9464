import { Buffer } from "node:buffer";
import type { Disk, Handle } from "../fs/disk.ts";
import type { RewritePiece, RewritePlan } from "../jsonl/rewrite-plan.ts";
import { readFrom, writeAll } from "./read-handle.ts";

export interface Watch {
  /** The old file, which has no name of its own any more, and the new one. */
  readonly source: Handle;
  readonly target: Handle;
  /** How much of the old file is in the new one, and how long that is. */
  readonly copied: number;
  readonly length: number;
  readonly wait: (ms: number) => Promise<void>;
}

export interface LateLines {
  /** How much of the old file is in the new one, or in `misplaced`. */
  readonly copied: number;
  readonly misplaced: Misplaced | undefined;
}

/** Lines that came too late to stand where they belong. */
export interface Misplaced {
  readonly bytes: Buffer;
  /** Where in the new file they belong. */
  readonly at: number;
  /** So many of them are in the new file, but maybe behind what they belong before. */
  readonly written: number;
}

/**
 * A writer that has opened the log before the rename writes to the old file a moment later. The first
 * looks follow each other at once: the next line of the same writer goes to the new file, and this
 * one belongs before it.
 */
const QUICK_LOOKS = 100;
const SLOW_LOOKS = 25;
const STEP_MS = 2;

/** Brings over what reaches the old file within 50 ms. */
export async function watchOldFile(disk: Disk, watch: Watch): Promise<LateLines> {
  const { source, target } = watch;
  let { copied, length } = watch;
  let misplaced: Misplaced | undefined;
  for (let look = 0; look < QUICK_LOOKS + SLOW_LOOKS; look++) {
    if (look >= QUICK_LOOKS) await watch.wait(STEP_MS);
    const { size } = disk.fstat(source);
    if (size <= copied) continue;
    const late = Buffer.concat([...readFrom(disk, source, copied, size)]);
    copied += late.length;
    if (misplaced !== undefined) misplaced = { ...misplaced, bytes: Buffer.concat([misplaced.bytes, late]) };
    else if (disk.fstat(target).size !== length) {
      misplaced = { bytes: late, at: length, written: 0 };
    } else {
      writeAll(disk, target, late);
      const after = disk.fstat(target).size;
      // Somebody wrote to the new file between the look and the write, before or behind it.
      if (after === length + late.length) length = after;
      else misplaced = { bytes: late, at: length, written: late.length };
    }
  }
  return { copied, misplaced };
}

/** How the new file is put right. `behind`: what it has from where the late lines belong. */
export function planRepair({ bytes, at, written }: Misplaced, behind: Buffer, size: number): RewritePlan {
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
