import type { FieldTable } from "../ranking/index-schema.ts";
import type { Segment } from "./segment.ts";
import type { SegmentTotals } from "./segment-writer.ts";

/** Where the card, the row and the last turns of a session stand. */
export interface SessionSlot {
  readonly file: string;
  /** Its number there. */
  readonly session: number;
}

/**
 * The first turns of a session that has grown since: they are as they were, and stay where they are. What
 * else the segment has of it is gone.
 */
export interface PartialSession {
  /** Its number in this segment. */
  readonly session: number;
  /** So many turns are left of it. */
  readonly turns: number;
  /** So many turns of the session stand before them, in remnants of their own. */
  readonly from: number;
  readonly head: SessionSlot;
}

/** A segment and what of it is there. */
export interface LiveSegment {
  readonly segment: Segment;
  /** 1 for a session that is removed, put again into a later segment, or only a remnant; undefined where all are there. */
  readonly gone: Uint8Array | undefined;
  readonly remnants: readonly PartialSession[];
}

/** 1 for a turn that is gone; undefined where all are there. */
export function goneTurns({ segment, gone, remnants }: LiveSegment): Uint8Array | undefined {
  if (gone === undefined) return undefined;
  const starts = segment.turnStarts();
  const flags = new Uint8Array(segment.totals.turns);
  gone.forEach((isGone, session) => {
    if (isGone === 1) flags.fill(1, starts[session], starts[session + 1]);
  });
  for (const { session, turns } of remnants) {
    const from = starts[session] ?? 0;
    flags.fill(0, from, from + turns);
  }
  return flags;
}

/** What the sessions that are there add to the corpus. Statistics are of these alone. */
export function liveTotals(live: LiveSegment, fields: FieldTable): SegmentTotals {
  const { segment, gone, remnants } = live;
  const { copies } = segment.totals;
  let { sessions, turns } = segment.totals;
  const lengths = [...segment.totals.lengths];
  if (gone === undefined) return { sessions, turns, copies, lengths };
  const starts = segment.turnStarts();
  const left = new Map(remnants.map((remnant) => [remnant.session, remnant.turns]));
  gone.forEach((isGone, session) => {
    if (isGone === 0) return;
    const from = (starts[session] ?? 0) + (left.get(session) ?? 0);
    const to = starts[session + 1] ?? 0;
    sessions--;
    turns -= to - from;
    fields.forEach((field, place) => {
      const column = segment.fieldLengths(place).all();
      const [first, last] = field.kind === "card" ? [session, session + 1] : [from, to];
      for (let doc = first; doc < last; doc++) lengths[place] = (lengths[place] ?? 0) - (column[doc] ?? 0);
    });
  });
  return { sessions, turns, copies, lengths };
}

export function addTotals(a: SegmentTotals, b: SegmentTotals): SegmentTotals {
  return {
    sessions: a.sessions + b.sessions,
    turns: a.turns + b.turns,
    copies: a.copies + b.copies,
    lengths: b.lengths.map((length, field) => length + (a.lengths[field] ?? 0)),
  };
}

export const noTotals: SegmentTotals = { sessions: 0, turns: 0, copies: 0, lengths: [] };
