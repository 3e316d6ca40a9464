/**
 * How a log becomes a smaller one: which bytes of it stay, and what stands in place of the others.
 * Bytes behind `plannedTo` were not there when the plan was made, and always stay.
 */
export interface RewritePlan {
  /** How far the source was read. */
  readonly plannedTo: number;
  /** In the order of the new file. What is kept rises, and nothing is kept twice. */
  readonly pieces: readonly RewritePiece[];
  /** What to do where the log has grown since: keep the growth behind it all, or give up. */
  readonly ifGrown: "carry" | "give-up";
}

export type RewritePiece =
  /** Bytes of the source, as they are. */
  | { readonly kind: "keep"; readonly from: number; readonly to: number }
  /** New bytes. */
  | { readonly kind: "put"; readonly bytes: Uint8Array }
  /** New bytes that are fetched only when they are written. */
  | { readonly kind: "fetch"; readonly length: number; readonly read: () => Uint8Array };

/** Replaces the bytes from `from` to `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly with: Uint8Array | { readonly length: number; readonly read: () => Uint8Array };
}

/** A plan of edits, which rise and do not overlap; between them everything stays. */
export function planEdits(
  edits: readonly Edit[],
  plannedTo: number,
  ifGrown: RewritePlan["ifGrown"] = "carry",
): RewritePlan {
  const pieces: RewritePiece[] = [];
  let at = 0;
  for (const { from, to, with: by } of edits) {
    if (from < at || to < from || to > plannedTo) throw new Error(`Edits overlap at ${from}`);
    if (from > at) pieces.push({ kind: "keep", from: at, to: from });
    if (by instanceof Uint8Array) pieces.push({ kind: "put", bytes: by });
    else pieces.push({ kind: "fetch", length: by.length, read: by.read });
    at = to;
  }
  if (at < plannedTo) pieces.push({ kind: "keep", from: at, to: plannedTo });
  return { plannedTo, pieces, ifGrown };
}

/** A plan that keeps everything and puts something behind it. */
export function planAppend(
  bytes: Uint8Array,
  plannedTo: number,
  ifGrown: RewritePlan["ifGrown"],
): RewritePlan {
  return planEdits([{ from: plannedTo, to: plannedTo, with: bytes }], plannedTo, ifGrown);
}

/** Length of what the plan makes of the part of the source that was planned. */
export function plannedSize({ pieces }: RewritePlan): number {
  return pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/** Does it leave everything as it is? */
export function changesNothing({ pieces }: RewritePlan): boolean {
  return pieces.every((piece) => piece.kind === "keep");
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
 * The new bytes. The source is read once from its beginning to `plannedTo`, all of it, so that whoever
 * hands it in can prove that it still is what was planned.
 */
export function* rewrittenBytes(
  { pieces, plannedTo }: RewritePlan,
  source: Iterable<Uint8Array>,
): Generator<Uint8Array, void, void> {
  const reader = createReader(source);
  try {
    for (const piece of pieces) {
      if (piece.kind === "put") yield piece.bytes;
      else if (piece.kind === "fetch") yield piece.read();
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

/** Somebody has cut the source short since the plan was made. */
export class SourceEnded extends Error {}

interface Reader {
  skipTo(offset: number): void;
  upTo(offset: number): Generator<Uint8Array, void, void>;
  /** Lets go of the source, which may be an open file. */
  close(): void;
}

function createReader(source: Iterable<Uint8Array>): Reader {
  const chunks = source[Symbol.iterator]();
  let chunk: Uint8Array = new Uint8Array();
  let start = 0;
  let at = 0;
  /** What is left of the present chunk, up to `offset`. */
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
