import { Buffer } from "node:buffer";

const TIME_KEY = Buffer.from('"timestamp":"');
const POINT = ".".charCodeAt(0);
const ZULU = "Z".charCodeAt(0);
const LF = 10;

/*
 * Lines are not parsed to tell when they were written: nothing is found in a log whose lines do not say it in the way that
 * most agents do, `2026-01-02T03:04:05.678Z`. So written, the order of the bytes is that of the times.
 */

/** A moment as lines write it. */
export function momentBytes(since: number): Buffer {
  return Buffer.from(new Date(since).toISOString());
}

/**
 * Where the first line begins that was written at that moment or later; -1 where there is none. `block` begins with a
 * line, and its last one may lack its LF.
 */
export function findSince(block: Buffer, moment: Buffer): number {
  let time = -1;
  for (let start = 0; start < block.length; ) {
    const lf = block.indexOf(LF, start);
    const end = lf === -1 ? block.length : lf;
    if (time < start) {
      time = block.indexOf(TIME_KEY, start);
      if (time === -1) return -1;
    }
    if (time < end && isSince(block, time, end, moment) === true) return start;
    start = end + 1;
  }
  return -1;
}

/**
 * Whether the first whole line in a stretch of a log was written at that moment or later; undefined where there is
 * none, or it does not say.
 */
export function firstIsSince(stretch: Buffer, moment: Buffer): boolean | undefined {
  const line = stretch.indexOf(LF) + 1;
  const end = line === 0 ? -1 : stretch.indexOf(LF, line);
  if (end === -1) return undefined;
  const time = stretch.indexOf(TIME_KEY, line);
  return time === -1 || time >= end ? undefined : isSince(stretch, time, end, moment);
}

/** By the first time of a line, whose key is at `time`. */
function isSince(bytes: Buffer, time: number, end: number, moment: Buffer): boolean | undefined {
  const from = time + TIME_KEY.length;
  const to = from + moment.length;
  if (to > end || bytes[to - 1] !== ZULU || bytes[to - 5] !== POINT) return undefined;
  return bytes.compare(moment, 0, moment.length, from, to) >= 0;
}
