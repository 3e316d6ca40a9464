import { Buffer } from "node:buffer";
import type { KeptFile, KeptSession } from "../archive/archive-store.ts";
import { openArchive } from "../archive/open-archive.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import type { LogKey } from "../session/session.ts";

/** A log as it was in one generation of the archive. Reading it throws `ArchiveDamage`. */
export interface PastLog {
  readonly generation: number;
  readonly path: string;
  /** Each chunk is valid until the next is requested. */
  chunks(): Iterable<Uint8Array>;
  /** A part of it, page by page. Each is valid until the next is requested. */
  parts(from: number, length: number): Iterable<Uint8Array>;
}

/**
 * Lists every archived state of some logs: one log after the other, each from its newest generation back. States that
 * cannot be opened are left out.
 */
export function* pastLogs(
  library: Pick<Library, "disk" | "places">,
  logs: Iterable<LogKey>,
): Generator<PastLog, void, void> {
  for (const log of logs) for (const kept of pastGenerations(library, log)) yield* logsOf(kept);
}

/** The logs of one archived state. */
export function* logsOf(kept: KeptSession): Generator<PastLog, void, void> {
  const { generation } = kept;
  for (const file of [...kept.files, ...kept.others]) {
    if (file.role !== "main" && file.role !== "rotation") continue;
    const { path } = file;
    yield { generation, path, chunks: () => kept.read(file), parts: createReader(kept, file) };
  }
}

/** Lists the archived states of a log with all of its files, from its newest generation back. */
export function* pastGenerations(
  library: Pick<Library, "disk" | "places">,
  log: LogKey,
): Generator<KeptSession, void, void> {
  const archive = openArchive(library);
  for (const generation of (archive.get(log)?.generations ?? []).toReversed()) {
    const kept = archive.get(log, generation);
    if (kept !== undefined) yield kept;
  }
}

const PAGE_BYTES = 1024 * 1024;

/** Reads ranges of an archived file. Blocks are mostly read in order: the page that was read last is kept. */
function createReader(kept: KeptSession, file: KeptFile): PastLog["parts"] {
  let last: { readonly number: number; readonly bytes: Buffer } | undefined;
  const page = (number: number): Buffer => {
    if (last?.number !== number) last = { number, bytes: readFrom(number * PAGE_BYTES, PAGE_BYTES) };
    return last.bytes;
  };
  const readFrom = (from: number, length: number): Buffer => {
    const parts: Buffer[] = [];
    let left = length;
    if (from >= file.size) return Buffer.alloc(0);
    for (const part of kept.read(file, from)) {
      parts.push(Buffer.from(part.subarray(0, left)));
      left -= Math.min(left, part.length);
      if (left === 0) break;
    }
    return Buffer.concat(parts);
  };
  return function* (from, length) {
    for (let at = from; at < from + length; ) {
      const number = Math.floor(at / PAGE_BYTES);
      const start = at - number * PAGE_BYTES;
      const part = page(number).subarray(start, Math.min(PAGE_BYTES, start + from + length - at));
      if (part.length === 0) throw new ArchiveDamage("it is shorter than it should be");
      yield part;
      at += part.length;
    }
  };
}
