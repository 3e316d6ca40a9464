import type { CompactionEntry } from "./entry.ts";
import { COMPACTION, type NodeTable, SUMMARY } from "./node-table.ts";
import type { Compaction } from "./session.ts";

/** All compactions in the order of the log, each with the summary that follows it. */
export function listCompactions(
  nodes: NodeTable,
  turnOf: (node: number) => number | null,
): readonly Compaction[] {
  const found: { -readonly [K in keyof Compaction]: Compaction[K] }[] = [];
  if (!nodes.hasCompactions) return found;
  for (const node of nodes.inOrder()) {
    const kind = nodes.kind(node);
    if ((kind !== COMPACTION && kind !== SUMMARY) || nodes.sidechain(node) !== undefined) continue;
    const entry = nodes.entry(node);
    if (entry?.kind === "compaction") {
      found.push({
        at: entry.at ?? null,
        line: entry.line,
        trigger: entry.trigger,
        tokensBefore: entry.tokensBefore,
        tokensAfter: entry.tokensAfter,
        summary: entry.summary ?? null,
        keeps: keeps(entry),
        afterTurn: turnOf(node) ?? 0,
      });
    } else if (entry?.kind === "summary" && entry.of === "compaction") {
      const last = found.at(-1);
      if (last !== undefined) last.summary ??= entry.text;
    }
  }
  return found;
}

function keeps(entry: CompactionEntry): Compaction["keeps"] {
  const anchor = entry.kept?.anchor ?? entry.keptSegment?.anchor;
  if (anchor !== undefined) return anchor === entry.uid ? "head" : "tail";
  return entry.keptFrom === undefined ? null : "tail";
}
