import type { IndexDocument, IndexedSession } from "../engine.ts";
import { documentSum, textLength, textSum } from "../ranking/document-sum.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import type { SessionSlot } from "./live-segment.ts";
import { createPostingsArena, decodeGroup, readGroups } from "./postings.ts";
import type { Segment } from "./segment.ts";

/** A stretch of a session's turns in a segment: the first ones that the segment has of it. */
export interface Piece extends SessionSlot {
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

interface Reuse {
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

export interface CountedTerm {
  readonly term: string;
  readonly count: number;
}

/** Terms of fields by their place in the table. */
export type ReusedCardFields = ReadonlyMap<number, readonly CountedTerm[]>;

/** Shorter texts are analysed in no time. */
const WORTH_CARRYING = 1_000;
/** A dictionary is walked for the terms of a card only where so many of them, one in eight, may be the card's. */
const MOST_OTHERS = 8;

/** What tells whether a field of a card is the same; 0 where it is not worth telling. */
export function fieldSum(text: string | undefined): number {
  return text === undefined || text.length < WORTH_CARRYING ? 0 : textSum(text);
}

/**
 * The terms of those fields of a card that did not change. A card has every request, summary, file and command
 * of its session, and a line that was appended changes few of them.
 */
export function reuseCardTerms(
  { documents }: IndexedSession,
  session: number,
  segment: Segment,
  fields: FieldTable,
): ReusedCardFields {
  const card = documents.find(({ turn }) => turn === 0);
  const carried = new Map<number, CountedTerm[]>();
  let expected = 0;
  fields.forEach((field, place) => {
    if (field.kind !== "card") return;
    const sum = fieldSum(card?.fields[field.name]);
    if (sum === 0 || sum !== segment.cardSums(place).at(session)) return;
    carried.set(place, []);
    expected += segment.fieldLengths(place).at(session);
  });
  if (carried.size === 0 || segment.dictionary.terms > expected * MOST_OTHERS) return new Map();
  const room = createPostingsArena();
  for (const { term, offset, length } of segment.dictionary.all()) {
    const bytes = segment.postings(offset, length);
    for (const group of readGroups(bytes)) {
      const terms = carried.get(group.field);
      if (terms === undefined) continue;
      room.length = 0;
      decodeGroup(bytes, group, room, segment.totals.sessions);
      const at = room.docs.subarray(0, room.length).indexOf(session);
      if (at !== -1) terms.push({ term, count: room.freqs[at] ?? 1 });
    }
  }
  return carried;
}
