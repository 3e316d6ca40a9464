import type { Digest } from "../../extract/digest.ts";
import { shorten } from "../../extract/sentences.ts";
import { summaryCore } from "../../extract/summary-text.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import type { Session } from "../../session/session.ts";
import {
  contextWords,
  countOf,
  formatNumber,
  namedFiles,
  outcomeOf,
  outcomeSigns,
  pendingWords,
  tokenWords,
  touchedFiles,
  utcMinute,
  utcSpan,
} from "../words.ts";
import { type Block, codeSpan, fold, indented, inline, item, prose, quoted } from "./blocks.ts";
import { verbatim } from "./sanitize-markdown.ts";

/** Facts about a session that are not in the session itself. */
export interface MarkdownMeta {
  /** Hash of the raw bytes in the archive; null if they are not archived. */
  readonly sha256: string | null;
  /** The agent's command that resumes the session, with its folder: what a person would type. */
  readonly resume: string;
  /** Paths of the log's files, the main one first; empty if they are not to be shown. */
  readonly sources: readonly string[];
}

/** Lists the facts of a session: agent, place, time, size. */
export function factsOf(digest: Digest, meta: MarkdownMeta): Block {
  const branch = digest.branch === null ? "" : `, branch ${codeSpan(digest.branch)}`;
  const model = digest.model === null ? "" : `, ${inline(digest.model)}`;
  const much = [
    countOf(digest.turns, "turn"),
    countOf(digest.messages, "message"),
    ...(digest.compactions > 0 ? [countOf(digest.compactions, "compaction")] : []),
    ...(digest.subagents.length > 0 ? [countOf(digest.subagents.length, "sub-agent")] : []),
    `about ${formatNumber(digest.tokens.total)} tokens`,
  ];
  const tools = Object.entries(digest.tools)
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([name, { count, errors }]) => `${inline(name)} ${count}${errors > 0 ? ` (${errors} failed)` : ""}`);
  return [
    `- **Agent:** ${digest.agent}${digest.version === null ? "" : ` ${inline(digest.version)}`}${model}`,
    ...(digest.project === null ? [] : [`- **Where:** ${codeSpan(digest.project)}${branch}`]),
    ...[utcSpan(digest.startedAt, digest.endedAt)].flatMap((span) =>
      span === null ? [] : [`- **When:** ${span}`],
    ),
    `- **How much:** ${much.join(", ")}`,
    ...(tools.length === 0 ? [] : [`- **Tools:** ${tools.join(", ")}`]),
    ...(digest.lineage === null
      ? []
      : [`- **From:** ${digest.lineage.kind} of ${codeSpan(digest.lineage.session)}`]),
    ...(meta.resume === "" ? [] : [`- **Resume:** ${codeSpan(meta.resume)}`]),
  ].join("\n");
}

/** Shows the last reply, and the agent's own summary of everything before its last compaction. */
export function* summaryOf(session: Session, digest: Digest): Generator<Block> {
  const last = session.compactions.findLast(({ summary }) => summary !== null)?.summary ?? null;
  if (last === null && digest.currentWork === null) return;
  yield "## Summary";
  if (digest.currentWork !== null) yield `**Last said:** ${inline(digest.currentWork)}`;
  if (last !== null) yield* prose(summaryCore(last));
}

export function* requestsOf(session: Session): Generator<Block> {
  // Shell lines of the user are among the commands.
  const turns = session.turns.filter(({ via }) => via !== "bash");
  if (turns.length === 0) return;
  yield "## Requests";
  for (const turn of turns) {
    const { number, at, context, request } = turn;
    const words = [utcMinute(at), contextWords(context)].filter((word) => word !== null);
    yield [`**[${number}](#${slugOf(turnTitle(turn))})**`, ...words].join(" · ");
    yield* quoted(request, verbatim);
  }
}

export function* decisionsOf(digest: Digest): Generator<Block> {
  if (digest.decisions.length === 0) return;
  yield "## Decisions";
  // A plan of several lines is below its item, and then items need empty lines between them.
  const items = digest.decisions.map(({ turn, text }) =>
    text.includes("\n")
      ? `- Plan (turn ${turn})\n\n${indented(quoted(text))}`
      : `${item(text)} (turn ${turn})`,
  );
  yield items.join(items.some((item) => item.includes("\n")) ? "\n\n" : "\n");
}

export function* filesOf(digest: Digest): Generator<Block> {
  const touched = touchedFiles(digest);
  const named = namedFiles(digest);
  if (touched.length + named.length === 0) return;
  yield "## Files";
  if (touched.length > 0) {
    const rows = touched.map(
      // A pipe ends a cell, in code too.
      ({ name, reads, writes }) => `| ${writes} | ${reads} | ${codeSpan(name).replaceAll("|", "\\|")} |`,
    );
    yield ["| written | read | file |", "|---:|---:|---|", ...rows].join("\n");
  }
  if (named.length > 0) yield `Also named: ${named.map(codeSpan).join(", ")}`;
}

const COMMAND_CHARS = 400;

export function* commandsOf(digest: Digest): Generator<Block> {
  if (digest.commands.length === 0) return;
  yield "## Commands";
  yield digest.commands
    .map(({ command, exitCode, turn }) => {
      const outcome = outcomeOf(exitCode);
      const mark = `${outcomeSigns[outcome]}${outcome === "failed" ? ` exit ${exitCode}` : ""}`;
      const line = command.length > COMMAND_CHARS ? `${command.slice(0, COMMAND_CHARS)}…` : command;
      return `- ${mark} ${codeSpan(line.trim().replace(/\s*\n\s*/g, " ⏎ "))}${turn > 0 ? ` (turn ${turn})` : ""}`;
    })
    .join("\n");
}

export function* pendingOf(digest: Digest): Generator<Block> {
  if (digest.pending.length === 0) return;
  yield "## Pending";
  yield digest.pending
    .map((open) => {
      const { text, turn } = open;
      const from = pendingWords(open);
      // The box alone says that it is an item of a list.
      const words = [...(from === "todo" ? [] : [from]), ...(turn === null ? [] : [`turn ${turn}`])];
      return `- [ ] ${inline(text)}${words.length === 0 ? "" : ` (${words.join(", ")})`}`;
    })
    .join("\n");
}

export function* compactionsOf(session: Session): Generator<Block> {
  if (session.compactions.length === 0) return;
  yield "## Compactions";
  for (const [index, compaction] of session.compactions.entries()) {
    const { at, trigger, afterTurn, summary } = compaction;
    const words = [
      ...(at === null ? [] : [`${utcMinute(at)} UTC`]),
      ...(trigger === null ? [] : [trigger === "auto" ? "automatic" : "manual"]),
      afterTurn === 0 ? "before the first turn" : `after turn ${afterTurn}`,
      ...tokenWords(compaction),
    ];
    yield `**Compaction ${index + 1}:** ${words.join(", ")}`;
    if (summary !== null) yield* fold("What it said", prose(summary));
  }
}

const EXCERPT_CHARS = 60;

/** Makes the heading of a turn: its number, and the start of its request, which is useful in outlines. */
export function turnTitle({
  number,
  request,
}: {
  readonly number: number;
  readonly request: string;
}): string {
  const line = cleanLine(request.slice(0, 8 * EXCERPT_CHARS));
  // Cut between words if possible; half of a surrogate pair is removed afterwards.
  const excerpt = cleanLine(shorten(line, EXCERPT_CHARS)).replace(/(?<=.{40}) \S*\u2026$/u, "…");
  return excerpt === "" ? `Turn ${number}` : `Turn ${number}: ${excerpt}`;
}

/** Makes the anchor of a heading as most programs do: lower case, no punctuation, dashes for spaces. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
