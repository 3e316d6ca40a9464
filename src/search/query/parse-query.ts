import { cutText } from "../../session/text-budget.ts";
import { terminalColors } from "../analysis/escapes.ts";

/** Words that name a field; what follows the colon is its value. */
const queryFields = [
  "project",
  "file",
  "agent",
  "branch",
  "tool",
  "cmd",
  "error",
  "title",
  "in",
  "since",
  "until",
] as const;

type QueryField = (typeof queryFields)[number];

export interface QueryWord {
  readonly kind: "word" | "phrase";
  readonly text: string;
  readonly isUnwanted: boolean;
  /** Typed as `pre*`. */
  readonly isPrefix: boolean;
}

interface QueryFilter {
  readonly field: QueryField;
  readonly value: string;
  readonly isUnwanted: boolean;
}

export interface ParsedQuery {
  readonly words: readonly QueryWord[];
  readonly filters: readonly QueryFilter[];
  /** What was typed as an operator and is taken otherwise, in sentences for people. */
  readonly warnings: readonly string[];
}

/** Longer queries are cut: nobody means them. */
const MAX_CHARS = 10_000;
const MAX_WORDS = 200;
/** Control characters and spaces of any width. Classes of Unicode would take longer to load than the query to read. */
const controlsAndSpaces = /[\0-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/g;

/**
 * Reads a query: words, "phrases", -unwanted, pre*, field:value. Nothing is wrong with any text: what
 * is no operator is a word. So are -1, -x and --flag, which people look for, and what follows a quote
 * that nothing closes.
 */
export function parseQuery(typed: string | readonly string[]): ParsedQuery {
  const given = typeof typed === "string" ? typed : typed.join(" ");
  const text = cutText(given, MAX_CHARS).replace(terminalColors, "").replace(controlsAndSpaces, " ");
  const words: QueryWord[] = [];
  const filters: QueryFilter[] = [];
  const warnings: string[] = [];
  if (given.length > MAX_CHARS) warnings.push(`Only the first ${MAX_CHARS} characters are searched for`);
  let at = 0;
  for (;;) {
    while (text[at] === " ") at++;
    if (at >= text.length) break;
    if (words.length + filters.length >= MAX_WORDS) {
      warnings.push(`Only the first ${MAX_WORDS} words are searched for`);
      break;
    }
    const isUnwanted = negation.test(text.slice(at, at + NEGATION_CHARS));
    const from = isUnwanted ? at + 1 : at;
    const field = fieldAt(text, from);
    const value = readValue(text, field === undefined ? from : from + field.length + 1, field);
    at = value.end;
    if (value.isOpen) warnings.push("A quote is not closed: what follows it is searched as words");
    if (value.text === "") continue;
    if (field !== undefined) filters.push({ field, value: value.text, isUnwanted });
    else if (value.isQuoted) words.push({ kind: "phrase", text: value.text, isUnwanted, isPrefix: false });
    else words.push(...wordOf(value.text, isUnwanted));
  }
  return { words, filters, warnings };
}

/** A dash before something that is no dash, no number to its end, and no single letter: `tar -x` has a flag. */
const negation = /^-(?![\s-])(?!\d[\d.,]*(?:\s|$))(?![A-Za-z][,.;:)]?(?:\s|$))./;
const NEGATION_CHARS = 40;

/** Whether there is a letter or a digit in it: signs alone are no words. */
export function isWord(text: string): boolean {
  return /[A-Za-z0-9]/.test(text) || /[\p{L}\p{N}]/u.test(text);
}

function wordOf(typed: string, isUnwanted: boolean): readonly QueryWord[] {
  const text = typed.replace(/\*+$/, "");
  // A star alone stands for everything, which needs no saying.
  return text === "" ? [] : [{ kind: "word", text, isUnwanted, isPrefix: text.length < typed.length }];
}

/** A field's name with its colon, and something behind it. `node:fs` and `file:///x` are words, `error: x` too. */
function fieldAt(text: string, at: number): QueryField | undefined {
  const [, name = ""] = fieldName.exec(text.slice(at, at + FIELD_CHARS)) ?? [];
  return queryFields.find((field) => field === name.toLowerCase());
}

const fieldName = /^([a-z]+):(?!\s|\/\/|$)/i;
const FIELD_CHARS = 10;

interface Value {
  readonly text: string;
  readonly end: number;
  readonly isQuoted: boolean;
  /** It begins with a quote that is not closed. */
  readonly isOpen: boolean;
}

function readValue(text: string, at: number, field: QueryField | undefined): Value {
  const close = closingQuote(text, at);
  if (close === undefined) return { text: "", end: at + 1, isQuoted: false, isOpen: true };
  if (close > at)
    return { text: text.slice(at + 1, close).trim(), end: close + 1, isQuoted: true, isOpen: false };
  const end = (field === "since" || field === "until" ? dateEnd(text, at) : undefined) ?? wordEnd(text, at);
  return { text: text.slice(at, end), end, isQuoted: false, isOpen: false };
}

function wordEnd(text: string, at: number): number {
  const space = text.indexOf(" ", at);
  return space === -1 ? text.length : space;
}

/** Dates of several words need no quotes: a shell has taken them off when someone types since:"last week". */
function dateEnd(text: string, at: number): number | undefined {
  dateWords.lastIndex = at;
  return dateWords.test(text) ? dateWords.lastIndex : undefined;
}

const dateWords =
  /(?:(?:last|this) +(?:week|month|year|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|\d{1,5} *(?:hours?|days?|weeks?|months?|years?|[hdwmy])(?: +ago)?|\d{4}-\d{1,2}-\d{1,2} +\d{1,2}:\d{2}(?::\d{2})?)(?= |$)/iy;

/** What closes a phrase that begins with the key; typographic quotes are closed by a straight one too. */
const closing: Readonly<Record<string, string>> = {
  '"': '"',
  "“": '”"',
  "”": '”"',
  "„": '“”"',
  "«": "»",
  "»": "«",
  "＂": '＂"',
  "「": "」",
  "『": "』",
};

/**
 * Where the quote at `at` is closed; `at` itself if there is no quote; undefined if nothing closes it. A
 * straight quote between two letters (5"x, d"or) closes nothing.
 */
function closingQuote(text: string, at: number): number | undefined {
  const ends = closing[text[at] ?? ""];
  if (ends === undefined) return at;
  for (let index = at + 1; index < text.length; index++) {
    if (!ends.includes(text[index] ?? "")) continue;
    if (text[index] !== '"' || !isLetter(text[index - 1]) || !isLetter(text[index + 1])) return index;
  }
  return undefined;
}

function isLetter(char: string | undefined): boolean {
  return char !== undefined && (/[A-Za-z0-9]/.test(char) || /[\p{L}\p{N}]/u.test(char));
}
