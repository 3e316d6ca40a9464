/**
 * Decides how much of each text a session keeps in memory. The whole is always in the log; what is
 * kept is for reading and searching. The total is bounded, so that a log of gigabytes can be read.
 */
export interface TextBudget {
  /** Characters kept so far. */
  readonly used: number;
  /** Requests, replies, summaries: kept whole as long as there is room. */
  words(text: string): string;
  /** Tool output: its head. Errors keep their head even where other output is not wanted. */
  output(text: string, isError: boolean): string;
  /** Tool input as JSON: its head. */
  input(text: string): string;
  /** Thinking is folded wherever it is shown: its head. */
  thinking(text: string): string;
}

export interface TextLimits {
  /** Characters kept of each tool output (seed 002 truncates at 2,000 too). */
  readonly outputChars: number;
  readonly inputChars: number;
  readonly thinkingChars: number;
  /** Characters that one session keeps in all; past them only short heads of words, and nothing of the rest. */
  readonly totalChars: number;
}

export const defaultTextLimits: TextLimits = {
  outputChars: 2_000,
  inputChars: 2_000,
  thinkingChars: 2_000,
  totalChars: 16_000_000,
};

const ERROR_CHARS = 2_000;
/** Longer words are none. */
const WORD_CHARS = 300;
/** What remains of a text once its share is used up. */
const SCANT_CHARS = 120;
/** Words may fill what output may not, so that a flood of output never cuts a request. */
const OUTPUT_SHARE = 0.5;

export function createTextBudget(limits: TextLimits = defaultTextLimits, usedBefore = 0): TextBudget {
  let used = usedBefore;
  /** Words never vanish: a request that can't be found is lost. */
  const scant = (share: number): number => (share === 1 || used < limits.totalChars ? SCANT_CHARS : 0);
  const take = (text: string, max: number, share: number): string => {
    const room = Math.max(limits.totalChars * share - used, scant(share));
    const kept = cutText(text, Math.min(max, room));
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
  };
}

/**
 * The first `max` characters, without half a surrogate pair, and without half a word where its
 * beginning is near: half of a key would no longer be known as one, and stand there unmasked. The
 * result is a copy: a plain slice
 * would keep the whole text alive behind it (V8), and with it a log's worth of memory.
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
