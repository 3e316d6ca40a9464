import { goneTurns, type LiveSegment, type Remnant } from "./live-segment.ts";

/** A document's number in the merged segment where it has none. */
export const GONE = 0xffffffff;

/** A segment that is merged, and the new numbers of what is there. */
export interface MergedInput extends LiveSegment {
  /** Remnants have a number, too. */
  readonly sessions: Uint32Array;
  /** The same without remnants: of those no card is left. */
  readonly cards: Uint32Array;
  readonly turns: Uint32Array;
}

/** Numbers what is there in all segments through, one segment after the other. */
export function renumber(segments: readonly LiveSegment[]): MergedInput[] {
  let nextSession = 0;
  let nextTurn = 0;
  return segments.map((live) => {
    const { segment, gone, remnants } = live;
    const left = new Set(remnants.map(({ session }) => session));
    const sessions = new Uint32Array(segment.totals.sessions);
    for (let i = 0; i < sessions.length; i++)
      sessions[i] = gone?.[i] === 1 && !left.has(i) ? GONE : nextSession++;
    const cards = sessions.map((number, i) => (left.has(i) ? GONE : number));
    const goneFlags = goneTurns(live);
    const turns = new Uint32Array(segment.totals.turns);
    for (let i = 0; i < turns.length; i++) turns[i] = goneFlags?.[i] === 1 ? GONE : nextTurn++;
    return { ...live, sessions, cards, turns };
  });
}

/** The remnants of all inputs under their new numbers. */
export function remnantsOf(inputs: readonly MergedInput[]): Remnant[] {
  return inputs.flatMap(({ remnants, sessions }) =>
    remnants.map((remnant) => ({ ...remnant, session: sessions[remnant.session] ?? GONE })),
  );
}
