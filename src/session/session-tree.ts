import type { BranchPoint, Session, Turn } from "./session.ts";

/** A run of turns without a fork between them, and the runs that go out from its turns. */
export interface TreeBranch {
  readonly branch: BranchPoint;
  readonly turns: readonly Turn[];
  /** Branches that leave this one, by the turn from which they do. */
  readonly forks: ReadonlyMap<number, readonly TreeBranch[]>;
}

/** The tree of a session's turns, from its roots: a session that was never edited is one branch. */
export function sessionTree(session: Session): readonly TreeBranch[] {
  const children = new Map<number | null, BranchPoint[]>();
  for (const branch of session.branches) {
    const siblings = children.get(branch.parentTurn);
    if (siblings === undefined) children.set(branch.parentTurn, [branch]);
    else siblings.push(branch);
  }
  const turns = new Map(session.turns.map((turn) => [turn.number, turn]));
  const grow = (branch: BranchPoint): TreeBranch => ({
    branch,
    turns: branch.turns.flatMap((number) => turns.get(number) ?? []),
    // Grown when it is looked at: a log may have a fork at each of 100,000 turns, each within the one before.
    get forks() {
      return new Map(
        branch.turns.flatMap((number) => {
          const forks = children.get(number);
          return forks === undefined ? [] : [[number, forks.map(grow)] as const];
        }),
      );
    },
  });
  return (children.get(null) ?? []).map(grow);
}
