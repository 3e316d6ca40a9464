import { Buffer } from "node:buffer";
import { parseIsoTime } from "./iso-time.ts";
import { type Line, splitLines } from "./lines.ts";

const TIME_KEY = Buffer.from('"timestamp":"');
const TIME_LENGTH = "2026-01-02T03:04:05.678Z".length;

/**
 * The lines of a log from a moment on, about so many bytes of them. Lines are not parsed to tell when they were
 * written: nothing comes of a log whose lines do not say it in the way that most agents do.
 */
export function* linesSince(chunks: Iterable<Uint8Array>, since: number, maxBytes: number): Generator<Line> {
  let left = maxBytes;
  for (const line of splitLines(chunks)) {
    if (left === maxBytes && !(timeOf(line.bytes) >= since)) continue;
    yield line;
    left -= line.length + 1;
    if (left <= 0) return;
  }
}

/** NaN where it does not say. */
function timeOf(bytes: Buffer): number {
  const at = bytes.indexOf(TIME_KEY);
  if (at === -1) return Number.NaN;
  const from = at + TIME_KEY.length;
  return parseIsoTime(bytes.toString("latin1", from, from + TIME_LENGTH));
}
