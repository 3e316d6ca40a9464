/** What stands after a name: a quoted text, or characters up to where they can't belong to a value any more. */
export interface Value {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly quote: "" | '"' | "'" | "`";
}

const MAX_VALUE = 16_384;
/** The rest of `**Password:**`, spaces, a prefix of a string literal, escapes before the quote (JSON in JSON). */
const OPENING = /(?:\*{1,2}(?=[ \t]))?[ \t]{0,12}(?:[bBrRuUfFL@&]?\\{0,7}(["'`])|)/y;
/** `password: str = "…"`, `val apiKey: String = "…"`: a type stands between. */
const TYPE_BETWEEN = /[ \t]{0,4}[A-Za-z&'][\w&'<>[\]?|. ]{0,40}=[ \t]{0,4}(?=["'`])/y;
const BARE = /[^\s"'`,;(){}[\]<>|&\\]{1,4096}/y;
/** A setting's value reaches to the next space; only an escape of JSON or a quote ends it before. */
const SETTING = /(?:[^\s"'`\\]|\\(?![nrt"'\\])){1,4096}/y;

export function readValue(text: string, at: number, isSetting: boolean): Value | undefined {
  TYPE_BETWEEN.lastIndex = at;
  const from = TYPE_BETWEEN.test(text) ? TYPE_BETWEEN.lastIndex : at;
  OPENING.lastIndex = from;
  const opening = OPENING.exec(text);
  const start = opening === null ? from : OPENING.lastIndex;
  const quote = opening?.[1];
  if (quote === '"' || quote === "'" || quote === "`") return readQuoted(text, start, quote);
  const pattern = isSetting ? SETTING : BARE;
  pattern.lastIndex = start;
  if (!pattern.test(text)) return undefined;
  const end = pattern.lastIndex;
  return { text: text.slice(start, end), start, end, quote: "" };
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

/** Without the trailing characters that belong to the sentence. By hand: a pattern tied to the end takes quadratic time. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
