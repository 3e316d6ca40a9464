import { foldLetters } from "./characters.ts";
import { HASH_HEAD_CHARS, isHex, MAX_TERM_CHARS } from "./junk.ts";
import { joinParts, splitName } from "./split-name.ts";
import { isStopWord } from "./stop-words.ts";
import { type Token, termOf, tokens } from "./token.ts";
import { scanTokens } from "./tokenize.ts";

/** One way in which a document can contain a word of a query. */
export interface TermGroup {
  /** The document has all of these terms, */
  readonly all: readonly string[];
  /** and, if this is set, a term that starts with it. */
  readonly prefix?: string;
}

/** A word of a query and the terms that find it. */
export interface QueryTerm {
  /** The word as typed. */
  readonly text: string;
  /**
   * A document has the word if it has any of these groups. Specific groups (a whole name) come first; the last group
   * is in every document that has the word as typed (all parts, the stem). A document with the whole name also has
   * its parts, so adding up the scores of all groups puts it first.
   */
  readonly any: readonly TermGroup[];
  /** Whether similar terms may match: not for numbers, codes and dense scripts. */
  readonly isTolerant: boolean;
}

/**
 * Analyses the words of a query by the same rules as documents. Stop words are left out unless there
 * is nothing else. A name matches whole or by all of its parts: getUserById finds get_user_by_id,
 * getuserbyid, and texts that have get, user and id. Of a longer path the last two names match
 * together and the others beside them, or all parts.
 */
export function analyzeQuery(text: string): readonly QueryTerm[] {
  const words = analyzePhrase(text);
  const specific = words.filter((word) => !isStopQuery(word));
  return specific.length > 0 ? specific : words;
}

/** Analyzes words none of which may be missing, including stop words. */
export function analyzePhrase(text: string): readonly QueryTerm[] {
  return distinct(cutQuery(text).flatMap((run) => queryTerm(run, groupsOf(run))));
}

/** Analyzes the start of a word, as in `pre*`; an earlier name in the same word is matched completely. */
export function analyzePrefix(text: string): readonly QueryTerm[] {
  const runs = cutQuery(text);
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
  const isTolerant = run.kind === "name" && any.some((group) => group.all.every(allowsTypos));
  return [{ text: run.text, any, isTolerant }];
}

function allowsTypos(term: string): boolean {
  return term.length >= 4 && !/\d/.test(term);
}

function distinct(words: readonly QueryTerm[]): readonly QueryTerm[] {
  return [...new Map(words.map((word) => [JSON.stringify(word.any.at(-1)), word])).values()];
}

/** A name or a path, or a run of letters of a dense script. */
interface QueryRun {
  readonly kind: "name" | "dense";
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The last two names of a path as one. */
  readonly pair: Token | undefined;
}

/** Nobody types longer queries; a pasted text need not be read to its end. */
const MAX_RUNS = 2_000;

/** Cuts a query into names, paths and runs of dense letters. */
function cutQuery(text: string): readonly QueryRun[] {
  const runs: (QueryRun & { start: number; end: number; tokens: Token[]; pair: Token | undefined })[] = [];
  scanTokens(text, tokens, (token, start, end, link) => {
    const last = runs.at(-1);
    if (last !== undefined && (link === "next" || link === "dense-next")) {
      last.tokens.push(token);
      last.end = end;
    } else if (last !== undefined && link === "pair") {
      last.pair = token;
    } else if (
      link !== "dense-last" &&
      !text.startsWith("://", end) &&
      !isLineNumber(text, last, start, token)
    ) {
      runs.push({
        kind: link === "first" ? "name" : "dense",
        text: "",
        tokens: [token],
        pair: undefined,
        start,
        end,
      });
    }
    return runs.length > MAX_RUNS;
  });
  return runs.map((run) => ({ ...run, text: text.slice(run.start, run.end) }));
}

/** The 12 and the 5 of token.ts:12:5 are positions, not words. */
function isLineNumber(
  text: string,
  last: { readonly start: number; readonly end: number } | undefined,
  start: number,
  token: Token,
): boolean {
  if (last === undefined || !/^\d+$/.test(token.raw)) return false;
  return (
    /^(?::\d+)*:$/.test(text.slice(last.end, start)) && /\.[A-Za-z]+$/.test(text.slice(last.start, last.end))
  );
}

function groupsOf(run: QueryRun): readonly TermGroup[] {
  if (run.kind === "dense") return denseGroups(run);
  const parts = requiredParts(run.tokens.flatMap(({ atoms }) => atoms));
  const groups = [...wholeGroups(run), ...otherGroups(run), ...(parts.length === 0 ? [] : [{ all: parts }])];
  // Of equal ones the last is kept, so that the parts are the last group of all.
  const keys = groups.map((group) => JSON.stringify(group));
  return groups.filter((_, index) => keys.lastIndexOf(keys[index] ?? "") === index);
}

/** Pairs of letters are terms; a single letter starts some pair, or is a term by itself. */
function denseGroups({ tokens }: QueryRun): readonly TermGroup[] {
  const terms = unique(tokens.flatMap((token) => token.terms));
  const [only = ""] = terms;
  return [...only].length === 1 ? [{ all: [], prefix: only }] : [{ all: terms }];
}

/** The whole name, or the last two names of a path with the parts of the names before them. */
function wholeGroups({ tokens, pair }: QueryRun): readonly TermGroup[] {
  const whole = (tokens.length === 1 ? tokens[0] : pair)?.whole;
  if (whole === undefined) return [];
  const leading = pair === undefined ? [] : leadingParts(tokens);
  // user.name is also looked for as the word username, which texts have under its stem.
  const terms = pair === undefined ? [whole, termOf(whole)] : [whole];
  return terms.map((term) => ({ all: unique([...leading, term]) }));
}

/** The parts of all names of a path but the last two. */
function leadingParts(tokens: readonly Token[]): readonly string[] {
  return requiredParts(tokens.slice(0, -2).flatMap(({ atoms }) => atoms));
}

/** Other terms under which a word of one part may be indexed. */
function otherGroups({ tokens }: QueryRun): readonly TermGroup[] {
  const [token] = tokens;
  if (token === undefined || tokens.length > 1 || token.atoms.length !== 1) return [];
  const word = token.raw.toLowerCase();
  // isloading, for all of isLoading, which has no stem.
  if (/^[a-z]+$/.test(word)) return isStopWord(word) ? [] : [{ all: [word] }];
  // A short commit hash, which the index has for a long one.
  if (word.length >= HASH_HEAD_CHARS - 1 && isHex(word) && /\d/.test(word) && /[a-f]/.test(word)) {
    return [{ all: [], prefix: word.slice(0, HASH_HEAD_CHARS) }];
  }
  return [];
}

/** Letters that may follow the start of a word, so that its stem is no longer than the typed part. */
const endings = ["", "s", "es", "d", "ed", "g", "ng", "ing", "y", "ly"];
const MIN_STEM_CHARS = 3;

/**
 * The terms that find the start of a word. The index has stems, so the start of a long form may be longer than the
 * stem itself: runni* finds running, which is indexed as run.
 */
function prefixGroups(run: QueryRun): readonly TermGroup[] {
  if (run.kind === "dense") return denseGroups(run);
  const last = run.tokens.at(-1);
  const typed = splitName(foldLetters(last?.raw ?? ""))
    .parts.at(-1)
    ?.word.slice(0, MAX_TERM_CHARS);
  if (last === undefined || typed === undefined) return [];
  const before = [...run.tokens.slice(0, -1).flatMap(({ atoms }) => atoms), ...last.atoms.slice(0, -1)];
  const leading = requiredParts(before);
  const groups: TermGroup[] = [{ all: leading, prefix: typed }];
  if (before.length > 0) {
    const name = foldLetters((run.pair ?? last).raw);
    const whole = joinParts(name, splitName(name).parts) ?? typed;
    groups.unshift({ all: leadingParts(run.tokens), prefix: whole.slice(0, MAX_TERM_CHARS) });
  }
  if (typed.length >= MIN_STEM_CHARS && /^[a-z]+$/.test(typed)) {
    const stems = new Set(endings.map((ending) => termOf(typed + ending)));
    for (const stem of stems) if (!stem.startsWith(typed)) groups.push({ all: [...leading, stem] });
  }
  return groups;
}

/** The parts that a document must have: stop words and single letters only if there are no others. */
function requiredParts(parts: readonly string[]): readonly string[] {
  const chosen = parts.filter((part) => !isStopWord(part) && !/^[a-z]$/.test(part));
  return unique(chosen.length > 0 ? chosen : parts);
}

function unique(terms: readonly string[]): readonly string[] {
  return [...new Set(terms)];
}
