import { shorten } from "../../extract/sentences.ts";
import { callOutcome } from "../../render/call-view.ts";
import { formatNumber, outcomeSigns, subagentWords } from "../../render/words.ts";
import type { Context, Session, Step, Subagent, ToolCall, Turn } from "../../session/session.ts";
import type { ContextItem } from "../../session/session-context.ts";
import type { Output, World } from "../world.ts";
import { localDateTime } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle, outcomeStyle, type Style } from "./style.ts";
import { truncate, wrap } from "./text-width.ts";

/** Lines longer than this are hard to read, however wide the terminal is. */
const MAX_WIDTH = 100;

export interface ConversationPrinter {
  turn(turn: Turn): string;
  subagent(subagent: Subagent): string;
  steps(steps: readonly Step[]): string;
  context(items: readonly ContextItem[]): string;
}

/** Formats turns: the request marked by a bar, replies as prose, tool calls in one line each, thinking folded. */
export function conversationPrinter(
  world: Pick<World, "now" | "offsetMinutesAt" | "stdout">,
): ConversationPrinter {
  const style = createStyle(world.stdout.hasColor);
  const width = readingWidth(world.stdout);
  const steps = (list: readonly Step[]): string => list.map((step) => stepText(step, style, width)).join("");
  const request = (text: string): string =>
    style.bold(wrap(sanitize(text, "lines"), { width, indent: "│ " }));
  const section = (words: readonly string[], prompt: string | null, list: readonly Step[]): string =>
    `${style.dim(`── ${words.join(" · ")} ──`)}\n${prompt === null ? "" : `${request(prompt)}\n\n`}${steps(list)}\n`;
  return {
    steps,
    context: (items) =>
      items
        .map((item) => (item.kind === "request" ? `${request(item.text)}\n\n` : steps([item.step])))
        .join(""),
    turn(turn) {
      const at = turn.at === null ? [] : [localDateTime(turn.at, world)];
      const via = turn.via === "typed" ? [] : [turn.via];
      const head = [`turn ${turn.number}`, ...at, ...via, ...contextWord(turn.context)];
      return section(head, turn.request, turn.steps);
    },
    subagent(subagent) {
      const about = truncate(sanitize(shorten(subagent.description ?? subagent.id, 400)), width - 40);
      const head = [`sub-agent: ${about}`, ...subagentWords(subagent).map((word) => sanitize(word))];
      return section(head, subagent.prompt, subagent.steps);
    },
  };
}

export function readingWidth(output: Output): number {
  return Math.min(output.columns ?? MAX_WIDTH, MAX_WIDTH);
}

function contextWord(context: Context): readonly string[] {
  return context === "current" ? [] : [context];
}

function stepText(step: Step, style: Style, width: number): string {
  switch (step.kind) {
    case "reply": {
      const text = wrap(sanitize(step.text, "lines"), { width });
      return `${step.isError ? style.red(text) : text}\n\n`;
    }
    case "thinking":
      return step.chars === 0
        ? ""
        : `${style.dim(`  ∙ thinking (${formatNumber(step.chars)} characters)`)}\n`;
    case "tool":
      return toolLines(step.call, style, width);
    case "summary":
      return `${style.cyan(`  ≡ summary of ${step.of === "branch" ? "a branch" : "what came before"}`)}\n${style.dim(
        wrap(sanitize(step.text, "lines").trim(), { width, indent: "    " }),
      )}\n\n`;
    case "note":
      return step.about === "meta"
        ? ""
        : `${style.dim(`  ∙ ${truncate(sanitize(shorten(step.text, 400)), width - 4)}`)}\n`;
  }
}

function toolLines(call: ToolCall, style: Style, width: number): string {
  const { state } = callOutcome(call);
  const mark = outcomeStyle(style, state)(outcomeSigns[state]);
  const line = `  ${mark} ${style.cyan(sanitize(call.name))} ${style.dim(
    truncate(sanitize(shorten(toolSubject(call), 400)), Math.max(20, width - call.name.length - 5)),
  )}\n`;
  if (state !== "failed") return line;
  const why = shorten(call.result?.text ?? "", 300);
  return why === "" ? line : `${line}${style.red(`      ${truncate(sanitize(why), width - 6)}`)}\n`;
}

/** The subject of a call: its command, its file, or else its input. */
function toolSubject(call: ToolCall): string {
  return call.command ?? call.files[0]?.path ?? (call.input === "{}" ? "" : call.input);
}

/** Turns, with the steps before the first, and then what sub-agents did in them. */
export function partOfConversation(
  { preamble, turns, subagents }: Pick<Session, "preamble" | "turns" | "subagents">,
  printer: ConversationPrinter,
): string {
  return [
    printer.steps(preamble),
    ...turns.map((turn) => printer.turn(turn)),
    ...subagents.map((subagent) => printer.subagent(subagent)),
  ].join("");
}

/** All turns of a session, with the steps before the first. */
export function wholeConversation(session: Session, printer: ConversationPrinter): string {
  return printer.steps(session.preamble) + session.turns.map((turn) => printer.turn(turn)).join("");
}
