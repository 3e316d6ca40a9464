import { basename } from "node:path";
import type { ShrunkPart } from "../compaction.ts";

/** A tool call, or what came of one, as it stands in the log. */
export interface FoundPart {
  readonly kind: "use" | "result";
  readonly id: string;
  readonly bytes: number;
  readonly isSidechain: boolean;
  /** Of calls. */
  readonly tool?: string;
  readonly file?: string | undefined;
}

export interface ShrinkRule {
  /** Calls of each tool that stay, the last ones. */
  readonly keep: number;
  /** Smaller ones stay, whatever their age. */
  readonly minResultBytes: number;
  readonly minInputBytes: number;
}

export const NORMAL: Omit<ShrinkRule, "keep"> = { minResultBytes: 1024, minInputBytes: 2048 };
export const AGGRESSIVE: Omit<ShrinkRule, "keep"> = { minResultBytes: 500, minInputBytes: 1024 };
export const KEEP = 5;

const WRITERS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
/** What an agent is told about a project; it stays readable as long as it is what the file says. */
const GUIDES = /^(?:CLAUDE(?:\.local)?\.md|README(?:\.[A-Za-z]+)?|package\.json)$/i;

/** What becomes of each part, in the order of the parts; undefined where it stays. */
export function chooseParts(
  parts: readonly FoundPart[],
  rule: ShrinkRule,
): readonly (ShrunkPart | undefined)[] {
  const calls = new Map<string, Call>();
  for (const [at, part] of parts.entries()) {
    const known = calls.get(part.id);
    const isCall = part.kind === "use";
    // A call that is written again, behind a compaction, is a recent one.
    calls.set(part.id, {
      tool: (isCall ? part.tool : undefined) ?? known?.tool ?? "",
      file: (isCall ? part.file : undefined) ?? known?.file,
      group: known?.group ?? String(part.isSidechain),
      at: isCall || known === undefined ? at : known.at,
    });
  }
  const recent = recentCalls(calls, rule.keep);
  const lastWrite = new Map<string, number>();
  for (const { tool, file, at } of calls.values()) {
    if (file !== undefined && WRITERS.has(tool)) lastWrite.set(file, Math.max(at, lastWrite.get(file) ?? 0));
  }
  return parts.map(({ kind, id, bytes }) => {
    const call = calls.get(id);
    if (call === undefined || recent.has(id)) return undefined;
    const { tool, file, at } = call;
    if (kind === "use") {
      return bytes < rule.minInputBytes ? undefined : { toolUseId: id, tool, part: "input", bytes };
    }
    if (bytes < rule.minResultBytes) return undefined;
    const isGuide =
      tool === "Read" && file !== undefined && GUIDES.test(basename(file.replaceAll("\\", "/")));
    if (isGuide && (lastWrite.get(file) ?? -1) < at) return undefined;
    return { toolUseId: id, tool, part: "result", bytes };
  });
}

interface Call {
  readonly tool: string;
  readonly file: string | undefined;
  /** Sub-agents inside the log have their own last calls. */
  readonly group: string;
  readonly at: number;
}

function recentCalls(calls: ReadonlyMap<string, Call>, keep: number): ReadonlySet<string> {
  const groups = new Map<string, (readonly [string, Call])[]>();
  for (const each of calls) {
    const name = `${each[1].group} ${each[1].tool}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  const recent = new Set<string>();
  for (const group of groups.values()) {
    group.sort(([, a], [, b]) => b.at - a.at);
    for (const [id] of group.slice(0, keep)) recent.add(id);
  }
  return recent;
}
