import type { Context, Session, Step } from "../session/session.ts";
import { createDecisions } from "./decisions.ts";
import type { Digest, DigestCommand, DigestError, DigestSummary } from "./digest.ts";
import { createFileTouches } from "./files.ts";
import { shorten } from "./sentences.ts";
import { createToolCounter, type ToolStep } from "./tools.ts";

/** What the steps of a session give for its digest. */
export interface WalkedSession
  extends Pick<Digest, "decisions" | "files" | "tools" | "commands" | "errors" | "contexts"> {
  readonly branchSummaries: readonly DigestSummary[];
  /** Of each sub-agent, in their order. */
  readonly subagentTools: readonly Digest["tools"][];
  /** The turn whose todo or task calls were the last. */
  readonly lastWorkTurn: number | null;
}

const MAX_ERRORS = 60;
const ERROR_CHARS = 300;

/**
 * Walks over all steps once: steps have five shapes, and each walk over them is slow until it is compiled for all of them.
 * Files, tools and commands are those of sub-agents too: who asks for them means both.
 */
export function walkSession(session: Session): WalkedSession {
  const tools = createToolCounter();
  const files = createFileTouches();
  const decisions = createDecisions();
  const errors: Failed[] = [];
  const contexts = new Set<Context>();
  const branchSummaries: DigestSummary[] = [];
  let lastWorkTurn: number | null = null;

  const takeCommand = ({ call }: ToolStep, turn: number, commands: DigestCommand[]): void => {
    if (call.command !== undefined)
      commands.push({ turn, command: call.command, exitCode: call.result?.exitCode ?? null });
  };
  const takeSummary = (step: Step): void => {
    if (step.kind === "summary" && step.of === "branch")
      branchSummaries.push({ text: step.text, at: step.at, kind: "branch" });
  };

  const before: DigestCommand[] = [];
  for (const step of session.preamble) {
    if (step.kind === "tool") {
      tools.add(step);
      files.touch(step);
      takeCommand(step, 0, before);
    } else takeSummary(step);
  }

  for (const turn of session.turns) contexts.add(turn.context);
  const byTurn = session.turns.map(({ number, request, at, steps }) => {
    const commands: DigestCommand[] = [];
    files.mention(request, at);
    decisions.words(number, request);
    for (const step of steps) {
      contexts.add(step.context);
      switch (step.kind) {
        case "tool":
          if (tools.add(step).isWork) lastWorkTurn = number;
          files.touch(step);
          decisions.call(number, step.call);
          takeCommand(step, number, commands);
          break;
        case "reply":
          files.mention(step.text, step.at);
          decisions.words(number, step.text);
          break;
        default:
          takeSummary(step);
      }
      takeError(step, number, errors);
    }
    return commands;
  });
  if (session.subagents.length > 0) contexts.add("subagent");

  const bySubagent: DigestCommand[][] = [];
  const subagentTools = session.subagents.map(({ steps, turn }) => {
    const own = createToolCounter();
    const commands: DigestCommand[] = [];
    for (const step of steps) {
      if (step.kind === "tool") {
        own.add(step);
        tools.add(step);
        files.touch(step);
        takeCommand(step, turn ?? 0, commands);
      }
      takeError(step, turn ?? 0, errors);
    }
    bySubagent.push(commands);
    return own.counts();
  });

  return {
    decisions: decisions.found,
    files: files.list(),
    tools: tools.counts(),
    commands: inOrder(session, before, byTurn, bySubagent),
    errors: errors.slice(-MAX_ERRORS).map(({ turn, tool, text }) => ({
      turn,
      tool,
      text: shorten(text, ERROR_CHARS),
    })),
    contexts: [...contexts],
    branchSummaries,
    subagentTools,
    lastWorkTurn,
  };
}

type Failed = DigestError;

/** Errors of tools and of the service; of all but the last ones the text is never needed. */
function takeError(step: Step, turn: number, errors: Failed[]): void {
  if (step.kind === "tool") {
    const { name, result } = step.call;
    if (result?.isError === true) errors.push({ turn, tool: name, text: result.text });
  } else if ((step.kind === "reply" && step.isError) || (step.kind === "note" && step.about === "error"))
    errors.push({ turn, tool: null, text: step.text });
}

/** Shell commands in order, those of sub-agents with the turn that started them. */
function inOrder(
  { turns, subagents }: Session,
  before: readonly DigestCommand[],
  byTurn: readonly (readonly DigestCommand[])[],
  bySubagent: readonly (readonly DigestCommand[])[],
): readonly DigestCommand[] {
  const commands = [...before];
  const takeSubagents = (turn: number | null): void =>
    subagents.forEach((subagent, index) => {
      if (subagent.turn === turn) for (const command of bySubagent[index] ?? []) commands.push(command);
    });
  turns.forEach(({ number }, index) => {
    for (const command of byTurn[index] ?? []) commands.push(command);
    if (subagents.length > 0) takeSubagents(number);
  });
  if (subagents.length > 0) takeSubagents(null);
  return commands;
}
