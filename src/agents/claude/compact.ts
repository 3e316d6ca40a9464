import { Buffer } from "node:buffer";
import { basename } from "node:path";
import type { TokenEstimate } from "../../extract/digest.ts";
import { estimateContext, estimateTokens } from "../../extract/tokens.ts";
import { type JsonSpan, jsonString, lengthOf, memberAt, stringOf } from "../../jsonl/json-spans.ts";
import { rawLines } from "../../jsonl/lines.ts";
import { type Edit, planEdits, type RewritePlan } from "../../jsonl/rewrite-plan.ts";
import {
  type CompactionInput,
  type CompactionPlan,
  type Compactor,
  chosenNumber,
  type ShrunkPart,
  type ShrunkRecords,
} from "../agent-actions.ts";
import { readPlanned } from "../log-snapshot.ts";
import { mayHaveSnapshot, recordEdits, snapshotsInUse } from "./request-records.ts";
import {
  inputBytes,
  resultBytes,
  type ToolLine,
  type ToolResultPart,
  type ToolUsePart,
  toolLines,
} from "./tool-parts.ts";

const AGGRESSIVE = {
  name: "aggressive",
  type: "boolean",
  alias: "a",
  description: "from 500 B (results) and 1 KB (inputs) on, instead of 1 KB and 2 KB",
} as const;
const KEEP = {
  name: "keep",
  type: "number",
  default: 5,
  description: "the last N calls of each tool stay",
} as const;

export const claudeCompaction: Compactor = {
  description:
    "inputs and results of tool calls that are both old and large become placeholders, and records of what was " +
    "sent to the model, which no resumed session reads, become empty",
  options: [AGGRESSIVE, KEEP],
  plan: compactClaude,
  isPlaceholder: isCompactedText,
};

/** Shrinks tool calls that are both old and large, and records of requests. */
function compactClaude({ library, files, snapshot, options }: CompactionInput): CompactionPlan {
  const standard = options[AGGRESSIVE.name] === true ? AGGRESSIVE_RULE : NORMAL_RULE;
  const rule = { ...standard, keep: chosenNumber(options, KEEP) };
  const { plan, shrunk, records } = planClaudeCompaction(snapshot.chunks, snapshot.mark.size, rule);
  // One after the other, because two sessions of a long log do not fit into memory.
  const count = (now: typeof plan | undefined): { readonly all: TokenEstimate; readonly context: number } => {
    const session = readPlanned(library, files, snapshot, now);
    return { all: estimateTokens(session.characters), context: estimateContext(session).total };
  };
  const before = count(undefined);
  const after = shrunk.length === 0 ? before : count(plan);
  return {
    plan,
    shrunk,
    before: before.all,
    after: after.all,
    context: { before: before.context, after: after.context },
    records,
    nothing: shrunk.length + records.lines === 0 ? "no tool call is both old and large" : null,
  };
}

interface ClaudeCompaction {
  readonly plan: RewritePlan;
  readonly shrunk: readonly ShrunkPart[];
  readonly records: ShrunkRecords;
}

/**
 * Plans which old and large parts of tool calls become placeholders. Lines, their order, their envelopes and the
 * pairs of calls and results stay. `chunks` may be called several times, for the same bytes.
 */
export function planClaudeCompaction(
  chunks: () => Iterable<Uint8Array>,
  size: number,
  rule: ShrinkRule,
): ClaudeCompaction {
  const found: FoundPart[] = [];
  let hasSnapshots = false;
  for (const { bytes } of rawLines(chunks())) {
    hasSnapshots ||= mayHaveSnapshot(bytes);
    for (const { parts } of toolLines(bytes)) for (const part of parts) found.push(foundPart(bytes, part));
  }
  const chosen = chooseParts(found, rule);
  const inUse = hasSnapshots ? snapshotsInUse(chunks()) : new Set<string>();
  const edits: Edit[] = [];
  const records = { lines: 0, bytes: 0 };
  let next = 0;
  for (const { bytes, offset } of rawLines(chunks())) {
    const ofRecords = recordEdits(bytes, (snapshot) => inUse.has(snapshot));
    if (ofRecords.length > 0) records.lines++;
    for (const { from, to, with: by } of ofRecords) {
      records.bytes += to - from;
      edits.push({ from: offset + from, to: offset + to, with: by });
    }
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
    records,
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

/** A tool call or its result, as the log has it. */
interface FoundPart {
  readonly kind: "use" | "result";
  readonly id: string;
  readonly bytes: number;
  readonly isSidechain: boolean;
  /** For calls only. */
  readonly tool?: string;
  readonly file?: string | undefined;
}

interface ShrinkRule {
  /** The number of last calls of each tool that are kept. */
  readonly keep: number;
  /** Smaller ones are kept, whatever their age. */
  readonly minResultBytes: number;
  readonly minInputBytes: number;
}

export const NORMAL_RULE: ShrinkRule = { keep: KEEP.default, minResultBytes: 1024, minInputBytes: 2048 };
const AGGRESSIVE_RULE: ShrinkRule = { ...NORMAL_RULE, minResultBytes: 500, minInputBytes: 1024 };

const WRITERS: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", "NotebookEdit"]);
/** Files that agents read about a project; they are kept as long as the file is unchanged. */
const GUIDES = /^(?:CLAUDE(?:\.local)?\.md|README(?:\.[A-Za-z]+)?|package\.json)$/i;

/** The replacement of each part, in the order of the parts; undefined if the part is kept. */
function chooseParts(parts: readonly FoundPart[], rule: ShrinkRule): readonly (ShrunkPart | undefined)[] {
  const calls = new Map<string, Call>();
  for (const [at, part] of parts.entries()) {
    const known = calls.get(part.id);
    const isCall = part.kind === "use";
    // A call that is repeated after a compaction is a recent one.
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

/** Longer strings become the placeholder; longer lists become empty ones. */
const MAX_STRING = 256;
const MAX_LIST = 512;

const EMPTY_LIST = Buffer.from("[]");

/**
 * Shortens the copy of a result without changing its shape: the agent's display reads its keys, and fails if a list
 * is no longer a list.
 */
function shrinkCopy(copy: JsonSpan, placeholder: string): readonly Edit[] {
  return shrink(copy, jsonString(placeholder)).edits;
}

interface Shrunk {
  readonly edits: readonly Edit[];
  readonly length: number;
}

function shrink(span: JsonSpan, placeholder: Buffer): Shrunk {
  const length = lengthOf(span);
  switch (span.kind) {
    case "string":
      return length > MAX_STRING ? replaced(span, placeholder) : { edits: [], length };
    case "array": {
      const inner = together(span.items, length, placeholder);
      return inner.length > MAX_LIST ? replaced(span, EMPTY_LIST) : inner;
    }
    case "object":
      return together(
        span.members.map(({ value }) => value),
        length,
        placeholder,
      );
    default:
      return { edits: [], length };
  }
}

function together(spans: readonly JsonSpan[], length: number, placeholder: Buffer): Shrunk {
  const shrunk = spans.map((span) => ({ before: lengthOf(span), ...shrink(span, placeholder) }));
  return {
    edits: shrunk.flatMap(({ edits }) => edits),
    length: shrunk.reduce((sum, { before, length: after }) => sum - before + after, length),
  };
}

function replaced({ start, end }: JsonSpan, by: Buffer): Shrunk {
  return { edits: [{ from: start, to: end, with: by }], length: by.length };
}

/** The placeholders of results. Claude Code parses the one of Grep, and fails at any other text there. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  Grep: "No matches found",
  Read: "[file content compacted]",
  Bash: "[output compacted]",
};
const OTHER_PLACEHOLDER = "[compacted]";

const INPUT_PLACEHOLDER: Buffer = Buffer.from('{"_compacted":true}');

function placeholderFor(tool: string): string {
  return PLACEHOLDERS[tool] ?? OTHER_PLACEHOLDER;
}

/** Whether this is a placeholder. Grep itself can also print the text of its placeholder. */
function isCompactedText(text: string): boolean {
  return text === OTHER_PLACEHOLDER || Object.values(PLACEHOLDERS).includes(text);
}
