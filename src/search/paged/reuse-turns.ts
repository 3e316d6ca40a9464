import type { IndexDocument, IndexedSession } from "../engine.ts";
import { documentSum, textLength } from "../ranking/document-sum.ts";
import type { SessionPlace } from "./live-segment.ts";
import type { Segment } from "./segment.ts";

/** A stretch of a session's turns in a segment: the first ones that the segment has of it. */
export interface Piece extends SessionPlace {
  readonly turns: number;
}

/** How many of the pieces, from the first on, stay where they are. `sizes`: characters of each; `rest`: of what is new. */
export type ReusePlan = (sizes: readonly number[], rest: number) => number;

/** Fewer characters are analysed again in some milliseconds. */
const WORTH_KEEPING = 8 * 1024;
/** A piece that is not so many times as long as what is new is put again along with it. */
const MUCH_LONGER = 2;
/** Every piece costs a search a little. */
const MOST_PIECES = 8;

/**
 * Pieces become shorter from first to last, each less than half of the one before it, so a session that grows
 * line by line has few of them, and each turn is analysed a few times in all.
 */
export const planReuse: ReusePlan = (sizes, rest) => {
  let kept = sizes.length;
  let next = rest;
  while (kept > 0 && (kept > MOST_PIECES || (sizes[kept - 1] ?? 0) < next * MUCH_LONGER))
    next += sizes[--kept] ?? 0;
  const total = sizes.slice(0, kept).reduce((sum, size) => sum + size, 0);
  return total < WORTH_KEEPING ? 0 : kept;
};

export interface Reuse {
  /** What the index has already, in its order. */
  readonly kept: readonly Piece[];
  /** What is to be put. */
  readonly rest: IndexedSession;
}

/** Compares a session that is put again with what the index has of it. Turns are the same up to the first that is not. */
export function reuseTurns(
  session: IndexedSession,
  pieces: readonly Piece[],
  open: (file: string) => Segment,
  plan: ReusePlan,
): Reuse {
  const cards = session.documents.filter(({ turn }) => turn === 0);
  const turns = session.documents.filter(({ turn }) => turn > 0);
  const same: Piece[] = [];
  const sizes: number[] = [];
  let at = 0;
  for (const piece of pieces) {
    const { turns: equal, size } = compare(turns, at, piece, open(piece.file));
    if (equal > 0) {
      same.push({ ...piece, turns: equal });
      sizes.push(size);
    }
    at += equal;
    if (equal < piece.turns) break;
  }
  const rest = turns.slice(at).reduce((sum, turn) => sum + sizeOf(turn), 0);
  const kept = same.slice(0, plan(sizes, rest));
  const first = kept.reduce((sum, piece) => sum + piece.turns, 0);
  return { kept, rest: first === 0 ? session : { ...session, documents: [...cards, ...turns.slice(first)] } };
}

function compare(
  turns: readonly IndexDocument[],
  from: number,
  piece: Piece,
  segment: Segment,
): { readonly turns: number; readonly size: number } {
  const start = segment.turnStarts()[piece.session] ?? 0;
  let equal = 0;
  let size = 0;
  for (; equal < piece.turns; equal++) {
    const turn = turns[from + equal];
    if (turn === undefined || (turn.sum ?? documentSum(turn)) !== segment.turnSums.at(start + equal)) break;
    size += sizeOf(turn);
  }
  return { turns: equal, size };
}

function sizeOf(document: IndexDocument): number {
  return document.chars ?? textLength(document);
}
