import type { Digest, PendingItem } from "../../extract/digest.ts";
import type { TimelineRow } from "../../extract/extract-digest.ts";
import type { AgentName, RequestVia } from "../../session/entry.ts";
import type { Context, Session } from "../../session/session.ts";

/** The version of all printed JSON. Fields are only ever added. */
export const SCHEMA_VERSION = 1 as const;

/** Formats a time for programs: ISO 8601 in UTC. */
export function isoTime(ms: number | null): string | null {
  if (ms === null) return null;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** A session in lists. */
export interface SessionJson {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly title: string | null;
  readonly project: string | null;
  readonly repository: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  /** The machine that it was pulled from; null: this one. */
  readonly machine: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly turns: number;
  readonly messages: number;
  readonly bytes: number;
  readonly compactions: number;
  readonly state: "live" | "idle" | "kept" | "stub";
  readonly source: string | null;
  /** How many logs have this id. */
  readonly copies: number;
  readonly archive: string | null;
}

/** The part of a session that lists know. */
export interface SessionWhereabouts {
  readonly digest: Pick<
    Digest,
    | "id"
    | "agent"
    | "title"
    | "project"
    | "repository"
    | "worktree"
    | "branch"
    | "startedAt"
    | "endedAt"
    | "turns"
    | "messages"
    | "compactions"
  > & { readonly machine?: string | undefined };
  /** The machine that it was pulled from, if its digest does not say so. */
  readonly machine?: string | null;
  readonly state: SessionJson["state"];
  readonly source: string | null;
  readonly copies: number;
  readonly archive: string | null;
  readonly bytes: number;
}

export function sessionJson(where: SessionWhereabouts): SessionJson {
  const { digest, state, source, copies, archive, bytes } = where;
  return {
    sessionId: digest.id,
    agent: digest.agent,
    title: digest.title,
    project: digest.project,
    repository: digest.repository,
    worktree: digest.worktree,
    branch: digest.branch,
    machine: where.machine ?? digest.machine ?? null,
    startedAt: isoTime(digest.startedAt),
    endedAt: isoTime(digest.endedAt),
    turns: digest.turns,
    messages: digest.messages,
    bytes,
    compactions: digest.compactions,
    state,
    source,
    copies,
    archive,
  };
}

/** A session by itself, with its digest. */
export interface SessionDetailJson extends SessionJson {
  readonly model: string | null;
  readonly version: string | null;
  readonly summaries: readonly { readonly text: string; readonly at: string | null; readonly kind: string }[];
  readonly requests: readonly {
    readonly turn: number;
    readonly at: string | null;
    readonly text: string;
    readonly context: Context;
    readonly via: RequestVia;
  }[];
  readonly decisions: Digest["decisions"];
  readonly files: readonly {
    readonly path: string;
    readonly reads: number;
    readonly writes: number;
    readonly mentions: number;
  }[];
  readonly tools: Digest["tools"];
  readonly commands: Digest["commands"];
  readonly errors: Digest["errors"];
  readonly pending: readonly {
    readonly text: string;
    readonly turn: number | null;
    readonly source: PendingItem["source"];
  }[];
  readonly currentWork: string | null;
  readonly counts: Digest["counts"];
  readonly tokens: Digest["tokens"];
  readonly usage: Digest["usage"];
  readonly timeline: readonly TimelineRow[];
  readonly parent: { readonly kind: string; readonly session: string } | null;
  readonly continuedIn: string | null;
  readonly subagents: Digest["subagents"];
  readonly compactionList: readonly {
    readonly at: string | null;
    readonly trigger: "manual" | "auto" | null;
    readonly tokensBefore: number | null;
    readonly tokensAfter: number | null;
    readonly afterTurn: number;
    readonly summary: string | null;
  }[];
  readonly labels: Session["labels"];
  readonly tags: readonly string[];
  readonly links: readonly string[];
  readonly lines: number;
  readonly opaqueLines: number;
  readonly problems: Session["problems"];
  readonly resume: string;
}

export function sessionDetailJson(
  where: SessionWhereabouts & { readonly digest: Digest },
  session: Session,
  timeline: readonly TimelineRow[],
  resume: string,
): SessionDetailJson {
  const { digest } = where;
  return {
    ...sessionJson(where),
    model: digest.model,
    version: digest.version,
    summaries: digest.summaries.map(({ text, at, kind }) => ({ text, at: isoTime(at), kind })),
    requests: digest.requests.map(({ turn, at, text, context, via }) => ({
      turn,
      at: isoTime(at),
      text,
      context,
      via,
    })),
    decisions: digest.decisions,
    files: digest.files.map(({ path, reads, writes, mentions }) => ({ path, reads, writes, mentions })),
    tools: digest.tools,
    commands: digest.commands,
    errors: digest.errors,
    pending: digest.pending.map(({ text, turn, source }) => ({ text, turn, source })),
    currentWork: digest.currentWork,
    counts: digest.counts,
    tokens: digest.tokens,
    usage: digest.usage,
    timeline,
    parent: digest.lineage === null ? null : { kind: digest.lineage.kind, session: digest.lineage.session },
    continuedIn: session.continuedIn,
    subagents: digest.subagents,
    compactionList: session.compactions.map(
      ({ at, trigger, tokensBefore, tokensAfter, afterTurn, summary }) => ({
        at: isoTime(at),
        trigger,
        tokensBefore,
        tokensAfter,
        afterTurn,
        summary,
      }),
    ),
    labels: session.labels,
    tags: session.tags,
    links: session.links,
    lines: session.lines,
    opaqueLines: session.opaqueLines,
    problems: session.problems,
    resume,
  };
}
