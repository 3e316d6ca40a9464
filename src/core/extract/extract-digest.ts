import type { Context, Session, Step } from "../model/session.ts";
import { extractDecisions } from "./decisions.ts";
import type { Digest, DigestSummary } from "./digest.ts";
import { extractFiles } from "./files.ts";
import { closedWork, extractPending } from "./pending.ts";
import { currentWork } from "./timeline.ts";
import { estimateTokens } from "./tokens.ts";
import { countTools, extractCommands, extractErrors } from "./tools.ts";

export function extractDigest(session: Session): Digest {
  const { agent, id, project, branch, title, startedAt, endedAt, model, version, counts, usage, lineage } =
    session;
  return {
    ...{ agent, id, project, branch, title, startedAt, endedAt, model, version, counts, usage, lineage },
    turns: session.turns.length,
    messages: counts.user + counts.assistant + counts.tool,
    compactions: session.compactions.length,
    summaries: extractSummaries(session),
    requests: session.turns.map(({ number, at, request, context, uid, copiedFrom }) => ({
      turn: number,
      at,
      text: request,
      context,
      uid,
      ...(copiedFrom === undefined ? {} : { copiedFrom }),
    })),
    decisions: extractDecisions(session),
    files: extractFiles(session),
    tools: countTools(allSteps(session)),
    commands: extractCommands(session),
    errors: extractErrors(session),
    contexts: contextsOf(session),
    pending: extractPending(session),
    closed: closedWork(session),
    currentWork: currentWork(session),
    tokens: estimateTokens(session.characters),
    subagents: session.subagents.map((subagent) => ({
      id: subagent.id,
      type: subagent.type,
      description: subagent.description,
      callId: subagent.callId,
      turn: subagent.turn,
      tools: countTools(subagent.steps),
    })),
  };
}

/** Everything that was done in a session, its sub-agents' work included: who asks for a file or a tool means both. */
function* allSteps(session: Session): Generator<Step> {
  yield* session.preamble;
  for (const turn of session.turns) yield* turn.steps;
  for (const subagent of session.subagents) yield* subagent.steps;
}

function contextsOf(session: Session): readonly Context[] {
  const contexts = new Set(session.turns.map(({ context }) => context));
  for (const turn of session.turns) for (const step of turn.steps) contexts.add(step.context);
  if (session.subagents.length > 0) contexts.add("subagent");
  return [...contexts];
}

function extractSummaries(session: Session): readonly DigestSummary[] {
  const found: DigestSummary[] = [];
  if (session.title !== null && session.titleFrom !== "request")
    found.push({ text: session.title, at: null, kind: "title" });
  for (const { summary, at } of session.compactions)
    if (summary !== null) found.push({ text: summary, at, kind: "compaction" });
  for (const step of [...session.preamble, ...session.turns.flatMap((turn) => turn.steps)]) {
    if (step.kind === "summary" && step.of === "branch")
      found.push({ text: step.text, at: step.at, kind: "branch" });
  }
  return found;
}
