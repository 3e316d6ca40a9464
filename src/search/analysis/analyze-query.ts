import { HASH_HEAD_CHARS, isHex } from "./junk.ts";
import { prefixGroups } from "./prefix-groups.ts";
import { type NameRun, type QueryRun, runsOf } from "./query-runs.ts";
import { type QueryTerm, type TermGroup, tellingParts, unique } from "./query-term.ts";
import { atomsOf, termOf } from "./token.ts";
import { isStopWord } from "./weak-terms.ts";

export type { QueryTerm } from "./query-term.ts";

/**
 * Analyses the words of a query by the same rules as documents. Stop words are left out unless there
 * is nothing else. A name is wanted whole or in all of its parts: getUserById finds get_user_by_id,
 * getuserbyid, and texts that hold get, user and id. Of a longer path the last two names are wanted
 * together and the others beside them, or all parts.
 */
export function analyzeQuery(text: string): readonly QueryTerm[] {
  const words = analyzePhrase(text);
  const telling = words.filter((word) => !isStopQuery(word));
  return telling.length > 0 ? telling : words;
}

/** Analyses words of which none may be wanting, stop words too. */
export function analyzePhrase(text: string): readonly QueryTerm[] {
  return distinct(runsOf(text).flatMap((run) => queryTerm(run, groupsOf(run))));
}

/** Analyses the beginning of a word, as `pre*` gives it; a name before it in the same word is wanted as it is. */
export function analyzePrefix(text: string): readonly QueryTerm[] {
  const runs = runsOf(text);
  return distinct(
    runs.flatMap((run, index) => queryTerm(run, index < runs.length - 1 ? groupsOf(run) : prefixGroups(run))),
  );
}

export function isStopQuery(word: QueryTerm): boolean {
  return word.any.every(
    (group) => group.prefix === undefined && group.all.length === 1 && group.all.every(isStopWord),
  );
}

function queryTerm(run: QueryRun, any: readonly TermGroup[]): readonly QueryTerm[] {
  if (any.length === 0) return [];
  const tolerant = run.kind === "name" && any.some((group) => group.all.every(isTolerant));
  return [{ text: run.text, any, isTolerant: tolerant }];
}

function distinct(words: readonly QueryTerm[]): readonly QueryTerm[] {
  return [...new Map(words.map((word) => [JSON.stringify(word.any.at(-1)), word])).values()];
}

function groupsOf(run: QueryRun): readonly TermGroup[] {
  if (run.kind === "dense") {
    // Every letter is the beginning of a pair or a term by itself.
    return run.pairs.length === 0 ? [{ all: [], prefix: run.letter }] : [{ all: unique(run.pairs) }];
  }
  const parts = tellingParts(run.tokens.flatMap(atomsOf));
  const groups = [...wholeGroups(run), ...otherGroups(run), ...(parts.length === 0 ? [] : [{ all: parts }])];
  // Of equal ones the last stays, so that the parts are the last group of all.
  const keys = groups.map((group) => JSON.stringify(group));
  return groups.filter((_, index) => keys.lastIndexOf(keys[index] ?? "") === index);
}

function wholeGroups(run: NameRun): readonly TermGroup[] {
  const whole = run.pair === undefined ? run.tokens[0]?.name?.whole : run.pair.name?.whole;
  if (whole === undefined) return [];
  const leading = tellingParts(run.pair === undefined ? [] : run.tokens.slice(0, -2).flatMap(atomsOf));
  // user.name is also looked for as the word username, which texts have under its stem.
  const terms = run.pair === undefined ? [whole, termOf(whole)] : [whole];
  return terms.map((term) => ({ all: unique([...leading, term]) }));
}

/** What else a word of one part may stand under. */
function otherGroups(run: NameRun): readonly TermGroup[] {
  const [token] = run.tokens;
  if (token === undefined || run.tokens.length > 1 || atomsOf(token).length !== 1) return [];
  const word = token.raw.toLowerCase();
  // isloading, for the whole of isLoading, which has no stem.
  if (/^[a-z]+$/.test(word)) return isStopWord(word) ? [] : [{ all: [word] }];
  // A short commit hash, for what the index has of a long one.
  if (word.length >= HASH_HEAD_CHARS - 1 && isHex(word) && /\d/.test(word) && /[a-f]/.test(word)) {
    return [{ all: [], prefix: word.slice(0, HASH_HEAD_CHARS) }];
  }
  return [];
}

function isTolerant(term: string): boolean {
  return term.length >= TOLERANT_CHARS && !/\d/.test(term);
}

const TOLERANT_CHARS = 4;
