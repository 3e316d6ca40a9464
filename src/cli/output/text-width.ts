import { once } from "../../fs/once.ts";

/**
 * Counts the columns of a terminal that a text takes. East Asian wide and full-width characters and emoji take two; marks
 * and joiners take none. A grapheme is measured as a whole, so four joined emoji are 2 wide, as terminals draw them.
 */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  // Styles take no columns.
  const shown = text.includes("\x1b[") ? text.replace(STYLE, "") : text;
  for (const grapheme of graphemesOf(shown)) width += graphemeWidth(grapheme);
  return width;
}

const STYLE = /\x1b\[[\d;]*m/g;

/** Printable ASCII: nearly every text that is printed, and as wide as it is long. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

/** The user-perceived characters of a text. */
export function* graphemesOf(text: string): Generator<string> {
  // Without marks, joiners, flags and conjoining letters every code point is its own grapheme, and the
  // segmenter, which is slow to make, is not needed.
  if (!joining().test(text)) {
    yield* text;
    return;
  }
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

let segmenter: Intl.Segmenter | undefined;

/** Last line: letters that a few scripts draw with the one before or after them. */
const joining = once(
  () =>
    new RegExp(
      "[\\p{Mark}\\p{Format}\\p{Regional_Indicator}\\p{Emoji_Modifier}\\u1100-\\u11ff\\ua960-\\ud7ff\\r" +
        "\\u0d4e\\u{111c2}\\u{111c3}\\u{1193f}\\u{11941}\\u{11a3a}\\u{11a84}-\\u{11a89}\\u{11d46}\\u{11f02}\\u0e33\\u0eb3\\uff9e\\uff9f\\u{113d1}\\u{16d63}\\u{16d67}-\\u{16d6a}]",
      "u",
    ),
);
const zeroWidth = once(() => /^[\p{Mark}\p{Format}\p{Control}\p{Surrogate}\u1160-\u11ff\ud7b0-\ud7ff]+$/u);
const emoji = once(() => /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u);

export function graphemeWidth(grapheme: string): number {
  const point = grapheme.codePointAt(0) ?? 0;
  if (point >= 0x20 && point <= 0x7e && grapheme.length === 1) return 1;
  if (zeroWidth().test(grapheme)) return 0;
  if (emoji().test(grapheme)) return 2;
  // Letters that a script joins (Devanagari) are one grapheme, but each still takes its column.
  let width = 0;
  for (const character of grapheme) {
    if (!zeroWidth().test(character)) width += isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

/**
 * Ranges of East Asian width W and F, without those that are emoji; first and last of each. Unassigned
 * points inside the ideographic planes and blocks are wide by the standard.
 */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2630, 0x2637],
  [0x268a, 0x268f],
  [0x2e80, 0x303e],
  [0x3041, 0x3247],
  [0x3250, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

function isWide(point: number): boolean {
  if (point < 0x1100) return false;
  for (const [first, last] of wideRanges) {
    if (point < first) return false;
    if (point <= last) return true;
  }
  return false;
}

const ELLIPSIS = "…";

/**
 * Cuts a text to a number of columns, never through a character, and shows with `…` that it was cut.
 * Paths are cut in the middle: both root and file name matter.
 */
export function truncate(text: string, width: number, at: "start" | "middle" | "end" = "end"): string {
  if (isPlain(text) ? text.length <= width : displayWidth(text) <= width) return text;
  if (width <= 0) return "";
  const room = width - 1;
  if (at === "end") return wholeWords(takeStart(text, room), text) + ELLIPSIS;
  if (at === "start") return ELLIPSIS + takeEnd(text, room);
  // The end of a path says more than its start.
  const end = Math.ceil(room * (2 / 3));
  return takeStart(text, room - end) + ELLIPSIS + takeEnd(text, end);
}

/** Leaves out a word at the end that was cut, unless it is most of the text. */
function wholeWords(start: string, text: string): string {
  if (/^(?:\s|$)/.test(text.slice(start.length))) return start.trimEnd();
  const space = start.lastIndexOf(" ");
  return space < start.length * 0.6 ? start : start.slice(0, space).trimEnd();
}

function takeStart(text: string, width: number): string {
  if (isPlain(text)) return text.slice(0, width);
  let taken = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > width) break;
    taken += grapheme;
  }
  return taken;
}

/** The end of a text that fits into a number of columns. */
export function takeEnd(text: string, width: number): string {
  if (isPlain(text)) return text.slice(Math.max(0, text.length - width));
  const graphemes = [...graphemesOf(text)];
  let from = graphemes.length;
  for (let used = 0; from > 0; from--) {
    used += graphemeWidth(graphemes[from - 1] ?? "");
    if (used > width) break;
  }
  return graphemes.slice(from).join("");
}

interface WrapOptions {
  readonly width: number;
  /** Put before every line, and counted in the width. */
  readonly indent?: string;
  /** Put before the first line instead; as wide as `indent`. */
  readonly firstIndent?: string;
  /** A word wider than a line stays whole, so that paths and commands can be copied. */
  readonly keepWords?: boolean;
}

/**
 * Wraps a text at spaces into lines of at most `width` columns. Its line breaks stay. A word wider than a line is broken
 * at the line's end, unless it is kept.
 */
export function wrap(text: string, options: WrapOptions): string {
  const indent = options.indent ?? "";
  const room = Math.max(1, options.width - displayWidth(indent));
  return text
    .split("\n")
    .flatMap((paragraph) => wrapParagraph(paragraph, room, options.keepWords === true))
    .map((line, index) => `${index === 0 ? (options.firstIndent ?? indent) : indent}${line}`.trimEnd())
    .join("\n");
}

const TAB = "    ";
/** The marker of a list item. */
const LIST_MARK = /^ *(?:(?:[-*+\u2022]|\d{1,3}[.)]) +)?/;

/** Code, tables and trees keep their spaces if they fit; later lines of an item of a list are below its text. */
function wrapParagraph(paragraph: string, room: number, keepWords: boolean): readonly string[] {
  const text = paragraph.replaceAll("\t", TAB).trimEnd();
  if (displayWidth(text) <= room) return [text];
  const mark = LIST_MARK.exec(text)?.[0].length ?? 0;
  const margin = mark <= room / 3 ? " ".repeat(mark) : "";
  const lines: string[] = [];
  const leading = /^ */.exec(text)?.[0] ?? "";
  let line = leading.length < room ? leading : "";
  let isEmpty = true;
  for (const word of text.trim().split(/ +/)) {
    const pieces = keepWords
      ? [word]
      : piecesOf(word, room - Math.max(isEmpty ? line.length : 0, margin.length));
    for (const [index, piece] of pieces.entries()) {
      const joined = isEmpty ? line + piece : `${line} ${piece}`;
      if (isEmpty || (index === 0 && displayWidth(joined) <= room)) {
        line = joined;
      } else {
        lines.push(line);
        line = margin + piece;
      }
      isEmpty = false;
    }
  }
  return [...lines, line];
}

/** A word, cut into pieces that fit a line each. */
function piecesOf(word: string, room: number): readonly string[] {
  if (displayWidth(word) <= room) return [word];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const grapheme of graphemesOf(word)) {
    const width = graphemeWidth(grapheme);
    if (used + width > room && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += grapheme;
    used += width;
  }
  return [...pieces, piece];
}

/**
 * Wraps a message for a terminal; in a pipe, where `width` is undefined, it is not changed. The first line is not
 * indented: the text before it is as wide as the indent, or part of the message. Commands in backticks stay whole.
 */
export function wrapMessage(text: string, width: number | undefined, indent: string = "  "): string {
  if (width === undefined) return text;
  const whole = text.replace(/`[^`\n]*`/g, (command) => command.replaceAll(" ", "\u00a0"));
  return whole
    .split("\n")
    .map((line) => wrap(line, { width, firstIndent: "", indent, keepWords: true }))
    .join("\n")
    .replaceAll("\u00a0", " ");
}
