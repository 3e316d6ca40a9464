import type { Agent } from "../../src/agents/agent.ts";
import { splitLines } from "../../src/jsonl/lines.ts";
import type { Entry } from "../../src/session/entry.ts";
import { createTextBudget, type TextLimits } from "../../src/session/text-budget.ts";
import type { Parsed } from "./parse-bytes.ts";

/**
 * Reads a log with a parser of its own for each piece, each of which goes on from what the one before has saved;
 * undefined where one says that it can't be gone on from there. `ends`: behind LFs, in order.
 */
export function parseInPieces(
  format: Agent,
  bytes: Buffer,
  ends: readonly number[],
  limits?: TextLimits,
): Parsed | undefined {
  const entries: Entry[] = [];
  let resume: string | undefined;
  let used = 0;
  let from = 0;
  let number = 1;
  for (const to of [...ends, bytes.length]) {
    // What is kept between two readings is text.
    for (const [i, entry] of entries.entries()) entries[i] = JSON.parse(JSON.stringify(entry));
    const budget = createTextBudget(limits, used);
    const emit = (entry: Entry): void => void entries.push(entry);
    const parser = format.parser({ emit, budget, path: "/log.jsonl", isSubagent: false, resume });
    for (const line of splitLines([bytes.subarray(from, to)], { offset: from, number })) {
      parser.line(line);
      number++;
    }
    if (to === bytes.length) return { entries, facts: parser.finish() };
    resume = parser.save();
    if (resume === undefined) return undefined;
    used = budget.used;
    from = to;
  }
  return undefined;
}

/** Offsets behind all lines of a log. */
export function lineEnds(bytes: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) ends.push(at + 1);
  return ends.filter((end) => end < bytes.length);
}
