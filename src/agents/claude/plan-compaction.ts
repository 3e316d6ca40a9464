import type { Buffer } from "node:buffer";
import { jsonString, memberAt, stringOf } from "../../jsonl/json-spans.ts";
import { rawLines } from "../../jsonl/raw-lines.ts";
import { type Edit, planEdits, type RewritePlan } from "../../jsonl/rewrite-plan.ts";
import type { ShrunkPart } from "../compaction.ts";
import { chooseParts, type FoundPart, type ShrinkRule } from "./choose-parts.ts";
import { INPUT_PLACEHOLDER, placeholderFor } from "./placeholders.ts";
import { shrinkCopy } from "./shrink-copy.ts";
import {
  inputBytes,
  resultBytes,
  type ToolLine,
  type ToolResultPart,
  type ToolUsePart,
  toolLines,
} from "./tool-parts.ts";

export interface ClaudeCompaction {
  readonly plan: RewritePlan;
  readonly shrunk: readonly ShrunkPart[];
}

/**
 * Plans which old and large parts of tool calls become placeholders. Lines, their order, their envelopes and the
 * pairs of calls and results stay. `chunks` is asked twice for the same bytes.
 */
export function planClaudeCompaction(
  chunks: () => Iterable<Uint8Array>,
  size: number,
  rule: ShrinkRule,
): ClaudeCompaction {
  const found: FoundPart[] = [];
  for (const { bytes } of rawLines(chunks())) {
    for (const { parts } of toolLines(bytes)) for (const part of parts) found.push(foundPart(bytes, part));
  }
  const chosen = chooseParts(found, rule);
  const edits: Edit[] = [];
  let next = 0;
  for (const { bytes, offset } of rawLines(chunks())) {
    for (const line of toolLines(bytes)) {
      const ofLine = chosen.slice(next, next + line.parts.length);
      next += line.parts.length;
      for (const { from, to, with: by } of lineEdits(line, ofLine))
        edits.push({ from: offset + from, to: offset + to, with: by });
    }
  }
  return {
    plan: planEdits(
      edits.sort((a, b) => a.from - b.from),
      size,
    ),
    shrunk: chosen.filter((part) => part !== undefined),
  };
}

function foundPart(bytes: Buffer, part: ToolUsePart | ToolResultPart): FoundPart {
  const { kind, id, isSidechain } = part;
  if (kind === "result") return { kind, id, isSidechain, bytes: resultBytes(bytes, part.content) };
  const file =
    stringOf(bytes, memberAt(part.input, "file_path")) ??
    stringOf(bytes, memberAt(part.input, "notebook_path"));
  return { kind, id, isSidechain, bytes: inputBytes(bytes, part.input), tool: part.tool, file };
}

function lineEdits({ parts, copy }: ToolLine, chosen: readonly (ShrunkPart | undefined)[]): readonly Edit[] {
  const edits: Edit[] = [];
  const placeholders: string[] = [];
  let isResultKept = false;
  for (const [at, part] of parts.entries()) {
    const shrunk = chosen[at];
    if (shrunk === undefined) isResultKept ||= part.kind === "result";
    else if (part.kind === "use")
      edits.push({ from: part.input.start, to: part.input.end, with: INPUT_PLACEHOLDER });
    else {
      const placeholder = placeholderFor(shrunk.tool);
      placeholders.push(placeholder);
      edits.push({ from: part.content.start, to: part.content.end, with: jsonString(placeholder) });
    }
  }
  const [first] = placeholders;
  return copy === undefined || first === undefined || isResultKept
    ? edits
    : [...edits, ...shrinkCopy(copy, first)];
}
