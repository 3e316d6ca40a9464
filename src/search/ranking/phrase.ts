import { classAt, isDigit, isUpper, unitAt, WORD } from "../analysis/char-class.ts";
import { terminalColors } from "../analysis/escapes.ts";
import { termOf } from "../analysis/token.ts";

/**
 * Whether a text has these words, in this order, with nothing but space between them, case aside. They are whole
 * words: "is it" does not stand in "this item", nor "code 1" in "code 137". The last one may have another
 * ending, and both ends may stand inside of a name such as getUserById.
 */
export function createPhraseTest(phrase: string): (text: string) => boolean {
  const wanted = flatten(phrase).trim().toLowerCase();
  const lastWord = /[a-z]*$/.exec(wanted)?.[0] ?? "";
  return (text) => {
    const flat = flatten(text);
    const lower = flat.toLowerCase();
    // A few letters are longer in lower case: then nothing is known of capitals.
    const cased = flat.length === lower.length ? flat : lower;
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (isBorder(cased, at) && (isBorder(cased, end) || isEnding(lower, end, lastWord))) return true;
    }
    return false;
  };
}

/** Line breaks and runs of spaces count as one space: a phrase may be wrapped. Colours of terminals are not seen. */
function flatten(text: string): string {
  const plain = text.includes("\u001b[") ? text.replace(terminalColors, "") : text;
  return plain.normalize("NFKC").replaceAll("’", "'").replace(/\s+/g, " ");
}

/** Not inside of a word. Scripts that put no space between words have borders everywhere. */
function isBorder(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  if (classAt(text, at - 1) !== WORD || classAt(text, at) !== WORD) return true;
  const [before, after] = [unitAt(text, at - 1), unitAt(text, at)];
  return (
    before === UNDERSCORE ||
    after === UNDERSCORE ||
    isDigit(before) !== isDigit(after) ||
    (isUpper(after) && !isUpper(before))
  );
}

const UNDERSCORE = 95;

/** What follows belongs to the same word: codes, where code is wanted. */
function isEnding(text: string, end: number, word: string): boolean {
  endings.lastIndex = end;
  const [ending = ""] = endings.exec(text) ?? [];
  return word !== "" && isBorder(text, end + ending.length) && termOf(word + ending) === termOf(word);
}

const endings = /[a-z]{1,4}/y;
