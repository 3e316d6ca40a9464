import { estimateTokens } from "../../core/extract/tokens.ts";
import type { CompactionPlan } from "../../core/shrink/compaction.ts";
import { AGGRESSIVE, KEEP, NORMAL } from "../../formats/claude/shrink/choose-parts.ts";
import { planClaudeCompaction } from "../../formats/claude/shrink/plan-compaction.ts";
import type { CompactorInput } from "./compactors.ts";
import { readPlanned } from "./read-planned.ts";

/** Shrinks tool calls that are both old and large. */
export function compactClaude({ library, files, snapshot, wish }: CompactorInput): CompactionPlan {
  const rule = { ...(wish.aggressive ? AGGRESSIVE : NORMAL), keep: wish.keep ?? KEEP };
  const { plan, shrunk } = planClaudeCompaction(snapshot.chunks, snapshot.mark.size, rule);
  const before = readPlanned(library, files, snapshot, undefined);
  const after = shrunk.length === 0 ? before : readPlanned(library, files, snapshot, plan);
  return {
    plan,
    shrunk,
    before: estimateTokens(before.characters),
    after: estimateTokens(after.characters),
    nothing: shrunk.length === 0 ? "no tool call is both old and large" : null,
  };
}
