import { Buffer } from "node:buffer";
import { type JsonSpan, jsonString, lengthOf, memberAt, stringOf } from "../jsonl/json-spans.ts";
import { measureString } from "../jsonl/json-strings.ts";
import { type FlatContent, flatMarker, isFlatMarker } from "../session/flat-marker.ts";

/** A part of a line that will be moved out. */
export interface BulkyBlock {
  readonly span: JsonSpan;
  /** Its replacement: the marker as a string, a text block with the marker, or an empty list. */
  readonly leaves: "string" | "text-block" | "empty-list";
  /** Whether it is a copy of a result, which is never requested separately. */
  readonly isCopy: boolean;
  readonly content: FlatContent;
}

export interface BulkyOptions {
  /** Only larger blocks are moved. */
  readonly minBytes: number;
  /** Also the copies of results that agents keep for their own display. */
  readonly copies: boolean;
}

/** Finds the blocks to move out of a line. It must see all lines in order, because results do not name their tool. */
export type BulkyFinder = (bytes: Buffer) => readonly BulkyBlock[];

/** A value in a line of a log that may have been moved out, or that contains such values. */
export interface ResultPlace {
  /** The call that it is the result of; for a copy, the first call of its line. */
  readonly toolUseId: string;
  readonly span: JsonSpan;
  readonly isCopy: boolean;
}

/** Finds large results in the lines of an agent's logs. */
export interface Flattening {
  finder(options: BulkyOptions): BulkyFinder;
  /** The results of tool calls in a line, and the copies of them. */
  places(line: Buffer): readonly ResultPlace[];
}

export interface CallOfResult {
  readonly toolUseId: string;
  readonly tool: string;
  readonly file: string | undefined;
}

/** Remembers calls by their ids, and counts the blocks of each. */
export interface Calls {
  note(id: string, tool: string, file: string | undefined): void;
  of(id: string): CallOfResult;
  /** Numbers the blocks of a call, from 1, in the order of the log. */
  numbersOf(id: string): () => number;
}

export function createCalls(): Calls {
  const known = new Map<string, CallOfResult>();
  const counts = new Map<string, number>();
  return {
    note: (toolUseId, tool, file) => void known.set(toolUseId, { toolUseId, tool, file }),
    of: (toolUseId) => known.get(toolUseId) ?? { toolUseId, tool: "", file: undefined },
    numbersOf: (id) => () => {
      const number = (counts.get(id) ?? 0) + 1;
      counts.set(id, number);
      return number;
    },
  };
}

/** The file that a call works on, by the usual names of that input. */
export function fileIn(bytes: Buffer, input: JsonSpan | undefined): string | undefined {
  for (const key of ["file_path", "notebook_path", "path"]) {
    const file = stringOf(bytes, memberAt(input, key));
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The blocks of a result's content: a text, or a list of texts and images. */
export function contentBlocks(
  bytes: Buffer,
  content: JsonSpan | undefined,
  call: CallOfResult,
  numberOf: () => number,
): readonly BulkyBlock[] {
  if (content?.kind === "string") return [textBlock(bytes, content, call, numberOf())];
  if (content?.kind !== "array") return [];
  return content.items.flatMap((item) => {
    const text = memberAt(item, "text");
    if (item.kind === "string") return [textBlock(bytes, item, call, numberOf())];
    if (text?.kind === "string") return [textBlock(bytes, text, call, numberOf())];
    const media = mediaBlock(bytes, item, call, numberOf);
    return media === undefined ? [] : [media];
  });
}

export function textBlock(bytes: Buffer, span: JsonSpan, call: CallOfResult, number: number): BulkyBlock {
  const size = measureString(bytes, span.start, span.end);
  return {
    span,
    leaves: "string",
    isCopy: false,
    content: {
      ...call,
      kind: "text",
      mediaType: null,
      bytes: size?.bytes ?? lengthOf(span) - 2,
      lines: size?.lines ?? 0,
      number,
    },
  };
}

/** An image or a document with its base64; Claude Code has it in `source`, Pi in the block itself. */
export function mediaBlock(
  bytes: Buffer,
  item: JsonSpan,
  call: CallOfResult,
  numberOf: () => number,
): BulkyBlock | undefined {
  const source = memberAt(item, "source") ?? item;
  const data = memberAt(source, "data");
  if (data?.kind !== "string") return undefined;
  const type = stringOf(bytes, memberAt(item, "type"));
  const mediaType =
    stringOf(bytes, memberAt(source, "media_type")) ?? stringOf(bytes, memberAt(source, "mimeType")) ?? null;
  return {
    span: item,
    leaves: "text-block",
    isCopy: false,
    content: {
      ...call,
      kind: type === "document" ? "document" : "image",
      mediaType,
      bytes: lengthOf(data) - 2,
      lines: 0,
      number: numberOf(),
    },
  };
}

/** Long strings in a copy of a result, and lists that are long although their strings are short. */
export function copyBlocks(
  bytes: Buffer,
  copy: JsonSpan | undefined,
  call: CallOfResult,
  minBytes: number,
): readonly BulkyBlock[] {
  return copy === undefined ? [] : inCopy(bytes, copy, call, minBytes).blocks;
}

interface Found {
  readonly blocks: readonly BulkyBlock[];
  /** Approximately what would be left of it. */
  readonly left: number;
}

/** The approximate length of a marker. */
const MARKER_BYTES = 160;

function inCopy(bytes: Buffer, span: JsonSpan, call: CallOfResult, minBytes: number): Found {
  const left = lengthOf(span);
  if (left <= minBytes) return { blocks: [], left };
  if (span.kind === "string") {
    const block = textBlock(bytes, span, call, 1);
    return { blocks: [{ ...block, isCopy: true }], left: MARKER_BYTES };
  }
  if (span.kind !== "array" && span.kind !== "object") return { blocks: [], left };
  const values = span.kind === "array" ? span.items : span.members.map(({ value }) => value);
  const found = values.map((value) => ({ length: lengthOf(value), ...inCopy(bytes, value, call, minBytes) }));
  const rest = found.reduce((sum, each) => sum - each.length + each.left, left);
  if (span.kind === "array" && rest > minBytes) {
    const content = { ...call, kind: "text", mediaType: null, bytes: left, lines: 0, number: 1 } as const;
    return { blocks: [{ span, leaves: "empty-list", isCopy: true, content }], left: 2 };
  }
  return { blocks: found.flatMap(({ blocks }) => blocks), left: rest };
}

/** Leaves out small blocks and existing markers. */
export function bulkyOnly(
  bytes: Buffer,
  blocks: readonly BulkyBlock[],
  minBytes: number,
): readonly BulkyBlock[] {
  return blocks.filter(
    ({ span, content, isCopy }) =>
      (isCopy || content.bytes > minBytes) &&
      !(span.kind === "string" && isFlatMarker(bytes.toString("utf8", span.start + 1, span.start + 32))),
  );
}

/** A part that was moved out of a line. */
export interface MovedPart {
  /** The block's position in the line, and its replacement. */
  readonly start: number;
  readonly end: number;
  readonly by: Buffer;
  /** Where in the new line its marker is. */
  readonly at: number;
  readonly length: number;
  /** The exact bytes that were moved. */
  readonly raw: Buffer;
  readonly isCopy: boolean;
  readonly content: FlatContent;
}

interface FlatLine {
  readonly bytes: Buffer;
  readonly moved: readonly MovedPart[];
}

const EMPTY_LIST = Buffer.from("[]");

/** Moves blocks out of a line. All other bytes stay, and so does any block that would not become shorter. */
export function flattenLine(bytes: Buffer, blocks: readonly BulkyBlock[], session: string): FlatLine {
  const parts: Buffer[] = [];
  const moved: MovedPart[] = [];
  let from = 0;
  let length = 0;
  const put = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  for (const block of blocks.toSorted((a, b) => a.span.start - b.span.start)) {
    const { span, isCopy, content } = block;
    const by = replacementOf(block, session);
    if (span.start < from || by.length >= lengthOf(span)) continue;
    put(bytes.subarray(from, span.start));
    const { start, end } = span;
    const raw = bytes.subarray(start, end);
    moved.push({ start, end, by, at: length, length: by.length, raw, isCopy, content });
    put(by);
    from = span.end;
  }
  if (moved.length === 0) return { bytes, moved };
  put(bytes.subarray(from));
  return { bytes: Buffer.concat(parts), moved };
}

function replacementOf({ leaves, content }: BulkyBlock, session: string): Buffer {
  if (leaves === "empty-list") return EMPTY_LIST;
  const marker = jsonString(flatMarker(session, content));
  return leaves === "string"
    ? marker
    : Buffer.concat([Buffer.from('{"type":"text","text":'), marker, Buffer.from("}")]);
}
