import { shorten } from "../../extract/sentences.ts";
import { sessionTree, type TreeBranch } from "../../session/branches.ts";
import type { Session, Turn } from "../../session/session.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { localDateTime } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle, type Style } from "./style.ts";
import { displayWidth, truncate } from "./text-width.ts";

/** Nested branches are indented up to here, less if the terminal is narrow; deeper ones are not indented further. */
const MAX_INDENT = 60;
/** Room for the text of a turn. */
const MIN_TEXT = 12;
/** Room for the number, the time and the context of a turn. */
const HEAD_COLUMNS = 36;
/** On wider terminals times are below each other. */
const WIDE = 66;

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
  const { columns = 500 } = world.stdout;
  const mostIndent = Math.min(MAX_INDENT, Math.max(0, columns - HEAD_COLUMNS - MIN_TEXT));
  const time = timeColumn(world);
  const roots = sessionTree(session).map((branch) => undrawn(branch, "", "", ""));
  // No recursion: branches may be nested deeper than the stack.
  const left = roots.toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { branch, forks, indent, stem, below, from } = next;
    const turn = branch.turns[from];
    if (turn === undefined) continue;
    const start = `${indent}${from === 0 ? stem : below}`;
    const room = columns - start.length;
    lines.push(`${start}${turnLine(turn, session, time(turn.at), style, room)}\n`);
    for (const note of notesOf(session, turn.number))
      lines.push(`${noteLine(`${indent}${below}     `, note, style, columns)}\n`);
    left.push({ ...next, from: from + 1 });
    const leaving = (forks.get(turn.number) ?? []).map((fork, at, { length }) => {
      const deeper = indent.length < mostIndent ? `${indent}${below}` : indent;
      return at === length - 1 ? undrawn(fork, deeper, "└─ ", "   ") : undrawn(fork, deeper, "├─ ", "│  ");
    });
    for (const fork of leaving.reverse()) left.push(fork);
  }
  // No call started them: they belong to no turn.
  const numbers = new Set(session.turns.map(({ number }) => number));
  const loose = session.subagents.filter(({ turn }) => turn === null || !numbers.has(turn));
  for (const subagent of loose) lines.push(`${noteLine("     ", subagentNote(subagent), style, columns)}\n`);
  return lines.join("");
}

function undrawn(branch: TreeBranch, indent: string, stem: string, below: string): Undrawn {
  return { branch, forks: branch.forks, indent, stem, below, from: 0 };
}

/** Formats times, with the date only if it differs from that of the time before. */
function timeColumn(world: World): (at: number | null) => string {
  const isWide = (world.stdout.columns ?? WIDE) >= WIDE;
  let lastDay = "";
  return (at) => {
    if (at === null) return "";
    const text = localDateTime(at, world);
    const [day = "", time = ""] = text.split(" ");
    const isSame = day === lastDay;
    lastDay = day;
    return isSame ? `  ${isWide ? time.padStart(text.length) : time}` : `  ${text}`;
  };
}

function turnLine(turn: Turn, session: Session, at: string, style: Style, room: number): string {
  const labels = session.labels
    .filter((label) => label.turn === turn.number)
    .map(({ text }) => ` [${sanitize(text)}]`)
    .join("");
  const context = turn.context === "current" ? "" : `  ${turn.context}`;
  const head = `${String(turn.number).padStart(3)}${at}${context}  `;
  const shownLabels = truncate(labels, Math.max(0, room - head.length - MIN_TEXT));
  const text = truncate(
    sanitize(shorten(turn.request, 400)),
    Math.max(MIN_TEXT, room - head.length - displayWidth(shownLabels)),
  );
  return `${style.dim(head)}${turn.context === "current" ? text : style.dim(text)}${style.green(shownLabels)}`;
}

function noteLine(start: string, note: string, style: Style, columns: number): string {
  return `${start}${style.dim(truncate(sanitize(note), Math.max(MIN_TEXT, columns - start.length)))}`;
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
