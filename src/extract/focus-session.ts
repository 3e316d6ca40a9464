import type { Session, Step } from "../session/session.ts";

/** What the agent would load now, and the summary that stands for all before it. */
export interface Focus {
  /** The session without what was compacted away and what was left. */
  readonly session: Session;
  /** Of the last compaction on the current path. */
  readonly earlier: string | null;
}

export function focusSession(session: Session): Focus {
  let earlier: string | null = null;
  const loaded = (steps: readonly Step[]): readonly Step[] =>
    steps.filter((step) => {
      if (step.context !== "current") return false;
      if (step.kind !== "summary" || step.of !== "compaction") return true;
      earlier = step.text;
      return false;
    });
  const preamble = loaded(session.preamble);
  const turns = session.turns.flatMap((turn) => {
    const steps = loaded(turn.steps);
    return turn.context === "current" || steps.length > 0 ? [{ ...turn, steps }] : [];
  });
  const numbers = new Set(turns.map(({ number }) => number));
  const subagents = session.subagents.filter(({ turn }) => turn === null || numbers.has(turn));
  return { session: { ...session, preamble, turns, subagents }, earlier };
}
