import { type Line, splitLines } from "../jsonl/lines.ts";
import type { Agent, LogBase } from "./agent.ts";
import type { BaseLog, ByteSource } from "./byte-source.ts";

/** A line of a log that another log continues. */
export interface BaseLine {
  readonly line: Line;
  /** The session whose log it is in. */
  readonly session: string;
  readonly path: string;
}

/** A log that another log continues: undefined if it is not on this machine. */
interface FoundBase extends LogBase {
  readonly log: BaseLog | undefined;
}

/** A limit for logs that continue each other in a circle. */
const MAX_DEPTH = 32;

/** Finds the log that this one continues, then the one before that, and so on. The last may not be here. */
export function* basesOf(source: ByteSource, format: Agent, path: string): Generator<FoundBase, void, void> {
  let at = { source, path };
  const seen = new Set([path]);
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const base = baseOf(at.source, format, at.path);
    if (base === undefined) return;
    const log = (at.source.baseLog ?? source.baseLog)?.(format.name, base);
    if (log !== undefined && seen.has(log.path)) return;
    yield { ...base, log };
    if (log === undefined) return;
    seen.add(log.path);
    at = log;
  }
}

/** Says that the log which this one continues can't be found. */
export function missingBase({ session }: Pick<LogBase, "session">): string {
  return `its beginning is missing: session ${session} is not here`;
}

/**
 * Reads the beginning of a log that holds only its own lines: the part of the earlier log that it continues, after
 * that log's own beginning. Yields nothing if the log has all its lines.
 */
export function* baseLines(bases: readonly FoundBase[]): Generator<BaseLine> {
  for (const { log, bytes, session } of bases.toReversed()) {
    if (log === undefined) continue;
    for (const line of splitLines(firstBytes(log.source.chunks(log.path), bytes)))
      yield { line, session, path: log.path };
  }
}

/** Finds the log that this one continues; undefined if its start can't be read, which reading its lines will report. */
export function baseOf(source: ByteSource, format: Agent, path: string): LogBase | undefined {
  if (format.base === undefined) return undefined;
  try {
    return format.base(path, source.head(path));
  } catch {
    return undefined;
  }
}

function* firstBytes(chunks: Iterable<Uint8Array>, bytes: number): Generator<Uint8Array> {
  let left = bytes;
  for (const chunk of chunks) {
    yield chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= chunk.length;
    if (left <= 0) return;
  }
}
