import { terminalEscapeEnd } from "../analysis/escapes.ts";

/** A piece of a text, cleaned for display on one line, with a map from original to cleaned offsets. */
export interface CleanPassage {
  readonly text: string;
  /** Maps an offset of the original text, from `from` to `to` inclusive, to `text`. */
  at(index: number): number;
  /** Offsets in `text` at which a line of the original starts. */
  readonly lineStarts: ReadonlySet<number>;
}

/** Visible ASCII with single spaces needs no cleaning. A regular expression finds it faster than a cold loop. */
const plainRun = /[!-~]+(?: [!-~]+)*/y;

/**
 * Folds white space to single spaces, removes control characters, terminal escape sequences and bidirectional
 * controls, and replaces lone surrogates.
 */
export function cleanPassage(text: string, from: number, to: number): CleanPassage {
  const piece = text.slice(from, to);
  const lineStarts = new Set<number>();
  const offsets = createOffsetMap();
  let clean = "";
  let isLineStart = false;
  let index = 0;
  while (index < piece.length) {
    plainRun.lastIndex = index;
    if (plainRun.test(piece)) {
      if (isLineStart) lineStarts.add(clean.length);
      isLineStart = false;
      offsets.addRun(index, clean.length);
      clean += piece.slice(index, plainRun.lastIndex);
      index = plainRun.lastIndex;
      continue;
    }
    const code = piece.charCodeAt(index);
    offsets.addPoint(index, clean.length);
    if (code === ESC || code === CSI) {
      index = Math.min(piece.length, terminalEscapeEnd(piece, index));
      continue;
    }
    if (isSpace(code) || isInvisible(code)) {
      if (isLineEnd(code)) isLineStart = true;
      if (isSpace(code) && clean !== "" && !clean.endsWith(" ")) clean += " ";
      index++;
      continue;
    }
    if (isLineStart) lineStarts.add(clean.length);
    isLineStart = false;
    const pair = piece.codePointAt(index) ?? 0;
    if (pair > 0xffff) {
      clean += piece.slice(index, index + 2);
      offsets.addPoint(index + 1, clean.length);
      index += 2;
    } else {
      clean += isSurrogate(code) ? "\ufffd" : piece.charAt(index);
      index++;
    }
  }
  offsets.addPoint(piece.length, clean.length);
  return { text: clean, at: (raw) => offsets.at(raw - from), lineStarts };
}

/** Maps original offsets to cleaned ones. Entries are added in ascending order; each applies up to the next. */
interface OffsetMap {
  /** Adds text that is copied unit by unit. */
  addRun(index: number, cleaned: number): void;
  /** Adds text whose units all map to one offset. */
  addPoint(index: number, cleaned: number): void;
  at(index: number): number;
}

function createOffsetMap(): OffsetMap {
  const starts: number[] = [];
  const targets: number[] = [];
  const runs: boolean[] = [];
  const add = (index: number, cleaned: number, isRun: boolean): void => {
    starts.push(index);
    targets.push(cleaned);
    runs.push(isRun);
  };
  return {
    addRun: (index, cleaned) => add(index, cleaned, true),
    addPoint: (index, cleaned) => add(index, cleaned, false),
    at(index) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) > index) high = middle - 1;
        else low = middle;
      }
      return (targets[low] ?? 0) + (runs[low] === true ? index - (starts[low] ?? 0) : 0);
    },
  };
}

const ESC = 27;
const CSI = 0x9b;

/** Says whether `\s` matches a character. Compares codes, because compiling a regular expression takes as long as a search. */
function isSpace(code: number): boolean {
  if (code <= 0xa0) return code === 0x20 || (code >= 9 && code <= 13) || code === 0xa0;
  return (code >= 0x2000 && code <= 0x200a) || (code >= 0x2028 && code <= 0x2029) || spaces.includes(code);
}

const spaces: readonly number[] = [0x1680, 0x202f, 0x205f, 0x3000, 0xfeff];

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

/** Says whether a character is a control character or a bidirectional control. */
function isInvisible(code: number): boolean {
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

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}
