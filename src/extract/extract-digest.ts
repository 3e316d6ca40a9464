import type { Session } from "../session/session.ts";
import type { Digest, DigestSummary } from "./digest.ts";
import { closedWork, extractPending } from "./pending.ts";
import { currentWork } from "./timeline.ts";
import { estimateTokens } from "./tokens.ts";
import { walkSession } from "./walk-session.ts";

export function extractDigest(session: Session): Digest {
  const { agent, id, project, branch, title, startedAt, endedAt, model, version, counts, usage, lineage } =
    session;
  const walked = walkSession(session);
  return {
    ...{ agent, id, project, branch, title, startedAt, endedAt, model, version, counts, usage, lineage },
    turns: session.turns.length,
    messages: counts.user + counts.assistant + counts.tool,
    compactions: session.compactions.length,
    summaries: [...extractSummaries(session), ...walked.branchSummaries],
    requests: session.turns.map(({ number, at, request, context, uid, copiedFrom }) => ({
      turn: number,
      at,
      text: request,
      context,
      uid,
      ...(copiedFrom === undefined ? {} : { copiedFrom }),
    })),
    decisions: walked.decisions,
    files: walked.files,
    tools: walked.tools,
    commands: walked.commands,
    errors: walked.errors,
    contexts: walked.contexts,
    pending: extractPending(session, walked.lastWorkTurn),
    closed: closedWork(session),
    currentWork: currentWork(session),
    tokens: estimateTokens(session.characters),
    subagents: session.subagents.map((subagent, index) => ({
      id: subagent.id,
      type: subagent.type,
      description: subagent.description,
      callId: subagent.callId,
      turn: subagent.turn,
      tools: walked.subagentTools[index] ?? {},
    })),
  };
}

function extractSummaries(session: Session): readonly DigestSummary[] {
  const found: DigestSummary[] = [];
  if (session.title !== null && session.titleFrom !== "request")
    found.push({ text: session.title, at: null, kind: "title" });
  for (const { summary, at } of session.compactions)
    if (summary !== null) found.push({ text: summary, at, kind: "compaction" });
  return found;
}
