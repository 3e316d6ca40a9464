import {
  BREAK,
  type ClassifiedText,
  classifyText,
  DENSE,
  ESCAPE,
  isDigit,
  JOINT,
  releaseText,
  SEPARATOR,
  WORD,
} from "./characters.ts";
import { terminalEscapeEnd, writtenEscapeEnd } from "./escapes.ts";
import { base64End, base64RunEnd } from "./junk.ts";
import type { Tail } from "./split-name.ts";
import type { TokenCache } from "./token-cache.ts";

/** How a token is connected with the one before it. */
export type Link =
  /** A name that starts a path, or is alone; the next name of the same path; its last two names, again, as one. */
  | "first"
  | "next"
  | "pair"
  /** Two letters of a dense script: the first ones of their run; later ones; the last letter again; the only one. */
  | "dense-first"
  | "dense-next"
  | "dense-last"
  | "dense-only";

/** Receives a token with its place in the text; returns true to end the scan. */
export type Visit<T> = (token: T, start: number, end: number, link: Link) => boolean;

const HASH = 35;
const PLUS = 43;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const LOWER_C = 99;
const LOWER_F = 102;

/**
 * Cuts a text into tokens: names, which are letters and digits with the joints between them (token.ts, no-verify,
 * don't), and pairs of letters of scripts without spaces. Names joined by / \ : are a path; its last two names are
 * visited together as well, so that "auth/token.ts" is found at the end of any path, without a term for every
 * whole path.
 */
export function scanTokens<T>(text: string, tokens: TokenCache<T>, visit: Visit<T>): void {
  const source = classifyText(text);
  const { units, classes, length } = source;
  let index = 0;
  while (index >= 0 && index < length) {
    const kind = classes[index];
    if (kind === WORD) index = scanPath(source, index, tokens, visit);
    else if (kind === BREAK) index++;
    else if (kind === DENSE) index = scanDense(source, index, tokens, visit);
    else if (kind === ESCAPE) index = terminalEscapeEnd(text, index);
    else if (units[index] === BACKSLASH) index = Math.max(index + 1, writtenEscapeEnd(text, index));
    else index++;
  }
  releaseText(source);
}

/** Scans a path, or a single name, from `start`; returns where to continue, or -1 if the visitor has enough. */
function scanPath<T>(source: ClassifiedText, start: number, tokens: TokenCache<T>, visit: Visit<T>): number {
  const { units, classes } = source;
  let before = -1;
  let from = start;
  let hasDrive = false;
  for (;;) {
    const end = nameEnd(source, from);
    const token = tokens.at(source, from, end);
    if (visit(token, from, end, before < 0 ? "first" : "next")) return -1;
    const tail = tokens.tailOf(token);
    if (tail !== undefined || units[end] === COMMA) {
      const skipped = tailEnd(source, from, end, tail);
      if (skipped > end) return skipped;
    }
    const joint = classes[end] === SEPARATOR ? separatorLength(source, from, end, hasDrive) : 0;
    if (joint === 0) {
      if (before < 0) return end;
      return visit(tokens.at(source, before, end), before, end, "pair") ? -1 : end;
    }
    if (units[end] === COLON && units[end + 1] === BACKSLASH) hasDrive = true;
    before = from;
    from = end + joint;
  }
}

function nameEnd({ units, classes }: ClassifiedText, start: number): number {
  let end = start + 1;
  for (;;) {
    const kind = classes[end];
    if (kind !== WORD && (kind !== JOINT || classes[end + 1] !== WORD)) break;
    end++;
  }
  if (end > start + 1) return end;
  // C++, C# and F#
  const letter = (units[start] ?? 0) | 32;
  if (letter === LOWER_C && units[end] === PLUS && units[end + 1] === PLUS) return end + 2;
  const isSharp = (letter === LOWER_C || letter === LOWER_F) && units[end] === HASH;
  return isSharp && classes[end + 1] !== WORD ? end + 1 : end;
}

/** The length of the separator after the name from `from` to `end`; 0 if the path ends there. */
function separatorLength(
  { text, units, classes }: ClassifiedText,
  from: number,
  end: number,
  hasDrive: boolean,
): number {
  const sign = units[end];
  const next = units[end + 1];
  let length = 1;
  if (sign === COLON && next === BACKSLASH) {
    // C:\x and, as a string in source code, C:\\x
    if (end - from !== 1) return 0;
    length = units[end + 2] === BACKSLASH ? 3 : 2;
  } else if (sign === COLON) {
    // node:fs, Foo::bar; not file.ts:12 and not 12:30.
    if (next === COLON) length = 2;
    if (isDigit(units[end - 1] ?? 0) || isDigit(units[end + length] ?? 0)) return 0;
  } else if (sign === BACKSLASH) {
    if (next === BACKSLASH) length = 2;
    else if (!hasDrive && writtenEscapeEnd(text, end) > end) return 0;
  }
  return classes[end + length] === WORD ? length : 0;
}

/** Where to continue after a name: after base64 or the rest of a time of day, if that follows. */
function tailEnd({ text, units }: ClassifiedText, from: number, end: number, tail: Tail): number {
  if (tail === "base64") return Math.max(end, base64End(text, from));
  if (tail === "time") {
    timeRest.lastIndex = end;
    timeRest.test(text);
    return timeRest.lastIndex;
  }
  const isData = units[end] === COMMA && end - from === 6 && text.startsWith("base64", from);
  return isData ? base64RunEnd(text, end + 1) : end;
}

/** The part after 2026-10-01T12 in a time. */
const timeRest = /[0-9:.+Z-]*/y;

/**
 * Visits a run of letters of scripts without spaces in pairs: 検索機能 has 検索, 索機, 機能, and its last
 * letter 能 alone. Every letter then starts some term, so that a single letter is found by its prefix; a term
 * for each letter would double the terms of such a text.
 */
function scanDense<T>(
  { text, classes }: ClassifiedText,
  start: number,
  tokens: TokenCache<T>,
  visit: Visit<T>,
): number {
  let end = start + 1;
  while (classes[end] === DENSE) end++;
  const run = text.slice(start, end).normalize("NFKC");
  const isMoved = run.length !== end - start;
  const letters = [...run];
  let at = start;
  for (const [index, letter] of letters.entries()) {
    const pair = letter + (letters[index + 1] ?? "");
    const link = denseLink(index, letters.length);
    if (visit(tokens.of(pair), isMoved ? start : at, isMoved ? end : at + pair.length, link)) return -1;
    at += letter.length;
  }
  return end;
}

function denseLink(index: number, letters: number): Link {
  if (letters === 1) return "dense-only";
  if (index === 0) return "dense-first";
  return index === letters - 1 ? "dense-last" : "dense-next";
}
