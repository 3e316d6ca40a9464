import { once } from "../../fs/once.ts";
import { irregularStems } from "./irregular-stems.ts";
import { createWordForms, lettersToString, writeLetters } from "./word-forms.ts";

/**
 * Light stemming of English words: plurals, -ing, -ed, -ly and the final silent e. It unites forms
 * of one word (cache, caches, cached, caching) and leaves word families apart (cacher, cacheable):
 * a stem that is too short costs precision on every query, one that is too long costs a rare hit
 * that the prefix search still finds.
 *
 * The silent e goes rather than comes back: which -ing form takes an e (deleting) and which does not
 * (editing) is a matter of lists, while "delete" without its e can be had by rule. It stays in short
 * words with one vowel before one consonant (pipe, node, state), since those would fall together
 * with others (pip, nod, stat), and there the missing double consonant says that an e is due
 * (piping, against tipping).
 *
 * `word` must be lower-case a to z.
 */
export function stem(word: string): string {
  const letters = new Uint8Array(word.length + STEM_ROOM);
  return lettersToString(letters, stemLetters(letters, writeLetters(letters, word)));
}

/** So much longer than the word a stem may be: chose is choose. */
export const STEM_ROOM = 4;

/** The same for the first `length` letters, in their place; how many there are then. */
export function stemLetters(word: Uint8Array, length: number): number {
  if (length < 3) return length;
  const known = irregularLength(word, length);
  if (known > 0) return known;
  if (length < 4) return length;
  const singular = withoutPlural(word, length);
  const knownSingular = singular === length ? 0 : irregularLength(word, singular);
  return knownSingular > 0 ? knownSingular : settled(word, withoutEnding(word, singular));
}

const irregularForms = once(() => createWordForms(irregularStems.keys()));

/** Puts the stem of an irregular word in its place; its length, 0 where it is none. */
function irregularLength(word: Uint8Array, length: number): number {
  if (!irregularForms().mayHave(word, length)) return 0;
  const known = irregularStems.get(lettersToString(word, length));
  return known === undefined ? 0 : writeLetters(word, known);
}

function withoutPlural(word: Uint8Array, length: number): number {
  if (word[length - 1] !== S) return length;
  const before = word[length - 2] ?? 0;
  if (before === E) {
    if (word[length - 3] === I) {
      if (length <= 4) return length - 1;
      word[length - 3] = Y;
      return length - 2;
    }
    if (takesEs(word, length - 2)) return length - 2;
  }
  // class, status, redis, nodejs
  if (before === S || before === U || before === I || before === J) return length;
  return vowelGroups(word, length - 1) > 0 ? length - 1 : length;
}

/** Does what ends here get -es for its plural: -ss, -x, -ch, -sh, -zz, -o? */
function takesEs(word: Uint8Array, length: number): boolean {
  const last = word[length - 1] ?? 0;
  const before = word[length - 2] ?? 0;
  if (last === X || last === O) return true;
  if (last === H) return before === C || before === S;
  return (last === S && before === S) || (last === Z && before === Z);
}

function withoutEnding(word: Uint8Array, length: number): number {
  const last = word[length - 1] ?? 0;
  const second = word[length - 2] ?? 0;
  const third = word[length - 3] ?? 0;
  if (length > 4) {
    if (last === D && second === E && third === I) {
      word[length - 3] = Y;
      return length - 2;
    }
    if (last === G && second === N && third === I) return verb(word, length, length - 3);
    if (last === Y && second === L) return withoutLy(word, length);
  }
  return last === D && second === E && third !== E ? verb(word, length, length - 2) : length;
}

/** What is left of a verb after -ing or -ed: a double consonant is halved, a short one gets its e back. */
function verb(word: Uint8Array, length: number, rest: number): number {
  const groups = vowelGroups(word, rest);
  if (rest < 2 || groups === 0) return length;
  const last = word[rest - 1] ?? 0;
  if (rest > 3 && last === word[rest - 2] && !isVowel(last))
    return last === L || last === S || last === Z || last === F ? rest : rest - 1;
  if (groups !== 1 || !endsInShortSyllable(word, rest)) return rest;
  word[rest] = E;
  return rest + 1;
}

/** One vowel, then one consonant at the end: pip, us, nam; not read, test, show, fix. */
function endsInShortSyllable(word: Uint8Array, length: number): boolean {
  const last = word[length - 1] ?? 0;
  if (isVowel(last) || last === W || last === X || last === Y) return false;
  if (!isVowelAt(word, length - 2)) return false;
  // The u of a q is none: quot(ing), requir(ing).
  return length < 3 || !isVowelAt(word, length - 3) || (word[length - 3] === U && word[length - 4] === Q);
}

function withoutLy(word: Uint8Array, length: number): number {
  const rest = length - 2;
  if (rest < 3 || vowelGroups(word, rest) === 0) return length;
  const last = word[rest - 1] ?? 0;
  if (last === L && word[rest - 2] === A && word[rest - 3] === C && word[rest - 4] === I) return rest - 2;
  if (last === I) {
    word[rest - 1] = Y;
    return rest;
  }
  if (last === B) {
    word[rest] = L;
    word[rest + 1] = E;
    return rest + 2;
  }
  return ((LY_AFTER >>> (last - A)) & 1) === 1 ? rest : length;
}

const A = 97;
const B = 98;
const C = 99;
const D = 100;
const E = 101;
const F = 102;
const G = 103;
const H = 104;
const I = 105;
const J = 106;
const L = 108;
const N = 110;
const O = 111;
const Q = 113;
const S = 115;
const U = 117;
const W = 119;
const X = 120;
const Y = 121;
const Z = 122;

/** Letters before -ly that make it an adverb, as bits; p (apply, reply) and a vowel but e do not. */
const LY_AFTER: number = bitsOf("cdeghklmnrstw");
const VOWELS: number = bitsOf("aeiou");

function bitsOf(letters: string): number {
  let bits = 0;
  for (const letter of letters) bits |= 1 << (letter.charCodeAt(0) - A);
  return bits;
}

/** Brings what is left to its last form, whatever way it came: silent e, y for ie, one l for ell and oll. */
function settled(word: Uint8Array, length: number): number {
  if (length < 4) return length;
  const last = word[length - 1] ?? 0;
  const before = word[length - 2] ?? 0;
  if (last === E && before === I) {
    if (length === 4) return length;
    word[length - 2] = Y;
    return length - 1;
  }
  if (last === L && before === L && (word[length - 3] === E || word[length - 3] === O))
    return vowelGroups(word, length) > 1 ? length - 1 : length;
  if (last !== E || length < 5) return length;
  if (before === U) return length - 1;
  if (isVowel(before) || before === Y || before === W) return length;
  const rest = length - 1;
  return vowelGroups(word, rest) === 1 && endsInShortSyllable(word, rest) ? length : rest;
}

function isVowel(letter: number): boolean {
  return letter >= A && ((VOWELS >>> (letter - A)) & 1) === 1;
}

/** A y counts as a vowel behind a consonant. */
function isVowelAt(word: Uint8Array, index: number): boolean {
  const letter = word[index] ?? 0;
  return isVowel(letter) || (letter === Y && index > 0 && !isVowel(word[index - 1] ?? 0));
}

function vowelGroups(word: Uint8Array, length: number): number {
  let groups = 0;
  let isInside = false;
  let before = 0;
  for (let index = 0; index < length; index++) {
    const letter = word[index] ?? 0;
    const vowel = isVowel(letter) || (letter === Y && index > 0 && !isVowel(before));
    if (vowel && !isInside) groups++;
    isInside = vowel;
    before = letter;
  }
  return groups;
}
