import { Buffer } from "node:buffer";
import { createPackedList } from "./packed-list.ts";

/**
 * How a log is rewritten: which of its bytes stay, and what replaces the others. Bytes after `plannedTo` were not there
 * when the plan was made; they always stay.
 */
export interface RewritePlan {
  /** How far the source was read. */
  readonly plannedTo: number;
  /** In the order of the new file. Kept ranges ascend and do not overlap. Can be iterated many times. */
  readonly pieces: Iterable<RewritePiece>;
  /** What to do if the log has grown since: append the growth, or give up. */
  readonly ifGrown: "carry" | "give-up";
}

export type RewritePiece =
  /** Bytes of the source, as they are. */
  | { readonly kind: "keep"; readonly from: number; readonly to: number }
  /** New bytes. */
  | { readonly kind: "put"; readonly bytes: Uint8Array }
  /** New bytes that are read only when they are written, in parts. */
  | { readonly kind: "fetch"; readonly length: number; readonly read: () => Iterable<Uint8Array> };

/** Replaces the bytes from `from` to `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  /** The new bytes; or how to read them when they are written; or a record from which `ReadRecord` reads them. */
  readonly with:
    | Uint8Array
    | { readonly length: number; readonly read: () => Iterable<Uint8Array> }
    | { readonly length: number; readonly record: string };
}

/** Reads the new bytes that a record names. */
export type ReadRecord = (record: string) => Iterable<Uint8Array>;

/** Edits of one log, in ascending order, without overlap. They are kept packed: a long log may have very many. */
export interface EditList {
  add(edit: Edit): void;
  /** Everything between the edits stays. */
  plan(plannedTo: number, ifGrown?: RewritePlan["ifGrown"]): RewritePlan;
}

/** Start, end, and length of the new bytes as three doubles; a negative length means that the bytes themselves follow. */
const PLACE_BYTES = 24;

export function createEditList(readRecord: ReadRecord = () => []): EditList {
  /** A place, then the new bytes or their record; for edits in `fetched` neither. */
  const packed = createPackedList();
  const fetched = new Map<number, () => Iterable<Uint8Array>>();
  let end = 0;
  return {
    add({ from, to, with: by }) {
      if (from < end || to < from) throw new Error(`Edits overlap at ${from}`);
      end = to;
      if ("read" in by) fetched.set(packed.length, by.read);
      const bytes = by instanceof Uint8Array ? by : "record" in by ? Buffer.from(by.record) : undefined;
      const record = Buffer.allocUnsafe(PLACE_BYTES + (bytes?.length ?? 0));
      record.writeDoubleLE(from, 0);
      record.writeDoubleLE(to, 8);
      record.writeDoubleLE(by instanceof Uint8Array ? -1 : by.length, 16);
      if (bytes !== undefined) record.set(bytes, PLACE_BYTES);
      packed.add(record);
    },
    plan(plannedTo, ifGrown = "carry") {
      if (end > plannedTo) throw new Error(`An edit goes beyond ${plannedTo}`);
      const pieces = { [Symbol.iterator]: () => piecesOf(packed, fetched, readRecord, plannedTo) };
      return { plannedTo, ifGrown, pieces };
    },
  };
}

function* piecesOf(
  packed: Iterable<Buffer>,
  fetched: ReadonlyMap<number, () => Iterable<Uint8Array>>,
  readRecord: ReadRecord,
  plannedTo: number,
): Generator<RewritePiece, void, void> {
  let at = 0;
  let number = 0;
  for (const edit of packed) {
    const from = edit.readDoubleLE(0);
    if (from > at) yield { kind: "keep", from: at, to: from };
    const length = edit.readDoubleLE(16);
    const bytes = edit.subarray(PLACE_BYTES);
    const read = fetched.get(number++) ?? (() => readRecord(bytes.toString("utf8")));
    yield length < 0 ? { kind: "put", bytes } : { kind: "fetch", length, read };
    at = edit.readDoubleLE(8);
  }
  if (at < plannedTo) yield { kind: "keep", from: at, to: plannedTo };
}

/** Makes a plan of edits, which ascend and do not overlap; everything between them stays. */
export function planEdits(
  edits: Iterable<Edit>,
  plannedTo: number,
  ifGrown: RewritePlan["ifGrown"] = "carry",
  readRecord?: ReadRecord,
): RewritePlan {
  const list = createEditList(readRecord);
  for (const edit of edits) list.add(edit);
  return list.plan(plannedTo, ifGrown);
}

/** Makes a plan that keeps everything and appends some bytes. */
export function planAppend(
  bytes: Uint8Array,
  plannedTo: number,
  ifGrown: RewritePlan["ifGrown"],
): RewritePlan {
  return planEdits([{ from: plannedTo, to: plannedTo, with: bytes }], plannedTo, ifGrown);
}

/** The size of the new file, without what is appended to the log after planning. */
export function plannedSize({ pieces }: RewritePlan): number {
  let size = 0;
  for (const piece of pieces) size += sizeOf(piece);
  return size;
}

/** Whether the plan changes nothing. */
export function changesNothing({ pieces }: RewritePlan): boolean {
  for (const piece of pieces) if (piece.kind !== "keep") return false;
  return true;
}

/** Whether the plan keeps every byte of the source, and so only adds to it. */
export function keepsEverything({ pieces, plannedTo }: RewritePlan): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (piece.kind !== "keep") continue;
    if (piece.from !== at) return false;
    at = piece.to;
  }
  return at === plannedTo;
}

function sizeOf(piece: RewritePiece): number {
  switch (piece.kind) {
    case "keep":
      return piece.to - piece.from;
    case "put":
      return piece.bytes.length;
    case "fetch":
      return piece.length;
  }
}

/**
 * Yields the new bytes. The source is read once and completely, from its start to `plannedTo`, so that the caller can
 * check on the way that it still is what was planned.
 */
export function* rewrittenBytes(
  { pieces, plannedTo }: RewritePlan,
  source: Iterable<Uint8Array>,
): Generator<Uint8Array, void, void> {
  const reader = createReader(source);
  try {
    for (const piece of pieces) {
      if (piece.kind === "put") yield piece.bytes;
      else if (piece.kind === "fetch") yield* piece.read();
      else {
        reader.skipTo(piece.from);
        yield* reader.upTo(piece.to);
      }
    }
    reader.skipTo(plannedTo);
  } finally {
    reader.close();
  }
}

/** The source has become shorter since the plan was made. */
export class SourceEnded extends Error {}

interface Reader {
  skipTo(offset: number): void;
  upTo(offset: number): Generator<Uint8Array, void, void>;
  /** Releases the source, which may be an open file. */
  close(): void;
}

function createReader(source: Iterable<Uint8Array>): Reader {
  const chunks = source[Symbol.iterator]();
  let chunk: Uint8Array = new Uint8Array();
  let start = 0;
  let at = 0;
  /** Returns the rest of the current chunk, up to `offset`. */
  const next = (offset: number): Uint8Array => {
    while (at === start + chunk.length) {
      const read = chunks.next();
      if (read.done === true) throw new SourceEnded(`The source ends at ${at}, before ${offset}`);
      start = at;
      chunk = read.value;
    }
    const part = chunk.subarray(at - start, Math.min(chunk.length, offset - start));
    at += part.length;
    return part;
  };
  return {
    skipTo(offset) {
      while (at < offset) next(offset);
    },
    *upTo(offset) {
      while (at < offset) yield next(offset);
    },
    close: () => void chunks.return?.(),
  };
}
