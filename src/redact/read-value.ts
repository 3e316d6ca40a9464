import { looksRandom } from "./randomness.ts";

/** The value that follows a name: a quoted text, or characters up to where they can't belong to a value any more. */
export interface Value {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The quote before it; `"` for a text that YAML or a table sets apart without one. */
  readonly quote: "" | '"' | "'" | "`";
}

const MAX_VALUE = 16_384;
/**
 * The source of a pattern: the end of a line, also as an escape of JSON in JSON, and what may begin the next line in a
 * log: a line number, a mark of a diff, indentation.
 */
export const LINE_BREAK: string = String.raw`(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)(?:[ \t]{0,8}\d{1,6}(?:\u2192|:|\t| ?\|))?[ \t+]{0,60}`;
/** `password: str = "…"`, `val apiKey: String = "…"`, `KEY: &[u8] = b"…"`: a type between the name and its value. */
const TYPE_BETWEEN = /[ \t]{0,4}[A-Za-z&'[*][\w&'<>[\]?|.;* ]{0,40}=[ \t]{0,4}(?=[A-Za-z]{0,2}["'`])/y;
/** What YAML puts before a value: `!!str x`, `&anchor x`. */
const YAML_PROPERTIES = /[ \t]{1,12}(?:!![\w-]{1,20}[ \t]{1,4})?(?:&[\w-]{1,40}[ \t]{1,4})?(?=[^\s,;)=|])/y;
/** A block scalar of YAML, `|`, `>-`, `|2 # comment`: its text is on the next line. */
const YAML_BLOCK = new RegExp(
  String.raw`[ \t]{0,4}[|>][+-]?\d?[+-]?[ \t]{0,4}(?:#[^\n\\]{0,80})?${LINE_BREAK}`,
  "y",
);
const LINE_OF_BLOCK = /[^\s"'`\\](?:[^\r\n"'`\\]{0,4094}[^\s"'`\\])?/y;
/** A quoted value on the next line: `SECRET =⏎  "…"`, `SECRET = (⏎  "…"`. */
const QUOTED_ON_NEXT_LINE = new RegExp(
  String.raw`[ \t]{0,4}\(?[ \t]{0,4}${LINE_BREAK}(?=[brfBRF]{0,2}["'\`])`,
  "y",
);
/** A random value alone on the next line, or the one after it: `Your API key:⏎⏎  …`. */
const LONE_ON_NEXT_LINE = new RegExp(
  String.raw`[ \t]{0,4}(?:${LINE_BREAK}){1,2}(?![\w+.-]{1,80}[=:][^=\s])(?=[^\s"'\`<>\\]{16,256}[ \t]{0,4}(?:\r?\n|$))`,
  "y",
);
/** The rest of `**Password:**`, spaces, a prefix of a string literal, escapes before the quote (JSON in JSON). */
const OPENING = /(?:\*{1,2}(?=[ \t]))?[ \t]{0,12}(?:(?:[brBRuUfFLN@&]{1,2})?\\{0,7}(["'`])|)/y;
/** The other two of three quotes, and the line break that may follow them. */
const REST_OF_TRIPLE = new RegExp(String.raw`(?:""|''|\\{1,7}"\\{1,7}")(?:${LINE_BREAK})?`, "y");
const NAME_OF_FIELD = /\\{0,7}["'`][ \t]{0,4}[:=]/y;
const BARE = /[^\s"'`,;(){}[\]<>|&\\]{1,4096}/y;
/** A setting's value reaches to the next space; only an escape of JSON or a quote ends it before. */
const SETTING = /(?:[^\s"'`\\]|\\(?![nrt"'\\])){1,4096}/y;

/** Reads the value that begins at `at`. `isSetting`: all characters up to the next space belong to it. */
export function readValue(text: string, at: number, isSetting: boolean): Value | undefined {
  const inlineAt = skip(YAML_PROPERTIES, text, skip(TYPE_BETWEEN, text, at));
  const blockAt = skip(YAML_BLOCK, text, inlineAt);
  if (blockAt > inlineAt) return readWhile(LINE_OF_BLOCK, text, blockAt, '"');
  const from = skip(QUOTED_ON_NEXT_LINE, text, inlineAt);
  const loneAt = skip(LONE_ON_NEXT_LINE, text, from);
  if (loneAt > from) {
    const lone = readWhile(SETTING, text, loneAt, "");
    return lone !== undefined && looksRandom(lone.text, 16) ? lone : undefined;
  }
  OPENING.lastIndex = from;
  const quote = OPENING.exec(text)?.[1];
  const start = Math.max(from, OPENING.lastIndex);
  if (quote !== '"' && quote !== "'" && quote !== "`")
    return readWhile(isSetting ? SETTING : BARE, text, start, "");
  const value = readQuoted(text, skip(REST_OF_TRIPLE, text, start), quote);
  // On the next line it may be the name of a field: `password:⏎  "type": …`.
  if (from > inlineAt && value !== undefined && skip(NAME_OF_FIELD, text, value.end) > value.end)
    return undefined;
  return value;
}

function readWhile(pattern: RegExp, text: string, start: number, quote: Value["quote"]): Value | undefined {
  const end = skip(pattern, text, start);
  return end === start ? undefined : { text: text.slice(start, end), start, end, quote };
}

function readQuoted(text: string, start: number, quote: '"' | "'" | "`"): Value | undefined {
  const limit = Math.min(text.length, start + MAX_VALUE);
  let end = start;
  while (end < limit) {
    const character = text.charCodeAt(end);
    if (character === 10 || text[end] === quote) break;
    end++;
  }
  // The backslash belongs to an escaped quote, not to the value.
  while (end > start && text.charCodeAt(end - 1) === 92) end--;
  const value = text.slice(start, end);
  // A quote that was never closed: the value would reach into the next field of JSON.
  if (end === start || (quote !== '"' && /"[,:}\]]/.test(value))) return undefined;
  return { text: value, start, end, quote };
}

/** Where a sticky pattern that matches at `at` ends; `at` if it does not match. */
export function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Without the trailing characters that belong to the sentence. By hand: a pattern tied to the end takes quadratic time. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
