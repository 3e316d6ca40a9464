import { Buffer } from "node:buffer";
import { type JsonSpan, memberAt, stringOf } from "../jsonl/json-spans.ts";
import { rawLines } from "../jsonl/lines.ts";
import type { AgentName } from "../session/entry.ts";
import { type FlatMarker, fitsMarker, parseFlatMarker } from "../session/flat-marker.ts";
import { actionsOf } from "./actions.ts";
import { mediaBlock, type ResultPlace, textBlock } from "./bulky-block.ts";

/** A marker in a flattened line, which replaces a value that was moved out. */
export interface PlacedMarker {
  /** The bytes to replace: the marker's string, or the text block that contains it. */
  readonly start: number;
  readonly end: number;
  readonly marker: FlatMarker;
  readonly isCopy: boolean;
}

/** Every marker begins with this, and few other lines contain it. */
const NEEDLE = Buffer.from('"[FLATTENED id=');

/** The results of tool calls in a line, and their copies; none in logs that can't be flattened. */
export function resultPlaces(agent: AgentName, bytes: Buffer): readonly ResultPlace[] {
  return actionsOf(agent).flattening?.places(bytes) ?? [];
}

/** Finds the markers of a line, in results of tool calls and their copies only: the same text elsewhere is not a marker. */
export function findMarkers(agent: AgentName, bytes: Buffer): readonly PlacedMarker[] {
  if (!bytes.includes(NEEDLE)) return [];
  return resultPlaces(agent, bytes).flatMap((place) => inside(bytes, place.span, place.isCopy));
}

/** Counts the markers of a log, and those of them that are blocks: the others are in copies that the agent keeps for itself. */
export function countMarkers(
  agent: AgentName,
  chunks: Iterable<Uint8Array>,
): { readonly markers: number; readonly blocks: number } {
  let markers = 0;
  let blocks = 0;
  for (const { bytes } of rawLines(chunks)) {
    const found = findMarkers(agent, bytes);
    markers += found.length;
    blocks += found.filter(({ isCopy }) => !isCopy).length;
  }
  return { markers, blocks };
}

function inside(bytes: Buffer, span: JsonSpan, isCopy: boolean): readonly PlacedMarker[] {
  const own = placedMarkerAt(bytes, span, isCopy);
  if (own !== undefined) return [own];
  if (span.kind === "array") return span.items.flatMap((item) => inside(bytes, item, isCopy));
  if (span.kind !== "object") return [];
  return span.members.flatMap(({ value }) => inside(bytes, value, isCopy));
}

function placedMarkerAt(bytes: Buffer, span: JsonSpan, isCopy: boolean): PlacedMarker | undefined {
  if (span.kind === "string") {
    const marker = markerAt(bytes, span);
    return marker?.kind === "text" ? { start: span.start, end: span.end, marker, isCopy } : undefined;
  }
  const marker = span.kind === "object" ? markerAt(bytes, memberAt(span, "text")) : undefined;
  if (marker === undefined || marker.kind === "text") return undefined;
  return { start: span.start, end: span.end, marker, isCopy };
}

function markerAt(bytes: Buffer, span: JsonSpan | undefined): FlatMarker | undefined {
  if (span?.kind !== "string" || !bytes.subarray(span.start, span.start + NEEDLE.length).equals(NEEDLE))
    return undefined;
  return parseFlatMarker(stringOf(bytes, span) ?? "");
}

/** A value of the original line that goes back into the flattened one. */
export interface FittingPart {
  /** Replaced in the flattened line. */
  readonly from: number;
  readonly to: number;
  /** Where it is in the original line. */
  readonly at: number;
  readonly length: number;
  readonly toolUseId: string;
  readonly isCopy: boolean;
  /** Replaces a list in a copy, which has no marker: another program may have emptied it, or it may always have been empty. */
  readonly isList: boolean;
}

export interface Fitting {
  /** In the order of the line. */
  readonly parts: readonly FittingPart[];
  readonly markers: number;
  /** With them the flattened line becomes the original line, byte for byte. */
  readonly isExact: boolean;
}

/**
 * Compares a flattened line with a line that may be its original, value by value, and finds the values that were moved
 * out. Other changes to the line do no harm. `numberOf` says which block of its call the value at a place of the original
 * line is.
 */
export function fitOriginal(
  agent: AgentName,
  flat: Buffer,
  original: Buffer,
  numberOf: (start: number) => number | undefined,
): Fitting | undefined {
  const now = resultPlaces(agent, flat);
  const before = resultPlaces(agent, original);
  if (now.length !== before.length) return undefined;
  let markers = 0;
  const parts: FittingPart[] = [];
  const put = (span: JsonSpan, was: JsonSpan, { toolUseId, isCopy }: ResultPlace): void => {
    const { start: at, end } = was;
    const isList = was.kind === "array";
    parts.push({ from: span.start, to: span.end, at, length: end - at, toolUseId, isCopy, isList });
  };
  const compare = (span: JsonSpan, was: JsonSpan, place: ResultPlace): void => {
    const { toolUseId, isCopy } = place;
    const found = placedMarkerAt(flat, span, isCopy);
    if (found !== undefined) {
      const call = { toolUseId, tool: "", file: undefined };
      const number = isCopy ? 1 : (numberOf(was.start) ?? 0);
      const block =
        was.kind === "string"
          ? textBlock(original, was, call, number)
          : mediaBlock(original, was, call, () => number);
      if (block === undefined || !fitsMarker(found.marker, block.content)) return;
      markers++;
      put(span, was, place);
    } else if (span.kind === "array" && was.kind === "array") {
      if (isCopy && span.items.length === 0 && was.items.length > 0) put(span, was, place);
      else if (span.items.length === was.items.length) {
        for (const [at, item] of span.items.entries()) {
          const other = was.items[at];
          if (other !== undefined) compare(item, other, place);
        }
      }
    } else if (span.kind === "object" && was.kind === "object") {
      for (const { key, value } of span.members) {
        const other = memberAt(was, key);
        if (other !== undefined && memberAt(span, key) === value) compare(value, other, place);
      }
    }
  };
  for (const [at, place] of now.entries()) {
    const other = before[at];
    if (other?.toolUseId !== place.toolUseId || other.isCopy !== place.isCopy) return undefined;
    compare(place.span, other.span, place);
  }
  parts.sort((a, b) => a.from - b.from);
  return parts.length > 0 ? { parts, markers, isExact: becomes(flat, original, parts) } : undefined;
}

function becomes(flat: Buffer, original: Buffer, parts: readonly FittingPart[]): boolean {
  let now = 0;
  let before = 0;
  for (const { from, to, at, length } of parts) {
    if (at < before || !flat.subarray(now, from).equals(original.subarray(before, at))) return false;
    now = to;
    before = at + length;
  }
  return flat.subarray(now).equals(original.subarray(before));
}
