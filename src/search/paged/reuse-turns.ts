import { documentFingerprint, textFingerprint, textLength } from "../document-fingerprint.ts";
import type { IndexDocument, IndexedSession } from "../engine.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import type { SessionSlot } from "./manifest.ts";
import { createPostingsArena, decodeGroup, readGroups } from "./postings.ts";
import type { Segment } from "./segment.ts";

/** Consecutive turns of a session in one segment: the first ones that the segment has of it. */
export interface Piece extends SessionSlot {
  readonly turns: number;
}

/** Returns how many of the pieces, from the first on, are reused. `sizes`: their characters; `rest`: those of the new turns. */
export type ReusePolicy = (sizes: readonly number[], rest: number) => number;

/** Fewer characters are analyzed again in a few milliseconds. */
const WORTH_KEEPING = 8 * 1024;
/** A piece must be this many times as long as what follows it, or it is written again together with it. */
const MUCH_LONGER = 2;
/** Every piece costs each search a little. */
const MOST_PIECES = 8;

/**
 * Keeps pieces that are each more than twice as long as the next, so a session that grows line by line has few of them,
 * and each turn is analyzed only a few times in all.
 */
export const planReuse: ReusePolicy = (sizes, rest) => {
  let kept = sizes.length;
  let next = rest;
  while (kept > 0 && (kept > MOST_PIECES || (sizes[kept - 1] ?? 0) < next * MUCH_LONGER))
    next += sizes[--kept] ?? 0;
  const total = sizes.slice(0, kept).reduce((sum, size) => sum + size, 0);
  return total < WORTH_KEEPING ? 0 : kept;
};

interface Reuse {
  /** The turns that the index already has, in order. */
  readonly kept: readonly Piece[];
  /** The session without those turns. */
  readonly rest: IndexedSession;
}

/** Finds the first turns of a session that the index already has, up to the first that differs. */
export function reuseTurns(
  session: IndexedSession,
  pieces: readonly Piece[],
  open: (file: string) => Segment,
  plan: ReusePolicy,
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
    if (
      turn === undefined ||
      (turn.fingerprint ?? documentFingerprint(turn)) !== segment.turnFingerprints.at(start + equal)
    )
      break;
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

/** The terms of card fields, by index in the field table. */
export type ReusedCardFields = ReadonlyMap<number, readonly CountedTerm[]>;

/** Shorter texts are analyzed again. */
const WORTH_REUSING = 1_000;
/** A dictionary is only walked for the terms of a card if at least one in this many may be the card's. */
const MOST_OTHERS = 8;

/** The fingerprint of a card field; 0 if the text is too short to be worth reusing. */
export function cardFieldFingerprint(text: string | undefined): number {
  return text === undefined || text.length < WORTH_REUSING ? 0 : textFingerprint(text);
}

/**
 * Returns the terms of the card fields that did not change. A card has every request, summary, file and command of its
 * session, and an appended line changes few of them.
 */
export function reuseCardTerms(
  { documents }: IndexedSession,
  session: number,
  segment: Segment,
  fields: FieldTable,
): ReusedCardFields {
  const card = documents.find(({ turn }) => turn === 0);
  const reused = new Map<number, CountedTerm[]>();
  let expected = 0;
  fields.forEach((field, place) => {
    if (field.kind !== "card") return;
    const sum = cardFieldFingerprint(card?.fields[field.name]);
    if (sum === 0 || sum !== segment.cardFingerprints(place).at(session)) return;
    reused.set(place, []);
    expected += segment.fieldLengths(place).at(session);
  });
  if (reused.size === 0 || segment.dictionary.terms > expected * MOST_OTHERS) return new Map();
  const postings = createPostingsArena();
  for (const { term, offset, length } of segment.dictionary.all()) {
    const bytes = segment.postings(offset, length);
    for (const group of readGroups(bytes)) {
      const terms = reused.get(group.field);
      if (terms === undefined) continue;
      postings.length = 0;
      decodeGroup(bytes, group, postings, segment.totals.sessions);
      const at = postings.docs.subarray(0, postings.length).indexOf(session);
      if (at !== -1) terms.push({ term, count: postings.freqs[at] ?? 1 });
    }
  }
  return reused;
}
