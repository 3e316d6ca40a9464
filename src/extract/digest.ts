import type { Activity } from "../session/activity.ts";
import type { Checkout } from "../session/checkout.ts";
import type { AgentName, Lineage, RequestVia } from "../session/entry.ts";
import type { Context, SessionUsage } from "../session/session.ts";

/**
 * The important facts of a session, without its conversation: enough for lists, for the head of the readable copy,
 * for a recall.
 */
export interface Digest extends Checkout {
  readonly agent: AgentName;
  readonly id: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly title: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly model: string | null;
  readonly version: string | null;
  readonly turns: number;
  readonly messages: number;
  readonly compactions: number;
  readonly summaries: readonly DigestSummary[];
  readonly requests: readonly DigestRequest[];
  readonly decisions: readonly DigestDecision[];
  readonly files: readonly DigestFile[];
  readonly tools: Readonly<Record<string, ToolCount>>;
  readonly commands: readonly DigestCommand[];
  /** The last errors. */
  readonly errors: readonly DigestError[];
  /** The contexts that its turns have, each once. */
  readonly contexts: readonly Context[];
  /** Work that the session left open; whether a later session closed it is not known here. */
  readonly pending: readonly PendingItem[];
  /** Work that the session finished or dropped, to close what earlier sessions left open. */
  readonly closed: readonly ClosedItem[];
  readonly currentWork: string | null;
  readonly counts: { readonly user: number; readonly assistant: number; readonly tool: number };
  readonly tokens: TokenEstimate;
  readonly usage: SessionUsage;
  /** The usage of its messages, with half hours since 1970 in place of times. */
  readonly activity: Activity;
  readonly subagents: readonly DigestSubagent[];
  readonly lineage: Lineage | null;
}

export interface DigestSummary {
  readonly text: string;
  readonly at: number | null;
  readonly kind: "compaction" | "title" | "branch";
}

export interface DigestRequest {
  readonly turn: number;
  readonly at: number | null;
  readonly text: string;
  readonly context: Context;
  /** A shell line (`bash`) is a turn, but listed under commands. */
  readonly via: RequestVia;
  /** Name of the request's entry, the same in copies; null if the log has none. */
  readonly uid: string | null;
  readonly copiedFrom?: string;
}

export interface DigestDecision {
  readonly turn: number;
  readonly text: string;
}

export interface DigestFile {
  readonly path: string;
  readonly reads: number;
  readonly writes: number;
  /** How often texts name it; only for files that no tool touched. */
  readonly mentions: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

export interface ToolCount {
  readonly count: number;
  readonly errors: number;
}

export interface DigestCommand {
  readonly turn: number;
  readonly command: string;
  readonly exitCode: number | null;
}

export interface DigestError {
  readonly turn: number;
  /** null if it was not a tool, but an error of the service. */
  readonly tool: string | null;
  readonly text: string;
}

export interface PendingItem {
  readonly text: string;
  /** The last turn that said so; null if a file next to the log says so. */
  readonly turn: number | null;
  readonly source: "todo" | "next" | "question" | "interrupted";
  readonly id?: string;
  readonly status?: "pending" | "in_progress";
}

export interface ClosedItem {
  /** Empty if only the id of the task is known: an earlier session created it. */
  readonly text: string;
  readonly id?: string;
}

/** Estimated tokens: characters divided by four. */
export interface TokenEstimate {
  readonly toolResults: number;
  readonly toolInputs: number;
  readonly assistantText: number;
  readonly userText: number;
  readonly total: number;
}

export interface DigestSubagent {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  readonly callId: string | null;
  readonly turn: number | null;
  readonly tools: Readonly<Record<string, ToolCount>>;
}
