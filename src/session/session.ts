import type { Problem } from "../errors.ts";
import type { Activity } from "./activity.ts";
import type { Checkout } from "./checkout.ts";
import type { AgentName, FileTouch, Lineage, RequestVia, Usage, WorkItem } from "./entry.ts";

/** Names a session: ids of two agents may be equal. */
export interface SessionName {
  readonly agent: AgentName;
  readonly id: string;
}

/** A session's name as one string, for maps and sets. */
export function sessionKey({ agent, id }: SessionName): string {
  return `${agent}:${id}`;
}

/**
 * Names one log, and everything that the store keeps for it. Several logs may have the same id (a copied project, a
 * checkpoint): `copy` is null for the first of them, and a hash of its place for each further one.
 */
export interface LogKey extends SessionName {
  readonly copy: string | null;
}

/** A log's name as one string, for maps and sets. */
export function logKey({ agent, id, copy }: LogKey): string {
  return copy === null ? `${agent}:${id}` : `${agent}:${id}~${copy}`;
}

/**
 * The context of a turn or step: loaded by the agent now, compacted away, on an abandoned branch, or in a sub-agent.
 */
export type Context = "current" | "compacted" | "branch" | "subagent";

/** A tool call joined with its result. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly inputChars: number;
  /** Words that are in the log and not in `input`, if they were collected for an index. */
  readonly moreWords?: string | undefined;
  readonly files: readonly FileTouch[];
  readonly command?: string | undefined;
  /** Set if its tool keeps the agent's own list: todos, tasks, or steps of a plan. */
  readonly isWork?: true | undefined;
  /** The plan that it presented to the user. */
  readonly plan?: string | undefined;
  /** Its question to the user; its result is the answer. */
  readonly questions?: readonly string[] | undefined;
  readonly result?: CallResult | undefined;
  /** The sub-agent that it started: an id in `Session.subagents`. */
  readonly agentId?: string | undefined;
}

export interface CallResult {
  readonly isError: boolean;
  readonly exitCode: number | null;
  readonly text: string;
  readonly chars: number;
  /** Words that are in the log and not in `text`, if they were collected for an index. */
  readonly moreWords?: string | undefined;
  readonly spilledTo?: string | undefined;
}

interface StepPlace {
  readonly at: number | null;
  readonly line: number;
  readonly context: Context;
}

/** One thing that happened in a turn after its request. */
export type Step = StepPlace &
  (
    | { readonly kind: "reply"; readonly text: string; readonly isError: boolean }
    | { readonly kind: "thinking"; readonly text: string; readonly chars: number }
    | { readonly kind: "tool"; readonly call: ToolCall }
    | { readonly kind: "summary"; readonly of: "compaction" | "branch"; readonly text: string }
    | {
        readonly kind: "note";
        readonly about: "command" | "output" | "interrupt" | "meta" | "system" | "custom" | "error";
        readonly text: string;
        readonly moreWords?: string | undefined;
      }
  );

/** One request of the user, and everything up to the next. */
export interface Turn {
  /** From 1, in the order of the log. */
  readonly number: number;
  /** Name of the request's entry; the same in a fork that kept the names. */
  readonly uid: string | null;
  readonly at: number | null;
  readonly line: number;
  readonly context: Context;
  readonly via: RequestVia;
  readonly request: string;
  /** How many images came with the request; absent: none. */
  readonly images?: number;
  /** The session that this turn was copied from, if it was. */
  readonly copiedFrom?: string;
  readonly steps: readonly Step[];
}

export interface Compaction {
  readonly at: number | null;
  readonly line: number;
  readonly trigger: "manual" | "auto" | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly summary: string | null;
  /** Which end of the conversation it kept, if any. */
  readonly keeps: "head" | "tail" | null;
  /** The last turn before it; 0 if it comes before all turns. */
  readonly afterTurn: number;
}

export interface Subagent {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  /** The call in the parent session that started it. */
  readonly callId: string | null;
  /** The turn of that call. */
  readonly turn: number | null;
  /** The prompt that the parent gave it. */
  readonly prompt: string | null;
  readonly steps: readonly Step[];
  readonly source: string | null;
}

export interface Label {
  readonly text: string;
  readonly turn: number | null;
}

/** A branch of the conversation: a run of turns without a fork between them. For `show --tree`. */
export interface BranchPoint {
  /** First turn of the branch. */
  readonly fromTurn: number;
  readonly turns: readonly number[];
  readonly context: Context;
  /** The turn at which it leaves its parent branch; null at a root. */
  readonly parentTurn: number | null;
  readonly summary: string | null;
}

export interface SessionUsage extends Usage {
  /** The size of the context at the last message of the current path. */
  readonly contextTokens: number;
}

/** Characters by category; tokens are estimated from them. */
export interface Characters {
  readonly toolResults: number;
  readonly toolInputs: number;
  readonly assistantText: number;
  readonly userText: number;
}

export interface Session extends Checkout {
  readonly agent: AgentName;
  readonly id: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly title: string | null;
  readonly titleFrom:
    | "custom"
    | "generated"
    | "summary"
    | "session-name"
    | "request"
    | "plan"
    | "pull-request"
    | "teammate"
    | "compaction"
    | "commit"
    | "branch"
    | "command"
    | "subagent"
    | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly model: string | null;
  readonly version: string | null;
  readonly lineage: Lineage | null;
  /** The id under which it continued. */
  readonly continuedIn: string | null;
  /** Steps before the first request (a continuation's summary, hook output). */
  readonly preamble: readonly Step[];
  readonly turns: readonly Turn[];
  readonly compactions: readonly Compaction[];
  readonly subagents: readonly Subagent[];
  readonly branches: readonly BranchPoint[];
  readonly labels: readonly Label[];
  readonly tags: readonly string[];
  readonly links: readonly string[];
  /** The agent's own todo list, in its last state. */
  readonly work: readonly WorkItem[];
  readonly counts: { readonly user: number; readonly assistant: number; readonly tool: number };
  readonly characters: Characters;
  readonly usage: SessionUsage;
  readonly activity: Activity;
  readonly lines: number;
  readonly opaqueLines: number;
  readonly problems: readonly Problem[];
}
