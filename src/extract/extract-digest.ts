import type { Session } from "../session/session.ts";
import type { Digest, DigestSummary } from "./digest.ts";
import { closedWork, extractPending } from "./pending.ts";
import { shorten } from "./sentences.ts";
import { estimateTokens } from "./tokens.ts";
import { walkSession } from "./walk-session.ts";

/** Extracts the digest of a session. */
export function extractDigest(session: Session): Digest {
  const { counts } = session;
  const walked = walkSession(session);
  return {
    agent: session.agent,
    id: session.id,
    project: session.project,
    repository: session.repository,
    worktree: session.worktree,
    branch: session.branch,
    title: session.title,
    startedAt: session.startedAt,
    endedAt: session.endedAt,
    model: session.model,
    version: session.version,
    counts,
    usage: session.usage,
    activity: session.activity,
    lineage: session.lineage,
    turns: session.turns.length,
    messages: counts.user + counts.assistant + counts.tool,
    compactions: session.compactions.length,
    summaries: [...extractSummaries(session), ...walked.branchSummaries],
    requests: session.turns.map(({ number, at, request, context, via, uid, copiedFrom }) => ({
      turn: number,
      at,
      text: request,
      context,
      via,
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

/** Titles that were set explicitly; others are texts of the session. */
const GIVEN: ReadonlySet<Session["titleFrom"]> = new Set(["custom", "generated", "summary", "session-name"]);

function extractSummaries(session: Session): readonly DigestSummary[] {
  const found: DigestSummary[] = [];
  if (session.title !== null && GIVEN.has(session.titleFrom))
    found.push({ text: session.title, at: null, kind: "title" });
  for (const { summary, at } of session.compactions)
    if (summary !== null) found.push({ text: summary, at, kind: "compaction" });
  return found;
}

export interface TimelineRow {
  readonly turn: number;
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly text: string;
}

const ROW_CHARS = 160;
const CURRENT_WORK_CHARS = 200;

/** Lists every message in one line. */
export function extractTimeline(session: Session): readonly TimelineRow[] {
  return session.turns.flatMap((turn) => {
    const rows: TimelineRow[] = [{ turn: turn.number, role: "user", text: shorten(turn.request, ROW_CHARS) }];
    for (const step of turn.steps) {
      if (step.kind === "reply")
        rows.push({ turn: turn.number, role: "assistant", text: shorten(step.text, ROW_CHARS) });
      else if (step.kind === "summary")
        rows.push({ turn: turn.number, role: "summary", text: shorten(step.text, ROW_CHARS) });
      else if (step.kind === "tool") {
        const what = step.call.command ?? step.call.files[0]?.path ?? step.call.input;
        const failed = step.call.result?.isError === true ? " (error)" : "";
        rows.push({
          turn: turn.number,
          role: "tool",
          text: shorten(`${step.call.name}: ${what}${failed}`, ROW_CHARS),
        });
      }
    }
    return rows;
  });
}

/** Returns the start of the last text of the conversation, in one line: it describes the current work. */
export function currentWork(session: Session): string | null {
  const text = lastText(session);
  return text === null ? null : shorten(text, CURRENT_WORK_CHARS);
}

/** Returns the last text of the conversation: the last reply, or a request that has none. */
export function lastText(session: Session): string | null {
  for (let index = session.turns.length - 1; index >= 0; index--) {
    const turn = session.turns[index];
    if (turn === undefined || turn.context === "branch") continue;
    const reply = turn.steps.findLast((step) => step.kind === "reply" && step.text.trim() !== "");
    const text = reply?.kind === "reply" ? reply.text : turn.request;
    if (text.trim() !== "") return text;
  }
  return null;
}
