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
import { sentences, shorten } from "./sentences.ts";

/** The parts of a digest that come from the steps of a session. */
interface WalkedSession
  extends Pick<Digest, "decisions" | "files" | "tools" | "commands" | "errors" | "contexts"> {
  readonly branchSummaries: readonly DigestSummary[];
  /** One for each sub-agent, in their order. */
  readonly subagentTools: readonly Digest["tools"][];
  /** The last turn with a call of a todo or task tool. */
  readonly lastWorkTurn: number | null;
}

const MAX_ERRORS = 60;
const ERROR_CHARS = 300;

/**
 * Collects everything in one pass, because steps have several shapes and each pass over them is slow until the engine has
 * optimized it. Files, tools and commands include those of sub-agents.
 */
export function walkSession(session: Session): WalkedSession {
  const tools = createToolCounter();
  const files = createFileTouches();
  const decisions = createDecisions();
  const errors: DigestError[] = [];
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
  const byTurn = session.turns.map(({ number, request, at, via, steps }) => {
    // Some agents log a shell line of the user as a call too.
    const isCall = steps.some((step) => step.kind === "tool" && step.call.command === request);
    const commands: DigestCommand[] =
      via === "bash" && !isCall ? [{ turn: number, command: request, exitCode: null }] : [];
    files.mention(request, at);
    decisions.request(number, request);
    for (const step of steps) {
      contexts.add(step.context);
      switch (step.kind) {
        case "tool":
          tools.add(step);
          if (step.call.isWork === true) lastWorkTurn = number;
          files.touch(step);
          decisions.call(number, step.call);
          takeCommand(step, number, commands);
          break;
        case "reply":
          files.mention(step.text, step.at);
          decisions.reply(number, step.text);
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

/** Collects errors of tools and of the service. */
function takeError(step: Step, turn: number, errors: DigestError[]): void {
  if (step.kind === "tool") {
    const { name, result } = step.call;
    if (result?.isError === true) errors.push({ turn, tool: name, text: result.text });
  } else if ((step.kind === "reply" && step.isError) || (step.kind === "note" && step.about === "error"))
    errors.push({ turn, tool: null, text: step.text });
}

/** Puts shell commands in order; those of sub-agents follow the turn that started them. */
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
 * Recognizes sentences that announce a decision. Few patterns, each of them clear: a short list is better than a wrong
 * one.
 */
const DECIDES =
  /\b(?:decided (?:to|on|that|against|not)|decision (?:is|was)\b|(?:let's|let us|we'll|we will|we should|i'll|i will|i'd|going to|gonna) (?:go|stick|stay) with|(?<!\b(?:they|he|she|it|who|claude) )(?:chose|opted|choosing|opting) (?:to|for|not)|(?:agreed|settled) (?:on|to|that)|(?:let's|we'll|we will|we should) (?:not )?(?:use|keep|drop|switch to|avoid) .{1,200} (?:instead|rather than|because|since|so that))\b|^(?:key )?decisions?:/i;

const QUESTION = /[?\uff1f]["')*_]*$/;
/** What an agent only proposes, or asks the user's opinion about. */
const PROPOSES = /\bi'd\b|\b(?:thoughts|wdyt|what do you think|let me know|your call)\b/i;
/** A question further from the end of a reply is not what the user answers. */
const ASKED_CHARS = 1_000;
const QUESTION_CHARS = 150;

/** The last question that a reply ends with; undefined if it asks nothing. */
function askedIn(reply: string): string | undefined {
  return [...sentences(reply.slice(-ASKED_CHARS))].findLast((sentence) => QUESTION.test(sentence));
}

/** Collects plans that were presented to the user, answers to the agent's questions, and sentences with a decision. */
interface Decisions {
  /** Searches a request; a decision that answers the reply before it is shown with the question. */
  request(turn: number, text: string): void;
  /** Searches a reply of the agent. */
  reply(turn: number, text: string): void;
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
  let lastReply = "";
  const decidedIn = (text: string): readonly string[] => {
    // The cheap test first: most texts have no decision.
    if (found.length >= MAX_DECISIONS || !DECIDES.test(text)) return [];
    return [...sentences(text)].filter((sentence) => DECIDES.test(sentence) && !QUESTION.test(sentence));
  };
  return {
    found,
    request(turn, text) {
      const decided = decidedIn(text);
      const question = decided.length === 0 ? undefined : askedIn(lastReply);
      lastReply = "";
      const before = question === undefined ? "" : `${shorten(question, QUESTION_CHARS)} → `;
      // Only the first sentence is the answer.
      for (const [at, sentence] of decided.entries())
        add(turn, shorten(`${at === 0 ? before : ""}${sentence}`, DECISION_CHARS));
    },
    reply(turn, text) {
      lastReply = text;
      for (const sentence of decidedIn(text))
        if (!PROPOSES.test(sentence)) add(turn, shorten(sentence, DECISION_CHARS));
    },
    call(turn, { name, plan, result }) {
      if (plan !== undefined && result?.isError !== true) add(turn, shortenPlan(plan));
      if (name === "AskUserQuestion" && result?.isError === false)
        for (const answer of answersIn(result.text)) add(turn, shorten(answer, DECISION_CHARS));
    },
  };
}

/** Reads `"Which one?"="The first"` as `Which one? → The first`; any other text is one answer. */
function answersIn(text: string): readonly string[] {
  const pairs = [...text.matchAll(/"([^"]+)"\s*=\s*"([^"]*)"/g)];
  return pairs.length === 0 ? [text] : pairs.map(([, question, answer]) => `${question} → ${answer}`);
}

function shortenPlan(plan: string): string {
  const text = plan.trim();
  return text.length <= PLAN_CHARS ? text : `${text.slice(0, PLAN_CHARS).trimEnd()}…`;
}

export type ToolStep = Extract<Step, { readonly kind: "tool" }>;

/** Counts calls by the name of their tool. */
interface ToolCounter {
  add(step: ToolStep): void;
  counts(): Readonly<Record<string, ToolCount>>;
}

function createToolCounter(): ToolCounter {
  const tools = new Map<string, { count: number; errors: number }>();
  return {
    add({ call }) {
      let tool = tools.get(call.name);
      if (tool === undefined) {
        tool = { count: 0, errors: 0 };
        tools.set(call.name, tool);
      }
      tool.count++;
      if (call.result?.isError === true) tool.errors++;
    },
    // A map, because names come from logs and may be those of an object's prototype.
    counts: () => Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
