import type { TokenEstimate } from "../../extract/digest.ts";
import { formatCount } from "./amounts.ts";

const CATEGORIES: readonly (readonly [string, keyof TokenEstimate])[] = [
  ["Tool Results", "toolResults"],
  ["Tool Inputs", "toolInputs"],
  ["Assistant Text", "assistantText"],
  ["User Text", "userText"],
];

/** Tokens by category before and after, as a markdown table: people and agents read it. Percentages are cut. */
export function compactionTable(before: TokenEstimate, after: TokenEstimate): string {
  const cell = (tokens: TokenEstimate, key: keyof TokenEstimate): string => {
    const share = tokens.total === 0 ? 0 : Math.floor((100 * tokens[key]) / tokens.total);
    return `${formatCount(tokens[key])} (${share}%)`;
  };
  return [
    "| Category | Before | After |",
    "|----------|-------:|------:|",
    ...CATEGORIES.map(([name, key]) => `| ${name} | ${cell(before, key)} | ${cell(after, key)} |`),
    `| **Total** | **${formatCount(before.total)}** | **${formatCount(after.total)}** |`,
    "",
  ].join("\n");
}
