import { NONE, type NodeTable, REQUEST } from "./node-table.ts";
import type { BranchPoint, Session, Step, Turn } from "./session.ts";

/** Finds the branches of a session: runs of turns that follow one another without a fork between them. */
export function findBranches(
  nodes: NodeTable,
  turns: readonly Turn[],
  turnOf: (node: number) => number | null,
): readonly BranchPoint[] {
  const parents = turnParents(nodes, turnOf);
  const children = new Map<number, number[]>();
  for (const turn of turns) {
    const parent = parents.get(turn.number) ?? 0;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [turn.number]);
    else siblings.push(turn.number);
  }
  const branches: BranchPoint[] = [];
  for (const turn of turns) {
    const parent = parents.get(turn.number) ?? 0;
    const startsBranch = parent === 0 || (children.get(parent)?.length ?? 0) > 1;
    if (!startsBranch) continue;
    const run = followRun(turn.number, children);
    const last = turns[(run.at(-1) ?? 0) - 1];
    branches.push({
      fromTurn: turn.number,
      turns: run,
      context: last?.context ?? turn.context,
      parentTurn: parent === 0 ? null : parent,
      summary: branchSummary(turn.steps),
    });
  }
  return branches;
}

/** Finds the turn above each turn, across compactions and missing entries. */
function turnParents(nodes: NodeTable, turnOf: (node: number) => number | null): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  for (const node of nodes.inOrder()) {
    if (nodes.kind(node) !== REQUEST) continue;
    const number = turnOf(node);
    if (number === null || parents.has(number)) continue;
    const parent = nodes.parent(node);
    const above = parent !== NONE && nodes.isPresent(parent) ? parent : nodes.before(node);
    parents.set(number, above === NONE ? 0 : (turnOf(above) ?? 0));
  }
  return parents;
}

function followRun(first: number, children: ReadonlyMap<number, readonly number[]>): readonly number[] {
  // A set, because a log may have a run of a million turns, and links that form a cycle.
  const run = new Set([first]);
  for (
    let next = children.get(first);
    next?.length === 1 && next[0] !== undefined;
    next = children.get(next[0])
  ) {
    if (run.has(next[0])) break;
    run.add(next[0]);
  }
  return [...run];
}

function branchSummary(steps: readonly Step[]): string | null {
  const step = steps.find((one) => one.kind === "summary" && one.of === "branch");
  return step?.kind === "summary" ? step.text : null;
}

/** A branch, and the branches that leave it. */
export interface TreeBranch {
  readonly branch: BranchPoint;
  readonly turns: readonly Turn[];
  /** Branches that leave this one, by the turn at which they leave. */
  readonly forks: ReadonlyMap<number, readonly TreeBranch[]>;
}

/** Makes a tree of a session's turns, from its roots. A session that was never edited is one branch. */
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
    // Computed on access: a log may have a fork at each of 100,000 turns, each within the one before.
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
