import type { FieldTable } from "../../core/search/index-fields.ts";
import type { Segment } from "./segment.ts";
import type { SegmentTotals } from "./segment-layout.ts";

/** A segment and which of its sessions are gone: removed, or put again into a later segment. */
export interface LiveSegment {
  readonly segment: Segment;
  /** 1 for a session that is gone; undefined where all are there. */
  readonly gone: Uint8Array | undefined;
}

/** What the sessions that are there add to the corpus. Statistics are of these alone. */
export function liveTotals({ segment, gone }: LiveSegment, fields: FieldTable): SegmentTotals {
  if (gone === undefined) {
    const { sessions, turns, copies, lengths } = segment.totals;
    return { sessions, turns, copies, lengths };
  }
  const starts = segment.turnStarts();
  const lengths = [...segment.totals.lengths];
  const { copies } = segment.totals;
  let { sessions, turns } = segment.totals;
  gone.forEach((isGone, session) => {
    if (isGone === 0) return;
    const from = starts[session] ?? 0;
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

const sessionArrays = new WeakMap<Segment, Uint32Array>();

/** The session of each turn of a segment, both as the segment numbers them. */
export function sessionsOfTurns(segment: Segment): Uint32Array {
  const known = sessionArrays.get(segment);
  if (known !== undefined) return known;
  const starts = segment.turnStarts();
  const sessions = new Uint32Array(segment.totals.turns);
  for (let session = 0; session + 1 < starts.length; session++) {
    sessions.fill(session, starts[session], starts[session + 1]);
  }
  sessionArrays.set(segment, sessions);
  return sessions;
}
