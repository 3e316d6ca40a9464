import type { TermSink } from "../ranking/index-schema.ts";
import { isDigit, isLower, isUpper } from "./char-class.ts";
import { foldLetters } from "./fold.ts";
import { MAX_TERM_CHARS } from "./junk.ts";
import { joinParts, splitName, TAIL_NONE } from "./split-name.ts";
import { STEM_ROOM, stemLetters } from "./stem.ts";
import type { TextUnits } from "./text-units.ts";
import { isAscii, makeToken, PLAIN_CHARS, termsOf } from "./token.ts";
import { tokenAt } from "./token-cache.ts";
import { createNameWalk, MAX_WALKED_CHARS, type NameWalk, walkName } from "./walk-name.ts";
import { isStopLetters, isWeakLetters, weakId } from "./weak-terms.ts";

/** Makes the codes of names that are met for the first time: the same terms as `makeToken`, without the tokens. */
export interface NameCodes {
  codeOf(source: TextUnits, start: number, end: number): number;
  /** Of the whole of a name; -1 where it has none. */
  wholeOf(source: TextUnits, start: number, end: number): number;
}

/** What is known already. */
export interface KnownCodes {
  /** Of a part of a name, as if it stood alone. */
  codeAt(source: TextUnits, start: number, end: number): number;
  /** Adds to `codes` those of the codes of a name that count as often as they occur; how many there are then. */
  addStrong(code: number, codes: Int32Array, count: number): number;
  /** Gives several codes, and what follows the name, one code. */
  keepName(codes: Int32Array, count: number, tail: number): number;
}

/** What a name is made of, while it is made; a part of it may be one too. */
interface Work {
  readonly walk: NameWalk;
  readonly codes: Int32Array;
}

/** More than the codes of any name: of its letters, its whole and its beginning. */
const MAX_CODES = 256;

export function createNameCodes(sink: TermSink, known: KnownCodes): NameCodes {
  const works: Work[] = [];
  let depth = 0;

  const workAt = (level: number): Work => {
    const work = works[level] ?? { walk: createNameWalk(), codes: new Int32Array(MAX_CODES) };
    works[level] = work;
    return work;
  };

  const termCode = (term: string): number => sink.numberOf(term) * 2 + (weakId(term) < 0 ? 0 : 1);

  /** Of a term, by its letters. */
  const lettersCode = (letters: Uint8Array, length: number): number =>
    sink.numberOfLetters(letters, length) * 2 + (isWeakLetters(letters, length) ? 1 : 0);

  /** Of the first `length` letters of `word`, a to z: what `termOf` gives, without a string. */
  const stemCode = (length: number): number => {
    if (isStopLetters(word, length)) return sink.numberOfLetters(word, length) * 2 + 1;
    for (let index = 0; index < length; index++) stemmed[index] = word[index] ?? 0;
    const found = stemLetters(stemmed, length);
    // "owned" must not become "own", which no query asks for.
    return isStopLetters(stemmed, found) ? lettersCode(word, length) : lettersCode(stemmed, found);
  };
  const word = new Uint8Array(MAX_WALKED_CHARS);
  const stemmed = new Uint8Array(MAX_WALKED_CHARS + STEM_ROOM);

  /** Of letters and digits that have no parts. */
  const wordCode = (units: Uint16Array, start: number, end: number): number => {
    const length = end - start;
    let plain = length;
    for (let index = 0; index < length; index++) {
      const unit = units[start + index] ?? 0;
      word[index] = isUpper(unit) ? unit | 32 : unit;
      if (plain === length && isDigit(unit)) plain = index;
    }
    if (plain === length) return stemCode(length);
    const code = lettersCode(word, length);
    if (plain < LEAST_LEAD) return code;
    few[0] = code;
    return known.keepName(few, addCode(few, 1, stemCode(plain)), TAIL_NONE);
  };
  const few = new Int32Array(2);

  const walkedCode = (source: TextUnits, { walk, codes }: Work): number => {
    let count = 0;
    if (walk.wholeLength > 0) codes[count++] = lettersCode(walk.whole, walk.wholeLength);
    for (let part = 0; part < walk.count; part++) {
      const code = known.codeAt(source, walk.bounds[part * 2] ?? 0, walk.bounds[part * 2 + 1] ?? 0);
      count = code < 0 ? known.addStrong(code, codes, count) : addCode(codes, count, code);
    }
    return count === 1 ? (codes[0] ?? 0) : known.keepName(codes, count, TAIL_NONE);
  };

  const otherCode = (raw: string): number => {
    const token = makeToken(raw, tokenAt);
    const codes = Int32Array.from(termsOf(token), termCode);
    return token.name === undefined ? (codes[0] ?? 0) : known.keepName(codes, codes.length, token.name.tail);
  };

  return {
    codeOf(source, start, end) {
      const { text, units } = source;
      if (isPlain(units, start, end)) return wordCode(units, start, end);
      const work = workAt(depth);
      const { walk } = work;
      if (!walkName(source, start, end, walk)) return otherCode(text.slice(start, end));
      if (walk.count === 1 && walk.bounds[0] === start && walk.bounds[1] === end)
        return wordCode(units, start, end);
      depth++;
      const code = walkedCode(source, work);
      depth--;
      return code;
    },
    wholeOf(source, start, end) {
      const { walk } = workAt(depth);
      if (walkName(source, start, end, walk))
        return walk.wholeLength === 0 ? -1 : sink.numberOfLetters(walk.whole, walk.wholeLength) * 2;
      const raw = source.text.slice(start, end);
      const name = isAscii(raw) ? raw : foldLetters(raw);
      const { parts, wholeParts } = splitName(name);
      const whole = wholeParts > 1 ? joinParts(name, parts, wholeParts) : "";
      return whole === "" || whole.length > MAX_TERM_CHARS ? -1 : sink.numberOf(whole) * 2;
    },
  };
}

/** oauth2 is also found as oauth; ts2345 is not as ts. */
const LEAST_LEAD = 3;

/** Adds a code that is not there yet; how many there are then. */
export function addCode(codes: Int32Array, count: number, code: number): number {
  for (let index = 0; index < count; index++) if (codes[index] === code) return count;
  codes[count] = code;
  return count + 1;
}

/** Is it a word of nothing but letters, in one hump? Most are. */
function isPlain(units: Uint16Array, start: number, end: number): boolean {
  const first = units[start] ?? 0;
  if (end - start > PLAIN_CHARS || (!isLower(first) && !isUpper(first))) return false;
  for (let index = start + 1; index < end; index++) if (!isLower(units[index] ?? 0)) return false;
  return true;
}
