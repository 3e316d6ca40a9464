import { join } from "node:path";
import { type Line, splitLines } from "../jsonl/lines.ts";
import type { Agent, LogBase } from "./agent.ts";
import type { ByteSource } from "./byte-source.ts";

/** A line of a log that another one continues. */
export interface BaseLine {
  readonly line: Line;
  /** The session whose log it is in. */
  readonly session: string;
  readonly path: string;
}

/** Logs that go on from each other in a circle must end somewhere. */
const MAX_DEPTH = 32;

/**
 * Reads what comes before a log that holds only its own lines: the beginning of the log that it goes on from, after what
 * comes before that one. Nothing if the log has all its lines, or the other one is gone.
 */
export function* baseLines(source: ByteSource, format: Agent, path: string, depth = 0): Generator<BaseLine> {
  const base = depth < MAX_DEPTH ? baseOf(source, format, path) : undefined;
  if (base === undefined) return;
  const found = findBase(source, base.folders, base.isNamed);
  if (found === undefined || found === path) return;
  yield* baseLines(source, format, found, depth + 1);
  for (const line of splitLines(firstBytes(source.chunks(found), base.bytes)))
    yield { line, session: base.session, path: found };
}

/** Finds the log that this one continues; none if its start can't be read, which reading its lines will report. */
export function baseOf(source: ByteSource, format: Agent, path: string): LogBase | undefined {
  if (format.base === undefined) return undefined;
  try {
    return format.base(path, source.head(path));
  } catch {
    return undefined;
  }
}

function findBase(
  { names }: ByteSource,
  folders: readonly string[],
  isNamed: (name: string) => boolean,
): string | undefined {
  for (const folder of folders) {
    const name = names?.(folder).find(isNamed);
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}

function* firstBytes(chunks: Iterable<Uint8Array>, bytes: number): Generator<Uint8Array> {
  let left = bytes;
  for (const chunk of chunks) {
    yield chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= chunk.length;
    if (left <= 0) return;
  }
}
