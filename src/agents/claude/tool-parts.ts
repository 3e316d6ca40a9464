import { Buffer } from "node:buffer";
import {
  isProperJson,
  isTrue,
  itemsOf,
  type JsonSpan,
  lengthOf,
  memberAt,
  scanJsonLine,
  stringOf,
} from "../../jsonl/json-spans.ts";
import { measureString } from "../../jsonl/json-strings.ts";
import { jsonText } from "../../jsonl/values.ts";

/** A tool call in a line of a log. */
export interface ToolUsePart {
  readonly kind: "use";
  readonly id: string;
  readonly tool: string;
  readonly input: JsonSpan;
  readonly isSidechain: boolean;
}

/** The result of a tool call. */
export interface ToolResultPart {
  readonly kind: "result";
  readonly id: string;
  readonly content: JsonSpan;
  readonly isSidechain: boolean;
}

export interface ToolLine {
  readonly parts: readonly (ToolUsePart | ToolResultPart)[];
  /** The copy of the results that the line has for the agent's own display. */
  readonly copy: JsonSpan | undefined;
}

/** Other lines are skipped. Agents never spell a name with escapes. */
const NEEDLES = [Buffer.from('"tool_use"'), Buffer.from('"tool_result"')];

/** The tool calls and results of a line, one entry for each object on it. */
export function toolLines(bytes: Buffer): readonly ToolLine[] {
  if (!NEEDLES.some((needle) => bytes.includes(needle))) return [];
  return scanJsonLine(bytes)
    .map((line) => ({ line, ...toolLine(bytes, line) }))
    .map(({ line, parts, copy }) =>
      parts.length === 0 || isProperJson(bytes, line) ? { parts, copy } : { parts: [], copy: undefined },
    );
}

function toolLine(bytes: Buffer, line: JsonSpan): ToolLine {
  const parts: (ToolUsePart | ToolResultPart)[] = [];
  const type = stringOf(bytes, memberAt(line, "type"));
  const isSidechain = isTrue(bytes, memberAt(line, "isSidechain"));
  if (type === "assistant" || type === "user") {
    for (const block of itemsOf(memberAt(memberAt(line, "message"), "content"))) {
      const part = toolPart(bytes, block, isSidechain);
      if (part !== undefined) parts.push(part);
    }
  }
  return { parts, copy: type === "user" ? memberAt(line, "toolUseResult") : undefined };
}

function toolPart(
  bytes: Buffer,
  block: JsonSpan,
  isSidechain: boolean,
): ToolUsePart | ToolResultPart | undefined {
  switch (stringOf(bytes, memberAt(block, "type"))) {
    case "tool_use": {
      const id = stringOf(bytes, memberAt(block, "id"));
      const input = memberAt(block, "input");
      if (id === undefined || input === undefined) return undefined;
      return { kind: "use", id, tool: stringOf(bytes, memberAt(block, "name")) ?? "", input, isSidechain };
    }
    case "tool_result": {
      const id = stringOf(bytes, memberAt(block, "tool_use_id"));
      const content = memberAt(block, "content");
      return id === undefined || content === undefined
        ? undefined
        : { kind: "result", id, content, isSidechain };
    }
    default:
      return undefined;
  }
}

/** A longer input is not decoded only to be measured. */
const MAX_DECODED = 16 * 1024 * 1024;

/** The number of bytes of a result: of its texts, and of its images as base64; of anything else as JSON. */
export function resultBytes(bytes: Buffer, content: JsonSpan): number {
  if (content.kind === "string") return textBytes(bytes, content);
  if (content.kind !== "array") return lengthOf(content);
  let total = 0;
  for (const block of content.items) {
    const text = memberAt(block, "text");
    const data = memberAt(memberAt(block, "source"), "data");
    if (block.kind === "string") total += textBytes(bytes, block);
    else if (text?.kind === "string") total += textBytes(bytes, text);
    else if (data?.kind === "string") total += lengthOf(data) - 2;
    else total += lengthOf(block);
  }
  return total;
}

function textBytes(bytes: Buffer, span: JsonSpan): number {
  return measureString(bytes, span.start, span.end)?.bytes ?? 0;
}

/** The size of an input as JSON without white space. */
export function inputBytes(bytes: Buffer, input: JsonSpan): number {
  if (lengthOf(input) > MAX_DECODED) return lengthOf(input);
  try {
    return Buffer.byteLength(jsonText(JSON.parse(bytes.toString("utf8", input.start, input.end))));
  } catch {
    return lengthOf(input);
  }
}
