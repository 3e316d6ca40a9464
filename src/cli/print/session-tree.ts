import { shorten } from "../../core/extract/sentences.ts";
import type { Session, Turn } from "../../core/model/session.ts";
import { sessionTree, type TreeBranch } from "../../core/thread/session-tree.ts";
import type { World } from "../world.ts";
import { countOf } from "./amounts.ts";
import { localDateTime } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle, type Style } from "./style.ts";
import { truncate } from "./truncate.ts";

/** The branches of a session, its compactions, labels and sub-agents, drawn as a tree. */
export function formatTree(session: Session, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const lines: string[] = [];
  const draw = ({ turns, forks }: TreeBranch, indent: string, isLast: boolean, isRoot: boolean): void => {
    const stem = isRoot ? "" : isLast ? "└─ " : "├─ ";
    const below = isRoot ? "" : isLast ? "   " : "│  ";
    turns.forEach((turn, index) => {
      lines.push(
        `${indent}${index === 0 ? stem : below}${turnLine(turn, session, world, style, indent.length + 3)}`,
      );
      for (const note of notesOf(session, turn.number))
        lines.push(`${indent}${below}     ${style.dim(sanitize(note))}`);
      const leaving = forks.get(turn.number) ?? [];
      leaving.forEach((fork, at) => {
        draw(fork, `${indent}${below}`, at === leaving.length - 1, false);
      });
    });
  };
  for (const root of sessionTree(session)) draw(root, "", true, true);
  return lines.map((line) => `${line}\n`).join("");
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
  const subagents = session.subagents
    .filter((subagent) => subagent.turn === turn)
    .map(({ id, type, description, steps }) => {
      const calls = steps.filter((step) => step.kind === "tool").length;
      return `◇ sub-agent ${id}${type === null ? "" : ` (${type})`}: ${shorten(description ?? "", 80)} · ${countOf(calls, "tool call")}`;
    });
  return [...compactions, ...subagents];
}
