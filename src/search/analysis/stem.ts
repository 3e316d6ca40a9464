import { irregularStems } from "./irregular-stems.ts";

/**
 * Light stemming of English words: plurals, -ing, -ed, -ly and the final silent e. It unites forms
 * of one word (cache, caches, cached, caching) and leaves word families apart (cacher, cacheable):
 * a stem that is too short costs precision on every query, one that is too long costs a rare hit
 * that the prefix search still finds.
 *
 * The silent e is dropped, not restored: which -ing form takes an e (deleting) and which does not
 * (editing) is a matter of lists, while "delete" loses its e by rule. It stays in short words with one
 * vowel before one consonant (pipe, node, state), since those would become other words (pip, nod,
 * stat), and there the missing double consonant says that an e is due (piping, against tipping).
 *
 * `word` must be lower-case a to z.
 */
export function stem(word: string): string {
  const irregular = irregularStems.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < 4) return word;
  const singular = withoutPlural(word);
  const known = singular === word ? undefined : irregularStems.get(singular);
  return known ?? withoutSilentEnd(withoutEnding(singular));
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s")) return word;
  if (word.endsWith("ies")) return word.length <= 4 ? word.slice(0, -1) : `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz|o)es$/.test(word)) return word.slice(0, -2);
  // class, status, redis, nodejs
  if (/[suij]s$/.test(word)) return word;
  const singular = word.slice(0, -1);
  return vowelGroups(singular) > 0 ? singular : word;
}

function withoutEnding(word: string): string {
  if (word.length > 4) {
    if (word.endsWith("ied")) return `${word.slice(0, -3)}y`;
    if (word.endsWith("ing")) return verb(word, word.slice(0, -3));
    if (word.endsWith("ly")) return withoutLy(word, word.slice(0, -2));
  }
  return word.endsWith("ed") && !word.endsWith("eed") ? verb(word, word.slice(0, -2)) : word;
}

/** Restores the verb from the letters before -ing or -ed: a double consonant is halved, a short word gets its e back. */
function verb(word: string, rest: string): string {
  const groups = vowelGroups(rest);
  if (rest.length < 2 || groups === 0) return word;
  if (rest.length > 3 && /([^aeiou])\1$/.test(rest)) return /[lszf]$/.test(rest) ? rest : rest.slice(0, -1);
  return groups === 1 && endsInShortSyllable(rest) ? `${rest}e` : rest;
}

/** Restores the adjective from the letters before -ly; apply, reply and the like are no adverbs. */
function withoutLy(word: string, rest: string): string {
  if (rest.length < 3 || vowelGroups(rest) === 0) return word;
  if (rest.endsWith("ical")) return rest.slice(0, -2);
  if (rest.endsWith("i")) return `${rest.slice(0, -1)}y`;
  if (rest.endsWith("b")) return `${rest}le`;
  return /[cdeghklmnrstw]$/.test(rest) ? rest : word;
}

/** Normalizes the rest of a word: no silent e, y for ie, one l for ell and oll. */
function withoutSilentEnd(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith("ie")) return word.length === 4 ? word : `${word.slice(0, -2)}y`;
  if (/[eo]ll$/.test(word)) return vowelGroups(word) > 1 ? word.slice(0, -1) : word;
  if (!word.endsWith("e") || word.length < 5) return word;
  const rest = word.slice(0, -1);
  if (rest.endsWith("u")) return rest;
  if (/[aeioyw]$/.test(rest)) return word;
  return vowelGroups(rest) === 1 && endsInShortSyllable(rest) ? word : rest;
}

/** One vowel, then one consonant at the end: pip, us, nam; not read, test, show, fix. */
function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  if (/[aeiouwxy]$/.test(word) || !isVowelAt(word, last - 1)) return false;
  // The u of qu is not a vowel: quot(ing), requir(ing).
  return !isVowelAt(word, last - 2) || /qu..$/.test(word);
}

/** A y is a vowel after a consonant. */
function isVowelAt(word: string, index: number): boolean {
  if (index < 0) return false;
  if (vowels.has(word.charCodeAt(index))) return true;
  return index > 0 && word[index] === "y" && !vowels.has(word.charCodeAt(index - 1));
}

const vowels: ReadonlySet<number> = new Set([..."aeiou"].map((letter) => letter.charCodeAt(0)));

function vowelGroups(word: string): number {
  let groups = 0;
  for (let index = 0; index < word.length; index++)
    if (isVowelAt(word, index) && !isVowelAt(word, index - 1)) groups++;
  return groups;
}
