import type { Usage } from "../model/entry.ts";
import type { SessionUsage } from "../model/session.ts";
import { createIntColumn } from "./int-column.ts";

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

export function createUsageTable(): UsageTable {
  const nodes = createIntColumn();
  const columns = {
    inputTokens: createIntColumn(),
    outputTokens: createIntColumn(),
    cacheReadTokens: createIntColumn(),
    cacheWriteTokens: createIntColumn(),
  };
  const names = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;
  let count = 0;
  return {
    set(message, usage, node) {
      while (nodes.length <= message) {
        nodes.push(ABSENT);
        for (const name of names) columns[name].push(UNKNOWN);
      }
      if (nodes.get(message, ABSENT) === ABSENT) count++;
      nodes.set(message, node);
      if (usage === undefined) return;
      for (const name of names) columns[name].set(message, Math.min(MOST_TOKENS, Math.max(0, usage[name])));
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
      for (let message = 0; message < nodes.length; message++) {
        if (columns.inputTokens.get(message, UNKNOWN) === UNKNOWN) continue;
        for (const name of names) total[name] += columns[name].get(message, 0);
        const context =
          columns.inputTokens.get(message, 0) +
          columns.cacheReadTokens.get(message, 0) +
          columns.cacheWriteTokens.get(message, 0);
        if (context > 0 && isCurrent(nodes.get(message, ABSENT))) total.contextTokens = context;
      }
      return total;
    },
  };
}
