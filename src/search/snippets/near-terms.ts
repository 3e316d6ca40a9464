import { irregularStems } from "../analysis/irregular-stems.ts";

/** How many letters of a term a text must have for it to be looked at closely. */
const LETTERS = 6;
/** More than these are looked for as fast by reading everything. */
const MAX_STARTS = 40;

/** Terms that words with another beginning may come to. */
const irregular: ReadonlySet<string> = new Set(irregularStems.values());

/**
 * Finds where in a text one of the terms may stand: nearly all words of a term begin as it does. Looking
 * for that is ten times as fast as reading all words. undefined where it can't be told, or is not worth it.
 */
export function nearTerms(terms: Iterable<string>): RegExp | undefined {
  const starts = new Set<string>();
  for (const term of terms) {
    if (!/^[a-z0-9]{2}/.test(term) || irregular.has(term)) return undefined;
    starts.add(startOf(/^[a-z0-9]+/.exec(term)?.[0] ?? ""));
    if (starts.size > MAX_STARTS) return undefined;
  }
  return starts.size === 0 ? undefined : new RegExp([...starts].join("|"), "gi");
}

/**
 * Endings change the last letter (tried, try). Signs between the words of a name are no part of its term, and
 * letters with marks are other letters there.
 */
function startOf(letters: string): string {
  const [first = "", ...more] = letters.slice(0, Math.min(LETTERS, Math.max(2, letters.length - 1)));
  return first + more.map((letter) => `(?:[^a-z0-9]{0,3}${letter}|[^\\0-\\x7f])`).join("");
}

/** The words, from space to space, in which the pattern has a match; those that stand close together as one. */
export function* spansAround(text: string, near: RegExp): Generator<readonly [from: number, to: number]> {
  near.lastIndex = 0;
  let open: [number, number] | undefined;
  for (let found = near.exec(text); found !== null; found = near.exec(text)) {
    const from = wordStart(text, found.index);
    const to = wordEnd(text, near.lastIndex);
    near.lastIndex = to;
    if (open !== undefined && from - open[1] <= CLOSE) {
      open[1] = to;
      continue;
    }
    if (open !== undefined) yield open;
    open = [from, to];
  }
  if (open !== undefined) yield open;
}

const CLOSE = 16;

function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && text.charCodeAt(start - 1) > 0x20) start--;
  return start;
}

function wordEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && text.charCodeAt(end) > 0x20) end++;
  return end;
}
