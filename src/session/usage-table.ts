import type { Usage } from "./entry.ts";
import type { SessionUsage } from "./session.ts";

/** Tokens by the number of the message. One message is several lines, each with the usage so far: the last one counts. */
export interface UsageTable {
  set(message: number, usage: Usage | undefined, node: number): void;
  /** How many messages there are. */
  count(): number;
  /** The last message that is current tells how full the context is. */
  total(isCurrent: (node: number) => boolean): SessionUsage;
}

/** No message used so many. */
const MOST_TOKENS = 2 ** 31 - 1;
const ABSENT = -2;
const UNKNOWN = -1;

/** What stands for each message, one after the other in one list. */
const NODE = 0;
const INPUT = 1;
const OUTPUT = 2;
const CACHE_READ = 3;
const CACHE_WRITE = 4;
const WIDTH = 5;

export function createUsageTable(): UsageTable {
  let rows = new Int32Array(64 * WIDTH);
  /** Messages up to the last that was set. */
  let length = 0;
  let count = 0;
  const growTo = (message: number): void => {
    if ((message + 1) * WIDTH > rows.length) {
      const grown = new Int32Array(Math.max(rows.length * 2, (message + 1) * WIDTH));
      grown.set(rows);
      rows = grown;
    }
    rows.fill(UNKNOWN, length * WIDTH, (message + 1) * WIDTH);
    for (; length <= message; length++) rows[length * WIDTH + NODE] = ABSENT;
  };
  return {
    set(message, usage, node) {
      if (length <= message) growTo(message);
      const row = message * WIDTH;
      if (rows[row + NODE] === ABSENT) count++;
      rows[row + NODE] = node;
      if (usage === undefined) return;
      rows[row + INPUT] = bounded(usage.inputTokens);
      rows[row + OUTPUT] = bounded(usage.outputTokens);
      rows[row + CACHE_READ] = bounded(usage.cacheReadTokens);
      rows[row + CACHE_WRITE] = bounded(usage.cacheWriteTokens);
    },
    count: () => count,
    total(isCurrent) {
      const total = {
        inputTokens: 0,
        outputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        contextTokens: 0,
      };
      let last = -1;
      for (let row = 0; row < length * WIDTH; row += WIDTH) {
        if (rows[row + INPUT] === UNKNOWN) continue;
        total.inputTokens += rows[row + INPUT] ?? 0;
        total.outputTokens += rows[row + OUTPUT] ?? 0;
        total.cacheReadTokens += rows[row + CACHE_READ] ?? 0;
        total.cacheWriteTokens += rows[row + CACHE_WRITE] ?? 0;
      }
      for (let row = (length - 1) * WIDTH; row >= 0 && last === -1; row -= WIDTH)
        if (contextOf(rows, row) > 0 && isCurrent(rows[row + NODE] ?? ABSENT)) last = row;
      total.contextTokens = last === -1 ? 0 : contextOf(rows, last);
      return total;
    },
  };
}

/** Cut to a whole number as the list holds it. */
function bounded(tokens: number): number {
  return Math.min(MOST_TOKENS, Math.max(0, tokens));
}

function contextOf(rows: Int32Array, row: number): number {
  if (rows[row + INPUT] === UNKNOWN) return 0;
  return (rows[row + INPUT] ?? 0) + (rows[row + CACHE_READ] ?? 0) + (rows[row + CACHE_WRITE] ?? 0);
}
