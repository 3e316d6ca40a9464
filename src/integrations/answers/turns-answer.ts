import type { OpenSession, Session, Step, ToolCall, Turn } from "../../index.ts";
import type { AnswerItem } from "../../render/agent/page-answer.ts";
import { callOutcome, viewCall } from "../../render/call-view.ts";
import { countOf, outcomeSigns, shellQuote, turnWords, utcSpan } from "../../render/words.ts";
import { firstChars, stateWords } from "./session-line.ts";

const ERROR_CHARS = 300;
const NOTE_CHARS = 300;
const OUTPUT_CHARS = 2_000;

export interface TurnsOptions {
  readonly from: number;
  readonly to: number;
  /** Also show the start of tool results, and the ids by which they can be retrieved completely. */
  readonly withOutput: boolean;
}

/** The facts of a session, in a few lines, and how to resume it if its log exists. */
export function sessionFacts({ session, digest, state, resume }: OpenSession): string {
  const { agent, id, project, branch, title, compactions } = session;
  const when = utcSpan(digest.startedAt, digest.endedAt);
  const facts = [
    `agent ${agent}`,
    ...(project === null ? [] : [`project ${project}`]),
    ...(branch === null ? [] : [`branch ${branch}`]),
    ...(when === null ? [] : [when]),
    countOf(session.turns.length, "turn"),
    ...(compactions.length === 0 ? [] : [`compacted ${countOf(compactions.length, "time")}`]),
    ...stateWords(state, false),
  ];
  const folder = resume.folder === null ? "" : `cd ${shellQuote([resume.folder])} && `;
  return [
    `session ${id}: ${firstChars(title ?? "(no title)", 200)}`,
    facts.join(", "),
    ...(state === "live" || state === "idle" ? [`resume: ${folder}${shellQuote(resume.command)}`] : []),
  ].join("\n");
}

/**
 * The turns of a session as text, each made on demand: the request, the replies, a line for each tool call. Steps
 * before the first request are part of the first turn; a session without requests has nothing else.
 */
export function* turnItems(session: Session, { from, to, withOutput }: TurnsOptions): Generator<AnswerItem> {
  const first = session.turns[0]?.number ?? 1;
  for (const turn of session.turns.length === 0 ? [undefined] : session.turns) {
    const number = turn?.number ?? first;
    if (number < from || number > to) continue;
    const before = number === first ? session.preamble : [];
    const helpers = session.subagents.filter((subagent) => (subagent.turn ?? first) === number);
    const parts = [
      ...stepParts(before, session, withOutput),
      ...(turn === undefined ? [] : turnParts(turn, session, withOutput)),
      ...helpers.flatMap(({ description, id, prompt, steps }) => [
        `sub-agent ${description ?? id}: ${prompt ?? ""}`,
        ...stepParts(steps, session, withOutput).map((part) => part.replace(/^/gm, "  ")),
      ]),
    ];
    if (parts.length > 0) yield { at: number, text: `${parts.join("\n")}\n\n` };
  }
}

function turnParts(turn: Turn, session: Session, withOutput: boolean): readonly string[] {
  const head = [`turn ${turn.number}`, ...turnWords(turn)].join(", ");
  return [`── ${head} ──`, `user: ${turn.request.trim()}`, ...stepParts(turn.steps, session, withOutput)];
}

function stepParts(steps: readonly Step[], session: Session, withOutput: boolean): readonly string[] {
  return steps.flatMap((step) => stepLines(step, session, withOutput));
}

function stepLines(step: Step, { project }: Session, withOutput: boolean): readonly string[] {
  switch (step.kind) {
    case "reply":
      return step.text.trim() === "" ? [] : [`${step.isError ? "error" : "agent"}: ${step.text.trim()}`];
    case "thinking":
      return [];
    case "tool":
      return callParts(step.call, project, withOutput);
    case "summary":
      return [
        `summary of ${step.of === "branch" ? "an abandoned branch" : "what came before"}: ${step.text}`,
      ];
    case "note":
      return step.about === "meta" || step.text.trim() === ""
        ? []
        : [`${step.about}: ${firstChars(step.text, NOTE_CHARS)}`];
  }
}

function callParts(call: ToolCall, project: string | null, withOutput: boolean): readonly string[] {
  const { subject } = viewCall(call, project);
  const { state, outcome } = callOutcome(call);
  const result = call.result?.text.trim() ?? "";
  const why = state === "failed" && !withOutput ? `: ${firstChars(result, ERROR_CHARS)}` : "";
  const id = withOutput ? ` [${call.id}]` : "";
  const line = `${outcomeSigns[state]} ${call.name}${subject === "" ? "" : ` ${subject}`}${id}${outcome === "" ? "" : ` · ${outcome}`}${why}`;
  return withOutput && result !== "" ? [line, indent(result.slice(0, OUTPUT_CHARS))] : [line];
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}
