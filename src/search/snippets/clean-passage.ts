import { terminalEscapeEnd } from "../analysis/escapes.ts";

/** A piece of a text as it may be shown in one line, with the way back to where it stood. */
export interface CleanPassage {
  readonly text: string;
  /** Where a unit of the original stands now; from `from` to `to`, both included. */
  at(index: number): number;
  /** Places at which a line of the original begins. */
  readonly lineStarts: ReadonlySet<number>;
}

/** Visible ASCII with single spaces in it is shown as it is. The engine finds it faster than a loop that has just begun. */
const plainRun = /[!-~]+(?: [!-~]+)*/y;

/**
 * Folds white space and leaves out control characters, escape sequences of terminals, marks that turn the
 * direction of text, and halves of characters.
 */
export function cleanPassage(text: string, from: number, to: number): CleanPassage {
  const piece = text.slice(from, to);
  const lineStarts = new Set<number>();
  const places = createPlaces();
  let clean = "";
  let isLineStart = false;
  let index = 0;
  while (index < piece.length) {
    plainRun.lastIndex = index;
    if (plainRun.test(piece)) {
      if (isLineStart) lineStarts.add(clean.length);
      isLineStart = false;
      places.run(index, clean.length);
      clean += piece.slice(index, plainRun.lastIndex);
      index = plainRun.lastIndex;
      continue;
    }
    const code = piece.charCodeAt(index);
    places.stand(index, clean.length);
    if (code === ESC || code === CSI) {
      index = Math.min(piece.length, terminalEscapeEnd(piece, index));
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
    const pair = piece.codePointAt(index) ?? 0;
    if (pair > 0xffff) {
      clean += piece.slice(index, index + 2);
      places.stand(index + 1, clean.length);
      index += 2;
    } else {
      clean += isSurrogate(code) ? "\ufffd" : piece.charAt(index);
      index++;
    }
  }
  places.stand(piece.length, clean.length);
  return { text: clean, at: (raw) => places.at(raw - from), lineStarts };
}

/** Where what stood at some places stands now. */
interface Places {
  /** From here on, one unit for one unit. */
  run(index: number, now: number): void;
  /** All that follows, up to the next, stands where this does. */
  stand(index: number, now: number): void;
  at(index: number): number;
}

function createPlaces(): Places {
  const starts: number[] = [];
  const nows: number[] = [];
  const runs: boolean[] = [];
  const note = (index: number, now: number, isRun: boolean): void => {
    starts.push(index);
    nows.push(now);
    runs.push(isRun);
  };
  return {
    run: (index, now) => note(index, now, true),
    stand: (index, now) => note(index, now, false),
    at(index) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] ?? 0) > index) high = middle - 1;
        else low = middle;
      }
      return (nows[low] ?? 0) + (runs[low] === true ? index - (starts[low] ?? 0) : 0);
    },
  };
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

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}
