import { terminalEscapeEnd } from "../analysis/escapes.ts";

/** A piece of a text as it may be shown in one line, with the way back to where it stood. */
export interface CleanPassage {
  readonly text: string;
  /** Where a unit of the original stands now; from `from` to `to`, both included. */
  at(index: number): number;
  /** Places at which a line of the original begins. */
  readonly lineStarts: ReadonlySet<number>;
}

/**
 * Folds white space and leaves out control characters, escape sequences of terminals, marks that turn the
 * direction of text, and halves of characters.
 */
export function cleanPassage(text: string, from: number, to: number): CleanPassage {
  const places = new Int32Array(to - from + 1);
  const lineStarts = new Set<number>();
  let clean = "";
  let isLineStart = false;
  let index = from;
  while (index < to) {
    places[index - from] = clean.length;
    const code = text.charCodeAt(index);
    const runEnd = isPlain(code) ? plainEnd(text, index, to) : index;
    if (runEnd > index) {
      if (isLineStart) lineStarts.add(clean.length);
      isLineStart = false;
      for (let at = index; at < runEnd; at++) places[at - from] = clean.length + at - index;
      clean += text.slice(index, runEnd);
      index = runEnd;
      continue;
    }
    if (code === ESC || code === CSI) {
      const end = Math.min(to, terminalEscapeEnd(text, index));
      places.fill(clean.length, index - from, end - from);
      index = end;
      continue;
    }
    if (isSpace(code) || isUnseen(code)) {
      if (isLineEnd(code)) isLineStart = true;
      if (isSpace(code) && clean !== "" && !clean.endsWith(" ")) clean += " ";
      index++;
      continue;
    }
    if (isLineStart) lineStarts.add(clean.length);
    isLineStart = false;
    const pair = text.codePointAt(index) ?? 0;
    if (pair > 0xffff && index + 1 < to) {
      clean += text.slice(index, index + 2);
      places[index + 1 - from] = clean.length;
      index += 2;
    } else {
      clean += isSurrogate(code) ? "\ufffd" : text.charAt(index);
      index++;
    }
  }
  places[to - from] = clean.length;
  return { text: clean, at: (raw) => places[raw - from] ?? clean.length, lineStarts };
}

const ESC = 27;
const CSI = 0x9b;

/** What `\s` matches. Asked of codes: to compile an expression takes as long as a search. */
function isSpace(code: number): boolean {
  if (code <= 0xa0) return code === 0x20 || (code >= 9 && code <= 13) || code === 0xa0;
  return (code >= 0x2000 && code <= 0x200a) || (code >= 0x2028 && code <= 0x2029) || spaces.includes(code);
}

const spaces: readonly number[] = [0x1680, 0x202f, 0x205f, 0x3000, 0xfeff];

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

/** Control characters, and marks that turn the direction of text. */
function isUnseen(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  return (
    code === 0x61c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x206f) ||
    (code >= 0xfff9 && code <= 0xfffb)
  );
}

/** What can be seen, in ASCII: shown as it is. */
function isPlain(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

function plainEnd(text: string, from: number, to: number): number {
  let end = from;
  while (end < to && isPlain(text.charCodeAt(end))) end++;
  return end;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}
