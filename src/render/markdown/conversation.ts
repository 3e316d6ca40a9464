import type { Context, Session, Step, ToolCall, Turn } from "../../session/session.ts";
import { type CallDetail, viewCall } from "../call-view.ts";
import { contextWords, formatNumber, noteWord, outcomeSigns, subagentWords, turnWords } from "../words.ts";
import { type Block, codeBlock, fold, htmlBlock, inline, prose, quoted } from "./blocks.ts";
import { verbatim } from "./sanitize-markdown.ts";
import { turnTitle } from "./sections.ts";

/** Only the start of longer requests is shown here; the section of requests has them completely. */
const REQUEST_CHARS = 1_500;
const SHORT_NOTE_CHARS = 200;

/** Renders turn by turn: the request as a quote, replies as text, each tool call as a line that unfolds, thinking folded. */
export function* conversationOf(session: Session): Generator<Block> {
  const writer = stepWriter(session);
  const before = [...writer(session.preamble, "current")];
  if (before.length + session.turns.length > 0) yield "## Conversation";
  if (before.length > 0) yield "### Before the first request";
  yield* before;
  for (const turn of session.turns) {
    yield `### ${inline(turnTitle(turn))}`;
    const words = turnWords(turn);
    if (words.length > 0) yield `*${inline(words.join(" · "))}*`;
    yield* requestOf(turn);
    yield* writer(turn.steps, turn.context);
  }
}

export function* subagentsOf(session: Session): Generator<Block> {
  if (session.subagents.length === 0) return;
  const writer = stepWriter(session);
  yield "## Sub-agents";
  for (const [index, subagent] of session.subagents.entries()) {
    const about = subagent.description ?? subagent.id;
    yield `### Sub-agent ${index + 1}: ${inline(about)}`;
    yield `*${inline(subagentWords(subagent).join(" · "))}*`;
    if (subagent.prompt !== null) yield* quoted(subagent.prompt);
    yield* writer(subagent.steps, "subagent");
  }
}

function* requestOf({ request, number, via }: Turn): Generator<Block> {
  if (request.length <= REQUEST_CHARS || via === "bash") {
    yield* quoted(request, verbatim);
    return;
  }
  yield* quoted(`${request.slice(0, REQUEST_CHARS)}…`, verbatim);
  yield `*The whole request is under [Requests](#requests), number ${number}.*`;
}

type StepWriter = (steps: readonly Step[], context: Context) => Generator<Block>;

function stepWriter(session: Session): StepWriter {
  const compacted = new Set(session.compactions.map(({ summary }) => summary));
  const agents = new Map(session.subagents.map(({ callId }, index) => [callId, index + 1]));
  const blocksOf = (step: Step): readonly Block[] => {
    switch (step.kind) {
      case "reply":
        return step.isError ? [`**Error:** ${inline(step.text)}`] : prose(step.text);
      case "thinking":
        return fold(`Thinking · ${formatNumber(step.chars)} characters`, quoted(step.text));
      case "tool":
        return callBlocks(step.call, session.project, agents.get(step.call.id));
      case "summary":
        if (step.of === "compaction" && compacted.has(step.text))
          return ["**Compacted here.** See [Compactions](#compactions)."];
        return fold(
          step.of === "branch" ? "Summary of an abandoned branch" : "Summary of what came before",
          prose(step.text),
        );
      case "note":
        return noteBlocks(step);
    }
  };
  return function* write(steps, context) {
    let now = context;
    for (const step of steps) {
      const blocks = blocksOf(step);
      if (blocks.length > 0 && step.context !== now) {
        now = step.context;
        yield `*From here: ${contextWords(now) ?? "in the current context"}*`;
      }
      yield* blocks;
    }
  };
}

function noteBlocks(step: Extract<Step, { kind: "note" }>): readonly Block[] {
  if (step.about === "meta" || step.text.trim() === "") return [];
  const word = noteWord(step.about);
  const isShort = step.text.length <= SHORT_NOTE_CHARS && !step.text.trim().includes("\n");
  if (isShort && step.about !== "custom") return [`*${word}:* ${inline(step.text)}`];
  return fold(`${word} · ${formatNumber(step.text.length)} characters`, [
    codeBlock(step.text, "text").join("\n"),
  ]);
}

function callBlocks(call: ToolCall, project: string | null, agent: number | undefined): readonly Block[] {
  const { name, subject, state, outcome, details } = viewCall(call, project);
  const ends = [...(outcome === "" ? [] : [outcome]), ...(agent === undefined ? [] : [`sub-agent ${agent}`])];
  const about = subject === "" ? "" : ` <code>${htmlBlock(subject)}</code>`;
  const line = `${outcomeSigns[state]} <b>${htmlBlock(name)}</b>${about}${ends.map((end) => ` · ${end}`).join("")}`;
  const blocks = details.flatMap(detailBlocks);
  return blocks.length === 0 ? [`<details><summary>${line}</summary></details>`] : fold(line, blocks);
}

function detailBlocks({ of, part, note }: CallDetail): readonly Block[] {
  const blocks =
    part.kind === "code"
      ? [codeBlock(part.text, part.language).join("\n")]
      : of === "input"
        ? quoted(part.text)
        : prose(part.text);
  return note === null ? blocks : [...blocks, `*${inline(note)}.*`];
}
