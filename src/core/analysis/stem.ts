import { irregularStems } from "./irregular-stems.ts";

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
  if (word.length < 3) return word;
  const known = irregularStems.get(word);
  if (known !== undefined) return known;
  if (word.length < 4) return word;
  const singular = withoutPlural(word);
  const knownSingular = singular === word ? undefined : irregularStems.get(singular);
  return knownSingular ?? settled(withoutEnding(singular));
}

function withoutPlural(word: string): string {
  const length = word.length;
  if (word.charCodeAt(length - 1) !== LETTER_S) return word;
  if (word.endsWith("ies")) return length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (word.charCodeAt(length - 2) === LETTER_E && PLURAL_ES.test(word)) return word.slice(0, -2);
  // class, status, redis, nodejs
  if (NOT_PLURAL.includes(word.charAt(length - 2))) return word;
  const rest = word.slice(0, -1);
  return vowelGroups(rest) > 0 ? rest : word;
}

const PLURAL_ES = /(?:ss|x|[cs]h|zz|o)es$/;
const NOT_PLURAL = "suij";

function withoutEnding(word: string): string {
  const length = word.length;
  if (length > 4) {
    if (word.endsWith("ied")) return `${word.slice(0, -3)}y`;
    if (word.endsWith("ing")) return verb(word, word.slice(0, -3));
    if (word.endsWith("ly")) return withoutLy(word);
  }
  if (word.endsWith("ed") && word.charCodeAt(length - 3) !== LETTER_E) return verb(word, word.slice(0, -2));
  return word;
}

/** What is left of a verb after -ing or -ed: a double consonant is halved, a short one gets its e back. */
function verb(word: string, rest: string): string {
  const groups = vowelGroups(rest);
  if (rest.length < 2 || groups === 0) return word;
  const last = rest.charAt(rest.length - 1);
  if (rest.length > 3 && last === rest.charAt(rest.length - 2) && !isVowel(last)) {
    return KEPT_DOUBLES.includes(last) ? rest : rest.slice(0, -1);
  }
  if (groups === 1 && endsInShortSyllable(rest)) return `${rest}e`;
  return rest;
}

const KEPT_DOUBLES = "lszf";

/** One vowel, then one consonant at the end: pip, us, nam; not read, test, show, fix. */
function endsInShortSyllable(rest: string): boolean {
  const length = rest.length;
  const last = rest.charAt(length - 1);
  if (isVowel(last) || "wxy".includes(last)) return false;
  if (!isVowelAt(rest, length - 2)) return false;
  // The u of a q is none: quot(ing), requir(ing).
  return (
    length < 3 ||
    !isVowelAt(rest, length - 3) ||
    (rest.charAt(length - 3) === "u" && rest.charAt(length - 4) === "q")
  );
}

function withoutLy(word: string): string {
  const rest = word.slice(0, -2);
  if (rest.length < 3 || vowelGroups(rest) === 0) return word;
  const last = rest.charAt(rest.length - 1);
  if (rest.endsWith("ical")) return rest.slice(0, -2);
  if (last === "i") return `${rest.slice(0, -1)}y`;
  if (last === "b") return `${rest}le`;
  return LY_AFTER.includes(last) ? rest : word;
}

/** Letters before -ly that make it an adverb; p (apply, reply) and a vowel but e do not. */
const LY_AFTER = "cdeghklmnrstw";

/** Brings what is left to its last form, whatever way it came: silent e, y for ie, one l for ell and oll. */
function settled(word: string): string {
  const length = word.length;
  if (length < 4) return word;
  if (word.endsWith("ie")) return length > 4 ? `${word.slice(0, -2)}y` : word;
  const last = word.charAt(length - 1);
  if (last === "l" && (word.endsWith("ell") || word.endsWith("oll"))) {
    return vowelGroups(word) > 1 ? word.slice(0, -1) : word;
  }
  if (last !== "e" || length < 5) return word;
  const before = word.charAt(length - 2);
  if (before === "u") return word.slice(0, -1);
  if (isVowel(before) || before === "y" || before === "w") return word;
  const rest = word.slice(0, -1);
  return vowelGroups(rest) === 1 && endsInShortSyllable(rest) ? word : rest;
}

const LETTER_E = 101;
const LETTER_S = 115;

function isVowel(letter: string): boolean {
  return letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u";
}

/** A y counts as a vowel behind a consonant. */
function isVowelAt(word: string, index: number): boolean {
  const letter = word.charAt(index);
  return isVowel(letter) || (letter === "y" && index > 0 && !isVowel(word.charAt(index - 1)));
}

function vowelGroups(word: string): number {
  let groups = 0;
  let inside = false;
  for (let index = 0; index < word.length; index++) {
    const vowel = isVowelAt(word, index);
    if (vowel && !inside) groups++;
    inside = vowel;
  }
  return groups;
}
