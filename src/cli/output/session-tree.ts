import { shorten } from "../../extract/sentences.ts";
import { sessionTree, type TreeBranch } from "../../session/branches.ts";
import type { Session, Turn } from "../../session/session.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { localDateTime } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle, type Style } from "./style.ts";
import { truncate } from "./text-width.ts";

/** Nested branches are indented up to here; deeper ones are not indented further. */
const MAX_INDENT = 60;

/** The part of a branch that is not drawn yet. */
interface Undrawn {
  readonly branch: TreeBranch;
  readonly forks: TreeBranch["forks"];
  readonly indent: string;
  readonly stem: string;
  readonly below: string;
  readonly from: number;
}

/** The branches of a session, its compactions, labels and sub-agents, drawn as a tree. */
export function formatTree(session: Session, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const lines: string[] = [];
  const roots = sessionTree(session).map((branch) => undrawn(branch, "", "", ""));
  // No recursion: branches may be nested deeper than the stack.
  const left = roots.toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { branch, forks, indent, stem, below, from } = next;
    const turn = branch.turns[from];
    if (turn === undefined) continue;
    const line = turnLine(turn, session, world, style, indent.length + 3);
    lines.push(`${indent}${from === 0 ? stem : below}${line}\n`);
    for (const note of notesOf(session, turn.number))
      lines.push(`${indent}${below}     ${style.dim(sanitize(note))}\n`);
    left.push({ ...next, from: from + 1 });
    const leaving = (forks.get(turn.number) ?? []).map((fork, at, { length }) => {
      const deeper = indent.length < MAX_INDENT ? `${indent}${below}` : indent;
      return at === length - 1 ? undrawn(fork, deeper, "└─ ", "   ") : undrawn(fork, deeper, "├─ ", "│  ");
    });
    for (const fork of leaving.reverse()) left.push(fork);
  }
  // No call started them: they belong to no turn.
  const numbers = new Set(session.turns.map(({ number }) => number));
  const loose = session.subagents.filter(({ turn }) => turn === null || !numbers.has(turn));
  for (const subagent of loose) lines.push(`     ${style.dim(sanitize(subagentNote(subagent)))}\n`);
  return lines.join("");
}

function undrawn(branch: TreeBranch, indent: string, stem: string, below: string): Undrawn {
  return { branch, forks: branch.forks, indent, stem, below, from: 0 };
}

function turnLine(turn: Turn, session: Session, world: World, style: Style, used: number): string {
  const labels = session.labels
    .filter((label) => label.turn === turn.number)
    .map(({ text }) => style.green(` [${sanitize(text)}]`));
  const at = turn.at === null ? "" : `  ${localDateTime(turn.at, world)}`;
  const context = turn.context === "current" ? "" : `  ${turn.context}`;
  const head = `${String(turn.number).padStart(3)}${at}${context}  `;
  const room = (world.stdout.columns ?? 500) - used - head.length;
  const text = truncate(sanitize(shorten(turn.request, 400)), Math.max(20, room));
  return `${style.dim(head)}${turn.context === "current" ? text : style.dim(text)}${labels.join("")}`;
}

function notesOf(session: Session, turn: number): readonly string[] {
  const compactions = session.compactions
    .filter(({ afterTurn }) => afterTurn === turn)
    .map(({ trigger, tokensBefore, tokensAfter }) => {
      const tokens =
        tokensBefore === null
          ? ""
          : `, ${tokensBefore} ${tokensAfter === null ? "tokens" : `→ ${tokensAfter} tokens`}`;
      return `≡ compacted${trigger === null ? "" : ` (${trigger})`}${tokens}`;
    });
  const subagents = session.subagents.filter((subagent) => subagent.turn === turn).map(subagentNote);
  return [...compactions, ...subagents];
}

function subagentNote({ id, type, description, steps }: Session["subagents"][number]): string {
  const calls = steps.filter((step) => step.kind === "tool").length;
  return `◇ sub-agent ${id}${type === null ? "" : ` (${type})`}: ${shorten(description ?? "", 80)} · ${amountOf(calls, "tool call")}`;
}
