import type { Redactor } from "../../redact/redact.ts";
import type { TextRole } from "../../session/text-role.ts";
import type { FindInData } from "./data-secrets.ts";
import { lineEndsIn, type PlacedText, type PlacedTexts } from "./file-texts.ts";
import type { GrepHit } from "./grep-job.ts";
import { createPassageCutter } from "./passage-cutter.ts";
import type { SessionPlace } from "./session-places.ts";

/** The place of a hit in its session and on disk. */
export interface HitPlace extends SessionPlace {
  readonly path: string;
  readonly generation: number | null;
}

interface HitOptions {
  readonly contextLines: number;
  /** undefined: secrets are not masked. */
  readonly redactor: Redactor | undefined;
  readonly findInData: FindInData | undefined;
}

/** Makes the hits for the matching lines of one text. */
export function* makeHits(
  { role, text, within, lines }: MatchingText,
  placed: Pick<PlacedTexts, "line" | "at" | "isPlain">,
  { path, generation, turn, turnAt, context }: HitPlace,
  { contextLines, redactor, findInData }: HitOptions,
): Generator<GrepHit> {
  const around = lines.map(({ start, end }) => linesAround(text, start, end, contextLines));
  const pieces = lines.map(({ start, end }, index): Span => {
    const { before = [], after = [] } = around[index] ?? {};
    return [before[0]?.[0] ?? start, after.at(-1)?.[1] ?? end];
  });
  const { cut } = createPassageCutter(text, pieces, redactor, findInData?.(text, within));
  let counted = 0;
  let textLine = 1;
  for (const [index, { start, end, ranges, matches }] of lines.entries()) {
    textLine += lineEndsIn(text, counted, start);
    counted = start;
    const line = placed.isPlain ? placed.line + textLine - 1 : placed.line;
    const { before = [], after = [] } = around[index] ?? {};
    const passage = cut([start, end], ranges);
    yield {
      path,
      line,
      generation,
      role,
      turn,
      at: placed.at ?? turnAt,
      context,
      textLine,
      text: passage.text,
      highlights: passage.highlights,
      matches,
      before: before.map((span) => cut(span, []).text),
      after: after.map((span) => cut(span, []).text),
    };
  }
}

/** A text with its matching lines. */
export interface MatchingText extends PlacedText {
  readonly lines: readonly LineMatch[];
}

/**
 * Matches the texts of one log line. Agents record a tool result twice, as the model saw it (`output`) and as the
 * tool returned it (`result`): of the second, only lines not already found in the first are reported, each once.
 */
export function matchTexts(
  texts: readonly PlacedText[],
  regex: RegExp,
  roles: ReadonlySet<TextRole>,
): readonly MatchingText[] {
  const found: MatchingText[] = [];
  const seen = new Set<string>();
  let hasResult = false;
  for (const placed of texts) {
    const { role, text } = placed;
    if (role === "result") hasResult = true;
    if (role === "result" || !roles.has(role)) continue;
    const lines = matchLines(text, regex);
    if (lines.length === 0) continue;
    found.push({ ...placed, lines });
    if (role === "output") for (const line of lines) addUnseen(text.slice(line.start, line.end), seen);
  }
  if (!hasResult || !roles.has("result")) return found;
  for (const placed of texts) {
    const { role, text } = placed;
    if (role !== "result") continue;
    const lines = matchLines(text, regex).filter(({ start, end }) => addUnseen(text.slice(start, end), seen));
    if (lines.length > 0) found.push({ ...placed, lines });
  }
  return found;
}

/** Adds the lines of a match to `seen`. Returns whether at least one of them is new. */
function addUnseen(lines: string, seen: Set<string>): boolean {
  const before = seen.size;
  for (const line of lines.split("\n")) seen.add(bareLine(line));
  return seen.size > before;
}

/** Strips the line number, diff sign and surrounding space that one of the two records may have. */
function bareLine(line: string): string {
  return line
    .replace(/^\s*\d+(?:\u2192|\t)/, "")
    .replace(/^[\s+-]+/, "")
    .trimEnd();
}

/** A matching line, or several lines if a match spans them, with all matches on it. */
interface LineMatch {
  /** Start of the first line. */
  readonly start: number;
  /** End of the last line, without its line end. */
  readonly end: number;
  /** Start and end of matches, in UTF-16 units of the whole text. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Number of matches, including those beyond the limit of `ranges`. */
  readonly matches: number;
}

/** Ranges kept for one line. */
const MAX_RANGES = 200;

/**
 * Finds the matching lines of a text, each with all its matches. Empty matches do not count. `regex` must be
 * global; its `lastIndex` changes.
 */
export function matchLines(text: string, regex: RegExp): readonly LineMatch[] {
  const lines: { start: number; end: number; ranges: [number, number][]; matches: number }[] = [];
  regex.lastIndex = 0;
  for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
    const from = found.index;
    const to = from + found[0].length;
    if (from === to) {
      regex.lastIndex = nextCharacter(text, to);
      if (regex.lastIndex > text.length) break;
      continue;
    }
    const last = lines.at(-1);
    // A matched line end belongs to the line that it ends.
    if (last !== undefined && from <= last.end) {
      last.matches++;
      if (last.ranges.length < MAX_RANGES) last.ranges.push([from, to]);
      if (to > last.end) last.end = endOfLine(text, to - 1);
    } else {
      const start = from === 0 ? 0 : text.lastIndexOf("\n", from - 1) + 1;
      lines.push({ start, end: endOfLine(text, to - 1), ranges: [[from, to]], matches: 1 });
    }
  }
  return lines;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function nextCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

/** Returns up to `count` lines before and after a range, in text order. */
export function linesAround(
  text: string,
  start: number,
  end: number,
  count: number,
): { readonly before: readonly Span[]; readonly after: readonly Span[] } {
  const before: Span[] = [];
  for (let to = start - 1; before.length < count && to >= 0; ) {
    const from = to === 0 ? 0 : text.lastIndexOf("\n", to - 1) + 1;
    before.unshift([from, to]);
    to = from - 1;
  }
  const after: Span[] = [];
  for (let from = end + 1; after.length < count && from <= text.length; ) {
    const to = endOfLine(text, from);
    after.push([from, to]);
    from = to + 1;
  }
  // A line end at the very end does not start another line.
  if (after.at(-1)?.[0] === text.length) after.pop();
  return { before, after };
}

export type Span = readonly [from: number, to: number];
