import type { AgentName, Lineage } from "../session/entry.ts";
import type { Context, SessionUsage } from "../session/session.ts";

/** What matters of a session, without its conversation: enough for lists, for the archive's head and for a recall. */
export interface Digest {
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
  /** What went wrong, the last ones. */
  readonly errors: readonly DigestError[];
  /** Where its turns stand, each once. */
  readonly contexts: readonly Context[];
  /** Open work of the session itself; what a later session closed is not known here. */
  readonly pending: readonly PendingItem[];
  /** Work that the session finished or dropped, to close what earlier sessions left open. */
  readonly closed: readonly ClosedItem[];
  readonly currentWork: string | null;
  readonly counts: { readonly user: number; readonly assistant: number; readonly tool: number };
  readonly tokens: TokenEstimate;
  readonly usage: SessionUsage;
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
  /** Name of the request's entry, equal in copies; null where the log has none. */
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
  /** How often it is named in text without being touched by a tool. */
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
  /** null where it was no tool: an error of the service. */
  readonly tool: string | null;
  readonly text: string;
}

export interface PendingItem {
  readonly text: string;
  /** The turn that said so last; null where a file beside the log says so. */
  readonly turn: number | null;
  readonly source: "todo" | "keyword";
  readonly id?: string;
  readonly status?: "pending" | "in_progress";
}

export interface ClosedItem {
  readonly text: string;
  readonly id?: string;
}

/** Characters divided by four. */
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
