/**
 * Decides how much of each text a session keeps in memory for reading and searching. The log always has all of it.
 * The total is bounded, so that a log of gigabytes can be read.
 */
export interface TextBudget {
  /** Characters kept so far. */
  readonly used: number;
  /** Requests, replies and summaries are kept whole as long as the budget lasts. */
  words(text: string): string;
  /** Tool output is cut to its head. Errors keep theirs even if the limit for output is 0. */
  output(text: string, isError: boolean): string;
  /** Tool input, as JSON, is cut to its head. */
  input(text: string): string;
  /** Thinking is cut to its head. */
  thinking(text: string): string;
  /** The words of tool output and input after its head, `kept`; undefined if there are none, or nobody collects them. */
  moreWords(text: string, kept: string): string | undefined;
}

/** Returns the different words of a text from `from` on, with spaces between them and without secrets. */
export type CollectWords = (text: string, from: number) => string;

export interface TextLimits {
  /** Characters kept of each tool output. */
  readonly outputChars: number;
  readonly inputChars: number;
  readonly thinkingChars: number;
  /** Characters kept of one session in total. Past them, words keep a short head, and the rest nothing. */
  readonly totalChars: number;
  /** False: what messages used and did is not counted. Of a log of gigabytes these numbers take as much memory as its texts. */
  readonly countsActivity?: boolean;
}

export const defaultTextLimits: TextLimits = {
  outputChars: 2_000,
  inputChars: 2_000,
  thinkingChars: 2_000,
  totalChars: 16_000_000,
};

const ERROR_CHARS = 2_000;
/** Longer runs of characters are not words. */
const WORD_CHARS = 300;
/** How much is kept of a text once the budget is used up. */
const MIN_CHARS = 120;
/** Output may use only this share of the budget, so that a flood of output never cuts a request. */
const OUTPUT_SHARE = 0.5;

export function createTextBudget(
  limits: TextLimits = defaultTextLimits,
  usedBefore = 0,
  collect?: CollectWords,
): TextBudget {
  let used = usedBefore;
  /** Characters of collected words: a log of random numbers must not fill the memory either. */
  let collected = 0;
  /** Words never vanish completely: a request that can't be found would be lost. */
  const least = (share: number): number => (share === 1 || used < limits.totalChars ? MIN_CHARS : 0);
  const take = (text: string, max: number, share: number): string => {
    const left = Math.max(limits.totalChars * share - used, least(share));
    const kept = cutText(text, Math.min(max, left));
    used += kept.length;
    return kept;
  };
  return {
    get used() {
      return used;
    },
    words: (text) => take(text, text.length, 1),
    output: (text, isError) =>
      take(text, isError ? Math.max(limits.outputChars, ERROR_CHARS) : limits.outputChars, OUTPUT_SHARE),
    input: (text) => take(text, limits.inputChars, OUTPUT_SHARE),
    thinking: (text) => take(text, limits.thinkingChars, OUTPUT_SHARE),
    moreWords(text, kept) {
      if (collect === undefined || kept.length >= text.length || collected >= limits.totalChars)
        return undefined;
      const words = collect(text, kept.length);
      collected += words.length;
      return words === "" ? undefined : words;
    },
  };
}

/**
 * Cuts a text to its first `max` characters, but not within a surrogate pair, nor within a word if its start is near:
 * half of a secret would not be recognized, and would stay unmasked. The result is a copy, because in V8 a plain slice
 * keeps the whole text in memory.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = Math.max(0, Math.floor(max));
  for (let at = end; at > end - WORD_CHARS && at > 0; at--) {
    if (text.charCodeAt(at) > 0x20) continue;
    end = at;
    break;
  }
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last < 0xdc00) end--;
  return ` ${text.slice(0, end)}`.slice(1);
}
