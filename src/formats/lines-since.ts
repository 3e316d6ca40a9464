import { Buffer } from "node:buffer";
import { type Line, splitLines } from "./lines.ts";

const TIME_KEY = Buffer.from('"timestamp":"');
const POINT = ".".charCodeAt(0);
const ZULU = "Z".charCodeAt(0);
const LF = 10;

/**
 * The lines of a log from a moment on, about so many bytes of them. Lines are not parsed to tell when they were
 * written: nothing comes of a log whose lines do not say it in the way that most agents do.
 */
export function* linesSince(chunks: Iterable<Uint8Array>, since: number, maxBytes: number): Generator<Line> {
  const wanted = Buffer.from(new Date(since).toISOString());
  let left = maxBytes;
  for (const line of splitLines(chunks)) {
    if (left === maxBytes && !isSince(line.bytes, wanted)) continue;
    yield line;
    left -= line.length + 1;
    if (left <= 0) return;
  }
}

/**
 * Whether the first whole line in a stretch of a log was written at that moment or later; undefined where there is
 * none, or it does not say.
 */
export function firstIsSince(stretch: Buffer, since: number): boolean | undefined {
  const line = stretch.indexOf(LF) + 1;
  const end = line === 0 ? -1 : stretch.indexOf(LF, line);
  if (end === -1) return undefined;
  return compareTime(stretch.subarray(line, end), Buffer.from(new Date(since).toISOString()));
}

function isSince(bytes: Buffer, wanted: Buffer): boolean {
  return compareTime(bytes, wanted) === true;
}

/** `2026-01-02T03:04:05.678Z`: so written, the order of the bytes is that of the times. */
function compareTime(bytes: Buffer, wanted: Buffer): boolean | undefined {
  const at = bytes.indexOf(TIME_KEY);
  if (at === -1) return undefined;
  const from = at + TIME_KEY.length;
  const to = from + wanted.length;
  if (bytes[to - 1] !== ZULU || bytes[to - 5] !== POINT) return undefined;
  return bytes.compare(wanted, 0, wanted.length, from, to) >= 0;
}
