import type { TokenEstimate } from "../extract/digest.ts";
import type { RewritePlan } from "../jsonl/rewrite-plan.ts";

/** What the user asked for. Absent: the agent's own default. */
export interface CompactionWish {
  /** Only past the agent's own threshold. */
  readonly auto: boolean;
  /** Claude Code: lower sizes, and how many calls of each tool stay. */
  readonly aggressive: boolean;
  readonly keep?: number | undefined;
  /** claw-code: how many messages stay, and from how many tokens on. */
  readonly preserve?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Pi, in tokens. */
  readonly keepRecent?: number | undefined;
  readonly reserve?: number | undefined;
  readonly contextWindow?: number | undefined;
}

/** A part of a tool call that was made small. */
export interface ShrunkPart {
  readonly toolUseId: string;
  readonly tool: string;
  readonly part: "input" | "result";
  /** What it had. */
  readonly bytes: number;
}

/** What a compaction would do to a log. Made by one agent's compactor, carried out by the engine. */
export interface CompactionPlan {
  readonly plan: RewritePlan;
  readonly before: TokenEstimate;
  readonly after: TokenEstimate;
  readonly shrunk: readonly ShrunkPart[];
  /** Why there is nothing to do, as a sentence without its full stop; null where there is something. */
  readonly nothing: string | null;
}
