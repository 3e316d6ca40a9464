import type { IndexedSession } from "../engine.ts";
import { textSum } from "../ranking/document-sum.ts";
import type { FieldTable } from "../ranking/index-fields.ts";
import { createPostingsRoom, decodeGroup, readGroups } from "./postings.ts";
import type { Segment } from "./segment.ts";

export interface CountedTerm {
  readonly term: string;
  readonly count: number;
}

/** Terms of fields by their place in the table. */
export type CarriedFields = ReadonlyMap<number, readonly CountedTerm[]>;

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
export function carryCard(
  { documents }: IndexedSession,
  session: number,
  segment: Segment,
  fields: FieldTable,
): CarriedFields {
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
  const room = createPostingsRoom();
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
