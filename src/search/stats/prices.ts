import type { ModelPrice } from "../../fs/config.ts";

/**
 * List prices of Anthropic's API as published in November 2026, by the start of the model's name. `prices` in config.json
 * adds to them and replaces them; other models have no price until it is set there.
 */
const listPrices: Readonly<Record<string, ModelPrice>> = {
  "claude-fable-5": { input: 10, output: 50 },
  "claude-fable-5-1": { input: 10, output: 50, cacheRead: 0.25 },
  "claude-opus-5": { input: 5, output: 25 },
  "claude-opus-4-8": { input: 5, output: 25 },
  "claude-opus-4-7": { input: 5, output: 25 },
  "claude-opus-4-6": { input: 5, output: 25 },
  "claude-opus-4-5": { input: 5, output: 25 },
  "claude-opus-4-1": { input: 15, output: 75 },
  "claude-opus-4-0": { input: 15, output: 75 },
  "claude-opus-4-2025": { input: 15, output: 75 },
  "claude-3-opus": { input: 15, output: 75 },
  "claude-sonnet-4": { input: 3, output: 15 },
  "claude-3-7-sonnet": { input: 3, output: 15 },
  "claude-3-5-sonnet": { input: 3, output: 15 },
  "claude-haiku-4-5": { input: 1, output: 5 },
  "claude-3-5-haiku": { input: 0.8, output: 4 },
};

/** Tokens by price class. */
export interface PricedTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of those written to the cache. */
  readonly hourCacheWriteTokens: number;
}

/** Returns a function that gives the cost of tokens of a model in dollars; undefined if the model has no price. */
export function costFinder(
  prices: Readonly<Record<string, ModelPrice>>,
): (model: string, tokens: PricedTokens) => number | undefined {
  const table = { ...listPrices, ...prices };
  // The longest matching name counts: `claude-opus-4-5` before `claude-opus-4`.
  const names = Object.keys(table).sort((a, b) => b.length - a.length);
  const found = new Map<string, ModelPrice | undefined>();
  const priceOf = (model: string): ModelPrice | undefined => {
    if (!found.has(model)) {
      // Other services put their own name first: `anthropic/claude-opus-4-5`.
      const plain = model.slice(model.lastIndexOf("/") + 1);
      const name = names.find((each) => model.startsWith(each) || plain.startsWith(each));
      found.set(model, name === undefined ? undefined : table[name]);
    }
    return found.get(model);
  };
  return (model, tokens) => {
    const price = priceOf(model);
    if (price === undefined) return undefined;
    const {
      input,
      output,
      cacheRead = input / 10,
      cacheWrite = input * 1.25,
      cacheWriteHour = input * 2,
    } = price;
    const { hourCacheWriteTokens: hour } = tokens;
    const sum =
      tokens.inputTokens * input +
      tokens.outputTokens * output +
      tokens.cacheReadTokens * cacheRead +
      (tokens.cacheWriteTokens - hour) * cacheWrite +
      hour * cacheWriteHour;
    return sum / 1_000_000;
  };
}
