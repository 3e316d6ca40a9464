import { estimateTokens } from "../../extract/tokens.ts";
import type { CompactionPlan } from "../compaction.ts";
import type { CompactorInput } from "../compactors.ts";
import { readPlanned } from "../read-planned.ts";
import { AGGRESSIVE, KEEP, NORMAL } from "./choose-parts.ts";
import { planClaudeCompaction } from "./plan-compaction.ts";

/** Shrinks tool calls that are both old and large. */
export function compactClaude({ library, files, snapshot, wish }: CompactorInput): CompactionPlan {
  const rule = { ...(wish.aggressive ? AGGRESSIVE : NORMAL), keep: wish.keep ?? KEEP };
  const { plan, shrunk } = planClaudeCompaction(snapshot.chunks, snapshot.mark.size, rule);
  // One after the other: two sessions of a long log do not fit into memory.
  const tokens = (now: typeof plan | undefined): CompactionPlan["before"] =>
    estimateTokens(readPlanned(library, files, snapshot, now).characters);
  const before = tokens(undefined);
  return {
    plan,
    shrunk,
    before,
    after: shrunk.length === 0 ? before : tokens(plan),
    nothing: shrunk.length === 0 ? "no tool call is both old and large" : null,
  };
}
