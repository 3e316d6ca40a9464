import { type LiveSegment, sessionsOfTurns } from "./live-segment.ts";

/** A document's number in the merged segment where it has none. */
export const GONE = 0xffffffff;

/** A segment that is merged, and the new numbers of its documents. */
export interface MergedInput extends LiveSegment {
  readonly sessions: Uint32Array;
  readonly turns: Uint32Array;
}

/** Numbers what is there in all segments through, one segment after the other. */
export function renumber(segments: readonly LiveSegment[]): MergedInput[] {
  let nextSession = 0;
  let nextTurn = 0;
  return segments.map((live) => {
    const { segment, gone } = live;
    const sessionOf = sessionsOfTurns(segment);
    const sessions = new Uint32Array(segment.totals.sessions);
    for (let i = 0; i < sessions.length; i++) sessions[i] = gone?.[i] === 1 ? GONE : nextSession++;
    const turns = new Uint32Array(segment.totals.turns);
    for (let i = 0; i < turns.length; i++) turns[i] = gone?.[sessionOf[i] ?? 0] === 1 ? GONE : nextTurn++;
    return { ...live, sessions, turns };
  });
}
