import { cutText } from "../../session/text-budget.ts";
import { terminalColors } from "../analysis/escapes.ts";

/** The fields of the query language; the value follows the colon. */
export const queryFields = [
  "project",
  "file",
  "agent",
  "machine",
  "owner",
  "branch",
  "tool",
  "cmd",
  "error",
  "title",
  "in",
  "since",
  "until",
] as const;

export type QueryField = (typeof queryFields)[number];

export interface QueryWord {
  readonly kind: "word" | "phrase";
  readonly text: string;
  readonly isNegated: boolean;
  /** Typed as `pre*`. */
  readonly isPrefix: boolean;
}

/** A field of the query language and its value. */
export interface FieldValue {
  readonly field: QueryField;
  readonly value: string;
}

interface QueryFilter extends FieldValue {
  readonly isNegated: boolean;
}

export interface ParsedQuery {
  readonly words: readonly QueryWord[];
  readonly filters: readonly QueryFilter[];
  /** Messages for the user about parts of the query that are read differently or ignored. */
  readonly warnings: readonly string[];
}

/** Longer queries are cut; no one types them on purpose. */
const MAX_CHARS = 10_000;
const MAX_WORDS = 200;
/** Control characters and spaces of any width. Unicode classes would take longer to load than the query to parse. */
const controlsAndSpaces = /[\0-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/g;

/**
 * Parses a query: words, "phrases", -excluded, pre*, field:value. Every text is valid: what is not an operator is a
 * word. So are -1, -x and --flag, which people search for, and the text after a quote that is not closed.
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
    const isNegated = negation.test(text.slice(at, at + NEGATION_CHARS));
    const from = isNegated ? at + 1 : at;
    const field = fieldAt(text, from);
    const value = readValue(text, field === undefined ? from : from + field.length + 1, field);
    at = value.end;
    if (value.isOpen) warnings.push("A quote is not closed: the text after it is searched as words");
    if (value.text === "") continue;
    if (field !== undefined) filters.push({ field, value: value.text, isNegated });
    else if (value.isQuoted) words.push({ kind: "phrase", text: value.text, isNegated, isPrefix: false });
    else words.push(...wordOf(value.text, isNegated));
  }
  return { words, filters, warnings };
}

/**
 * Reads arguments of a command line of which each is a field with its value, or another word. Quotes around a value are
 * removed; without quotes the rest of the argument is the value. Only a date may be several arguments.
 */
export function parseFields(given: readonly string[]): {
  readonly fields: readonly FieldValue[];
  readonly words: readonly string[];
} {
  const fields: FieldValue[] = [];
  const words: string[] = [];
  const rest = [...given];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const field = fieldAt(word, 0);
    if (field === undefined) {
      words.push(word);
      continue;
    }
    const from = field.length + 1;
    const end = isDate(field) ? (dateEnd([word, ...rest].join(" "), from) ?? 0) : 0;
    while (word.length < end) word = `${word} ${rest.shift() ?? ""}`;
    const quoted = readValue(word, from, field);
    const value = quoted.isQuoted ? quoted.text : word.slice(from);
    if (value !== "") fields.push({ field, value });
    const after = quoted.isQuoted ? word.slice(quoted.end).trim() : "";
    if (after !== "") rest.unshift(after);
  }
  return { fields, words };
}

/** A dash before anything but a dash, a number or a single letter: `tar -x` has a flag. */
const negation = /^-(?![\s-])(?!\d[\d.,]*(?:\s|$))(?![A-Za-z][,.;:)]?(?:\s|$))./;
const NEGATION_CHARS = 40;

/** Whether a text has a letter or digit; punctuation alone is not a word. */
export function isWord(text: string): boolean {
  return /[A-Za-z0-9]/.test(text) || /[\p{L}\p{N}]/u.test(text);
}

function wordOf(typed: string, isNegated: boolean): readonly QueryWord[] {
  const text = typed.replace(/\*+$/, "");
  // A star alone would match everything, so it is ignored.
  return text === "" ? [] : [{ kind: "word", text, isNegated, isPrefix: text.length < typed.length }];
}

/** Reads a field name followed by a colon and a value. `node:fs`, `file:///x` and `error: x` are words. */
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
  /** It starts with a quote that is not closed. */
  readonly isOpen: boolean;
}

function readValue(text: string, at: number, field: QueryField | undefined): Value {
  const close = closingQuote(text, at);
  if (close === undefined) return { text: "", end: at + 1, isQuoted: false, isOpen: true };
  if (close > at)
    return { text: text.slice(at + 1, close).trim(), end: close + 1, isQuoted: true, isOpen: false };
  const end = (isDate(field) ? dateEnd(text, at) : undefined) ?? wordEnd(text, at);
  return { text: text.slice(at, end), end, isQuoted: false, isOpen: false };
}

function isDate(field: QueryField | undefined): boolean {
  return field === "since" || field === "until";
}

function wordEnd(text: string, at: number): number {
  const space = text.indexOf(" ", at);
  return space === -1 ? text.length : space;
}

/** Finds the end of a date of several words, which needs no quotes: the shell removes those of since:"last week". */
function dateEnd(text: string, at: number): number | undefined {
  dateWords.lastIndex = at;
  return dateWords.test(text) ? dateWords.lastIndex : undefined;
}

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const DAY = "\\d{1,2}(?:st|nd|rd|th)?";
const dateWords = new RegExp(
  `(?:${[
    "(?:last|this) +(?:week|month|year|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?",
    `last +${MONTH}`,
    `${DAY} +${MONTH}(?:,? +\\d{4})?`,
    `${MONTH} +${DAY}(?:,? +\\d{4})?`,
    `${MONTH} +\\d{4}`,
    "\\d{1,5} *(?:minutes?|mins?|hours?|days?|weeks?|months?|mos?|years?|[mhdwy])(?: +ago)?",
    "\\d{4}-\\d{1,2}-\\d{1,2} +\\d{1,2}:\\d{2}(?::\\d{2})?",
  ].join("|")})(?= |$)`,
  "iy",
);

/** Closing quotes by opening quote; a straight quote also closes typographic ones. */
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
 * Returns the position of the quote that closes the one at `at`; `at` itself if there is no quote there; undefined
 * if it is not closed. A straight quote between two letters (5"x, d"or) does not close.
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
