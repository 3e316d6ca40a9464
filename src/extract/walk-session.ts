import type { Context, Session, Step, ToolCall } from "../session/session.ts";
import type {
  Digest,
  DigestCommand,
  DigestDecision,
  DigestError,
  DigestSummary,
  ToolCount,
} from "./digest.ts";
import { createFileTouches } from "./files.ts";
import { sentences, shorten } from "./pending.ts";

/** What the steps of a session give for its digest. */
interface WalkedSession
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

const MAX_DECISIONS = 60;
const DECISION_CHARS = 300;
const PLAN_CHARS = 2_000;

/**
 * Sentences that decide. Few patterns, each plainly a decision: a list of wrong ones is worse than a
 * short list.
 */
const DECIDES =
  /\b(?:decided (?:to|on|that|against|not)|decision (?:is|was)\b|(?:let's|let us|we'll|we will|we should|i'll|i will|i'd|going to|gonna) (?:go|stick|stay) with|(?:chose|opted|choosing|opting) (?:to|for|not)|(?:agreed|settled) (?:on|to|that)|(?:let's|we'll|we will|we should) (?:not )?(?:use|keep|drop|switch to|avoid) .{1,200} (?:instead|rather than|because|since|so that))\b|^(?:key )?decisions?:/i;

/** Gathers plans that were put before the user, answers to questions that the agent asked, and sentences that decide. */
interface Decisions {
  /** What someone said. */
  words(turn: number, text: string): void;
  call(turn: number, call: ToolCall): void;
  readonly found: readonly DigestDecision[];
}

function createDecisions(): Decisions {
  const found: DigestDecision[] = [];
  const known = new Set<string>();
  const add = (turn: number, text: string): void => {
    const key = text.toLowerCase();
    if (text === "" || known.has(key) || found.length >= MAX_DECISIONS) return;
    known.add(key);
    found.push({ turn, text });
  };
  return {
    found,
    words(turn, text) {
      // The cheap test first: most texts decide nothing, and this runs over all of them.
      if (found.length >= MAX_DECISIONS || !DECIDES.test(text)) return;
      for (const sentence of sentences(text))
        if (DECIDES.test(sentence)) add(turn, shorten(sentence, DECISION_CHARS));
    },
    call(turn, { name, plan, result }) {
      if (plan !== undefined && result?.isError !== true) add(turn, shortenPlan(plan));
      if (name === "AskUserQuestion" && result?.isError === false)
        add(turn, shorten(result.text, DECISION_CHARS));
    },
  };
}

function shortenPlan(plan: string): string {
  const text = plan.trim();
  return text.length <= PLAN_CHARS ? text : `${text.slice(0, PLAN_CHARS).trimEnd()}…`;
}

export type ToolStep = Extract<Step, { readonly kind: "tool" }>;

/** Counts calls by the name of their tool. */
interface ToolCounter {
  /** Gives the count of the tool, to which the call has been added. */
  add(step: ToolStep): CountedTool;
  counts(): Readonly<Record<string, ToolCount>>;
}

interface CountedTool {
  count: number;
  errors: number;
  /** It keeps a list of what is to be done. */
  readonly isWork: boolean;
}

const WORK_TOOL = /^(?:TodoWrite|Task(?:Create|Update)|todo|update_plan)/i;

function createToolCounter(): ToolCounter {
  const tools = new Map<string, CountedTool>();
  return {
    add({ call }) {
      let tool = tools.get(call.name);
      if (tool === undefined) {
        tool = { count: 0, errors: 0, isWork: WORK_TOOL.test(call.name) };
        tools.set(call.name, tool);
      }
      tool.count++;
      if (call.result?.isError === true) tool.errors++;
      return tool;
    },
    // Names come from logs: a prototype must not answer for one.
    counts: () =>
      Object.fromEntries(
        [...tools]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, { count, errors }]) => [name, { count, errors }]),
      ),
  };
}
