import { Buffer } from "node:buffer";
import type { Agent } from "../../src/agents/agent.ts";
import { splitLines } from "../../src/jsonl/lines.ts";
import type { Entry, SourceFacts } from "../../src/session/entry.ts";
import { createTextBudget, type TextLimits } from "../../src/session/text-budget.ts";

export interface Parsed {
  readonly entries: readonly Entry[];
  readonly facts: SourceFacts;
}

/** Runs a format's parser over the bytes of one file. */
export function parseBytes(
  format: Agent,
  bytes: Uint8Array | string,
  options: { readonly path?: string; readonly limits?: TextLimits } = {},
): Parsed {
  const entries: Entry[] = [];
  const parser = format.parser({
    emit: (entry) => entries.push(entry),
    budget: createTextBudget(options.limits),
    path: options.path ?? "/logs/log.jsonl",
    isSubagent: false,
  });
  const chunk = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  for (const line of splitLines([chunk])) parser.line(line);
  return { entries, facts: parser.finish() };
}
