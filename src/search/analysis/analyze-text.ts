import type { TermSink } from "../ranking/index-schema.ts";
import type { Tail } from "./split-name.ts";
import { isWeak } from "./stop-words.ts";
import { tokenOf } from "./token.ts";
import { createTokenTable, type TokenCache } from "./token-cache.ts";
import { scanTokens } from "./tokenize.ts";

/** Names the rules of this folder. An index made by another version is rebuilt. */
export const ANALYSIS_VERSION: number = 2;

/** The analyzed length of a text, so that pasted data does not fill the dictionary: 2 MB of prose. */
const MAX_TOKENS = 300_000;

const TAILS: readonly Tail[] = [undefined, "time", "base64"];

/**
 * The numbers stored for a token: the last text that had it, how often, its tail, how many terms it has, and their
 * ids.
 */
const TEXT = 0;
const TIMES = 1;
const TAIL = 2;
const COUNT = 3;
const IDS = 4;

/** Makes a function that adds the terms of a text to a sink, each once with its frequency. */
export function createAnalyzer(sink: TermSink): (text: string) => void {
  const table = createTokenTable((raw) => {
    const { terms, tail } = tokenOf(raw);
    return [0, 0, TAILS.indexOf(tail), terms.length, ...terms.map((term) => sink.idOf(term, isWeak(term)))];
  });
  const tokens: TokenCache<number> = {
    at: table.at,
    of: table.of,
    tailOf: (token) => TAILS[table.numbers[token + TAIL] ?? 0],
  };
  let number = 0;
  let visited = 0;
  /** The different tokens of the text. */
  let found: number[] = [];

  const visit = (token: number): boolean => {
    const { numbers } = table;
    if (numbers[token + TEXT] === number) numbers[token + TIMES] = (numbers[token + TIMES] ?? 0) + 1;
    else {
      numbers[token + TEXT] = number;
      numbers[token + TIMES] = 1;
      found.push(token);
    }
    return ++visited >= MAX_TOKENS;
  };

  return (text) => {
    table.trim();
    number++;
    visited = 0;
    found = [];
    scanTokens(text, tokens, visit);
    const { numbers } = table;
    for (const token of found) {
      const times = numbers[token + TIMES] ?? 0;
      const end = token + IDS + (numbers[token + COUNT] ?? 0);
      for (let at = token + IDS; at < end; at++) sink.add(numbers[at] ?? 0, times);
    }
  };
}
