import { Buffer } from "node:buffer";
import { jsonString, lengthOf } from "../jsonl/json-spans.ts";
import { type FlatContent, flatMarker } from "../session/flat-marker.ts";
import type { BulkyBlock } from "./bulky-block.ts";

/** A part that was moved out of a line. */
export interface MovedPart {
  /** Where it stood in the line, and what stands there now. */
  readonly start: number;
  readonly end: number;
  readonly by: Buffer;
  /** Where in the new line its marker stands. */
  readonly at: number;
  readonly length: number;
  /** The exact bytes that stood there. */
  readonly raw: Buffer;
  readonly isCopy: boolean;
  readonly content: FlatContent;
}

export interface FlatLine {
  readonly bytes: Buffer;
  readonly moved: readonly MovedPart[];
}

const EMPTY_LIST = Buffer.from("[]");

/** Moves blocks out of a line. All other bytes stay. What would not become shorter stays, too. */
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
    const by = standIn(block, session);
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

function standIn({ leaves, content }: BulkyBlock, session: string): Buffer {
  if (leaves === "empty-list") return EMPTY_LIST;
  const marker = jsonString(flatMarker(session, content));
  return leaves === "string"
    ? marker
    : Buffer.concat([Buffer.from('{"type":"text","text":'), marker, Buffer.from("}")]);
}
