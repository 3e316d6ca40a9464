import type { CatalogRow, OpenSession, Session, Step, Subagent, Turn } from "../../index.ts";
import { viewCall } from "../../render/call-view.ts";
import { pendingWords, shellQuote } from "../../render/words.ts";
import { countUsage, tokensOf } from "../../search/stats/count-stats.ts";
import type { costFinder } from "../../search/stats/prices.ts";
import { lastPart } from "../../session/checkout.ts";
import { sessionContext } from "../../session/session-context.ts";
import type {
  ContextAnswer,
  DetailsAnswer,
  SessionAnswer,
  SessionLine,
  StepsAnswer,
  StepsPlace,
  StepView,
  SubagentLine,
  TurnLine,
  TurnView,
} from "./answers.ts";
import type { CachedSession } from "./session-cache.ts";

type CostFinder = ReturnType<typeof costFinder>;

/** Only the start of longer texts is sent. */
const MAX_REQUEST_CHARS = 100_000;
const LINE_CHARS = 300;
/** A turn may have thousands of steps: the page fetches them in runs. */
const STEPS_AT_ONCE = 120;
const MAX_FILES = 300;
/** Nobody reads more than this, and it would take long to show. */
const MAX_CONTEXT_ITEMS = 3_000;

/** A session in a list. */
export function listedSession({
  digest,
  state,
  archive,
  copies,
  bytes,
}: Pick<CatalogRow, "state" | "archive" | "copies" | "bytes"> & {
  readonly digest: Pick<
    CatalogRow["digest"],
    | "agent"
    | "id"
    | "title"
    | "project"
    | "repository"
    | "worktree"
    | "branch"
    | "startedAt"
    | "endedAt"
    | "turns"
    | "compactions"
  > & { readonly machine?: string };
}): SessionLine {
  const { agent, id, title, project, branch, startedAt, endedAt, turns, compactions, machine } = digest;
  const { repository, worktree } = digest;
  return {
    key: `${agent}:${id}`,
    id,
    agent,
    title,
    project,
    worktree: worktree === null ? null : `${lastPart(repository ?? project ?? "")}/${worktree}`,
    branch,
    startedAt,
    endedAt,
    turns,
    bytes,
    compactions,
    state,
    isArchived: archive !== null,
    copies,
    machine: machine ?? null,
  };
}

/** A session with the outline of its conversation. */
export function sessionAnswer({ open, mark, isArchived }: CachedSession, costOf: CostFinder): SessionAnswer {
  const { session, digest } = open;
  const { command, folder } = open.resume;
  return {
    ...listedSession(open),
    machine: open.machine,
    isArchived: isArchived(),
    mark,
    model: digest.model,
    version: digest.version,
    source: open.source,
    archive: open.archive,
    resume: `${folder === null ? "" : `cd ${shellQuote([folder])} && `}${shellQuote(command)}`,
    otherCopies: open.others,
    parent: digest.lineage === null ? null : { kind: digest.lineage.kind, session: digest.lineage.session },
    continuedIn: session.continuedIn,
    tokens: digest.tokens.total,
    contextTokens: digest.usage.contextTokens,
    usage: usageOf(open, costOf),
    outline: session.turns.map(turnLine),
    preamble: session.preamble.filter(isShown).length,
    compactionList: compactionList(session),
    branches: session.branches.map(({ fromTurn, turns, context, parentTurn }) => ({
      fromTurn,
      turns,
      context,
      parentTurn,
    })),
    subagents: session.subagents.map(subagentLine),
    files: digest.files
      .filter(({ reads, writes }) => reads + writes > 0)
      .toSorted((a, b) => b.writes - a.writes || b.reads - a.reads)
      .slice(0, MAX_FILES)
      .map(({ path, reads, writes }) => ({ path, reads, writes })),
    tools: Object.entries(digest.tools)
      .map(([name, { count, errors }]) => ({ name, count, errors }))
      .sort((a, b) => b.count - a.count),
    pending: digest.pending.map((item) => ({ text: item.text, turn: item.turn, from: pendingWords(item) })),
    labels: session.labels,
    problems: session.problems.length,
  };
}

function usageOf({ digest }: OpenSession, costOf: CostFinder): SessionAnswer["usage"] {
  const count = countUsage(digest.activity, costOf);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost } = count;
  if (tokensOf(count) === 0) return null;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost };
}

function compactionList(session: Session): SessionAnswer["compactionList"] {
  const left = new Map<number, number>();
  return session.compactions.map(({ at, trigger, tokensBefore, tokensAfter, afterTurn }) => {
    const summaries =
      left.get(afterTurn) ??
      stepsAt(session, { turn: afterTurn }).filter(
        (step) => step.kind === "summary" && step.of === "compaction",
      ).length;
    left.set(afterTurn, summaries - 1);
    return { at, trigger, tokensBefore, tokensAfter, afterTurn, hasSummary: summaries > 0 };
  });
}

function turnLine({ number, at, context, via, request, steps, copiedFrom }: Turn): TurnLine {
  const calls = steps.filter((step) => step.kind === "tool");
  return {
    turn: number,
    at,
    context,
    via,
    line: request.trim().slice(0, LINE_CHARS),
    steps: steps.filter(isShown).length,
    calls: calls.length,
    failures: calls.filter(
      ({ call: { result } }) => result?.isError === true || (result?.exitCode ?? 0) !== 0,
    ).length,
    copiedFrom: copiedFrom ?? null,
  };
}

function subagentLine({ id, type, description, turn, prompt, steps }: Subagent): SubagentLine {
  return {
    id,
    type,
    description,
    turn,
    prompt: prompt === null ? null : prompt.slice(0, MAX_REQUEST_CHARS),
    calls: steps.filter((step) => step.kind === "tool").length,
  };
}

export function turnView(session: Session, turn: Turn): TurnView {
  return {
    turn: turn.number,
    request: turn.request.slice(0, MAX_REQUEST_CHARS),
    requestChars: turn.request.length,
    images: turn.images ?? 0,
    ...stepsAnswer(session, { turn: turn.number }, 0),
  };
}

/** A run of the steps at a place. */
export function stepsAnswer(session: Session, place: StepsPlace, from: number): StepsAnswer {
  const steps = stepsAt(session, place);
  return {
    from,
    steps: steps.slice(from, from + STEPS_AT_ONCE).map((step) => stepView(session, step)),
    total: steps.length,
  };
}

/** The steps at a place, without those that mean nothing to a person. */
function stepsAt(session: Session, { turn, agent }: StepsPlace): readonly Step[] {
  const steps =
    agent !== undefined
      ? session.subagents.find(({ id }) => id === agent)?.steps
      : turn === 0
        ? session.preamble
        : session.turns.find(({ number }) => number === turn)?.steps;
  return (steps ?? []).filter(isShown);
}

/** Whether it has words or a call. Notes about the agent's own bookkeeping are left out, as everywhere. */
function isShown(step: Step): boolean {
  if (step.kind === "tool") return true;
  return step.text.trim() !== "" && !(step.kind === "note" && step.about === "meta");
}

function stepView(session: Session, step: Step): StepView {
  const { context, at } = step;
  switch (step.kind) {
    case "reply":
      return { kind: "reply", context, at, text: step.text, isError: step.isError };
    case "thinking":
      return { kind: "thinking", context, at, chars: step.chars };
    case "summary":
      return { kind: "summary", context, at, of: step.of, text: step.text };
    case "note":
      return { kind: "note", context, at, about: step.about, text: step.text };
    case "tool": {
      const { name, subject, state, outcome, details } = viewCall(step.call, session.project);
      const { id, agentId } = step.call;
      return {
        kind: "call",
        context,
        at,
        id,
        name,
        subject,
        state,
        outcome,
        hasDetails: details.length > 0 || isCut(step),
        agentId: agentOf(session, id, agentId),
      };
    }
  }
}

/** The sub-agent that a call started, if the session has its steps. */
function agentOf(session: Session, callId: string, agentId: string | undefined): string | null {
  const found = session.subagents.find(({ id, callId: by }) => id === agentId || by === callId);
  return found?.id ?? null;
}

/** Whether the log has more of the result than the session: a longer text, or an image. */
function isCut(step: Step): boolean {
  const result = step.kind === "tool" ? step.call.result : undefined;
  return result !== undefined && result.chars > result.text.length * 1.05 + 64;
}

/** The content of a folded step. */
export function detailsOf(session: Session, place: StepsPlace, index: number): DetailsAnswer | undefined {
  const step = stepsAt(session, place)[index];
  if (step === undefined) return undefined;
  if (step.kind === "tool")
    return { details: viewCall(step.call, session.project).details, text: null, hasMore: isCut(step) };
  return { details: [], text: step.text, hasMore: false };
}

/** What the agent would load now; of a very long context only the end. */
export function contextAnswer(session: Session): ContextAnswer {
  const shown = sessionContext(session).filter((item) => item.kind === "request" || isShown(item.step));
  const left = Math.max(0, shown.length - MAX_CONTEXT_ITEMS);
  const indexes = new Map<Step, number>();
  const places = [session.preamble, ...session.turns.map(({ steps }) => steps)];
  for (const steps of places)
    for (const [index, step] of steps.filter(isShown).entries()) indexes.set(step, index);
  return {
    items: shown.slice(left).map((item) =>
      item.kind === "request"
        ? { kind: "request", turn: item.turn, text: item.text.slice(0, MAX_REQUEST_CHARS) }
        : {
            kind: "step",
            turn: item.turn,
            index: indexes.get(item.step) ?? 0,
            step: stepView(session, item.step),
          },
    ),
    left,
  };
}
