import { createHash } from "node:crypto";
import { type Edit, planEdits, type RewritePlan, rewrittenBytes } from "../../core/shrink/rewrite-plan.ts";
import { rawLines } from "../../formats/raw-lines.ts";
import type { Sidecar } from "../../store/flat/open-sidecar.ts";
import { createLineMatcher } from "./flat-lines.ts";
import type { LogSnapshot } from "./log-snapshot.ts";

export interface UnflattenPlan {
  readonly plan: RewritePlan;
  /** Blocks that are put back; copies are not counted. */
  readonly blocks: number;
  /** Everything that the log had when it was flattened will be there again, byte for byte. */
  readonly isExact: boolean;
}

/** Plans how all that was moved out of a log is put back. Lines that came later stay as they are. */
export function planUnflatten(
  snapshot: Pick<LogSnapshot, "chunks" | "mark">,
  sidecar: Sidecar,
): UnflattenPlan {
  const match = createLineMatcher(sidecar);
  const edits: Edit[] = [];
  let blocks = 0;
  for (const line of rawLines(snapshot.chunks())) {
    const known = match(line);
    if (known === undefined) continue;
    for (const { at, length, block } of known.spans) {
      const about = sidecar.index.blocks[block];
      if (about === undefined) continue;
      const from = line.offset + at;
      edits.push({
        from,
        to: from + length,
        with: { length: about.length, read: () => sidecar.read(about) },
      });
      if (!about.isCopy) blocks++;
    }
  }
  const plan = planEdits(edits, snapshot.mark.size);
  return { plan, blocks, isExact: isExact(plan, snapshot, sidecar) };
}

function isExact(plan: RewritePlan, snapshot: Pick<LogSnapshot, "chunks">, { index }: Sidecar): boolean {
  const hash = createHash("sha256");
  let left = index.original.size;
  for (const part of rewrittenBytes(plan, snapshot.chunks())) {
    hash.update(part.subarray(0, Math.min(left, part.length)));
    left -= Math.min(left, part.length);
    if (left === 0) break;
  }
  return left === 0 && hash.digest("hex") === index.original.sha256;
}
