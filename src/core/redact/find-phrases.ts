import type { Finder, Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { isUuid } from "./randomness.ts";
import { type Value, withoutTrailing } from "./read-value.ts";
import { readSecretName } from "./secret-name.ts";
import { isSecretValue } from "./secret-value.ts";
import { MARGIN } from "./text-units.ts";

/**
 * A password that neither colon nor equals sign gives away. What stands between the word and the value:
 * `is`, spaces (`.netrc`, SQL), the bar of a table, a comma (`define('DB_PASSWORD', '…')`), a tag (`<password>…`), a call.
 */
const AFTER_WORD =
  /\\{0,3}["'`]?(?:(?:\*\*)?[ \t]{0,20}\|[ \t]{0,4}|[ \t]for[^:\n]{1,40}:[ \t]{1,3}|[ \t]{1,3}(?:(?:is|was|=|->|\u2192)[ \t]{1,3})?|[ \t]{0,2},[ \t]{0,2}(?=\\{0,3}["'`])|\\{0,3}["']?>|[ \t]{0,2}\([ \t]{0,2}(?=\\{0,3}["'`]))\\{0,3}(["'`]?)/y;
const BARE = /[^\s"'`<>()[\]{},;\\]{4,128}/y;
const IDENTIFIED = /IDENTIFIED BY '([^'\n]{4,128})'/gi;

/** Passwords in prose, SQL, XML, `.netrc` and calls. */
export const findPhrases: Finder = (text, found, units) => {
  scan(text, "wor", "pass", found, units);
  scan(text, "WOR", "PASS", found, units);
  if (text.includes("IDENTIFIED BY ")) findGroups(text, IDENTIFIED, found);
};

/** Looks for the middle of the word: a search for `w` stops seldom, one for `p` or `s` at every other word. */
function scan(
  text: string,
  middle: "wor" | "WOR",
  begin: string,
  found: Finding[],
  units: Uint16Array,
): void {
  const s = begin.charCodeAt(3);
  let at = text.indexOf(middle);
  while (at !== -1) {
    const end = at + 4;
    const isWord =
      units[MARGIN + at - 1] === s &&
      text.endsWith(begin.slice(1), at) &&
      /[pP]/.test(text.charAt(at - 4)) &&
      /[dtDT]/.test(text.charAt(end - 1));
    at = text.indexOf(middle, isWord ? Math.max(phraseAt(text, end, found), end) : end);
  }
}

function phraseAt(text: string, at: number, found: Finding[]): number {
  AFTER_WORD.lastIndex = at;
  const between = AFTER_WORD.exec(text);
  if (between === null) return at;
  const start = AFTER_WORD.lastIndex;
  const quote = between[1] ?? "";
  BARE.lastIndex = start;
  if (!BARE.test(text)) return at;
  // In prose a full stop ends the sentence, not the password.
  const word = text.slice(start, BARE.lastIndex);
  const bare = quote === "" ? withoutTrailing(word, ".:?") : word;
  const end = start + bare.length;
  if (quote !== "" && text.charAt(end).replace("\\", quote) !== quote) return at;
  const isTag = between[0].includes(">");
  if (isTag && text.charAt(end) !== "<") return at;
  if (quote === "" && !isTag && !isSpoken(bare)) return at;
  // A list of names has commas too: `"user", "password", "role"`.
  if (between[0].includes(",") && !/[^A-Za-z_-]/.test(bare)) return at;
  const value: Value = { text: bare, start, end, quote: isTag || quote !== "" ? '"' : "" };
  const name = readSecretName("password");
  if (name === undefined || !isSecretValue(name, value, text.charAt(end))) return at;
  found.push({ kind: "password", start, end });
  return end;
}

/** In prose any word can follow; a password has a digit among at least three letters, or a digit and a sign. */
function isSpoken(word: string): boolean {
  if (isUuid(word)) return true;
  return (
    word.length >= 6 &&
    /\d/.test(word) &&
    /[A-Za-z]/.test(word) &&
    !/^[a-z]+\d$|^\d+[a-z]+$|^v?\d|[=/:]/.test(word)
  );
}

function findGroups(text: string, pattern: RegExp, found: Finding[]): void {
  for (const match of text.matchAll(pattern)) {
    const secret = match[1];
    if (secret === undefined || isPlaceholder(secret) || /^(?:password|pass|secret)$/i.test(secret)) continue;
    const start = match.index + match[0].lastIndexOf(secret);
    found.push({ kind: "password", start, end: start + secret.length });
  }
}
