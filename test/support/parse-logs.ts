import { Buffer } from "node:buffer";
import type { Agent, FoundFile, SessionFiles } from "../../src/agents/agent.ts";
import { splitLines } from "../../src/jsonl/lines.ts";
import type { Entry, SourceFacts } from "../../src/session/entry.ts";
import { createTextBudget, type TextLimits } from "../../src/session/text-budget.ts";

export interface Parsed {
  readonly entries: readonly Entry[];
  readonly facts: SourceFacts;
}

/** Runs an agent's parser over the bytes of one file. */
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

/**
 * Reads a log with a parser of its own for each piece, each of which goes on from what the one before has saved;
 * undefined if one can't be resumed. `ends`: offsets after LFs, in order.
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

/** Offsets after all lines of a log. */
export function lineEnds(bytes: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) ends.push(at + 1);
  return ends.filter((end) => end < bytes.length);
}

const HEAD_BYTES = 64 * 1024;

/** Groups files that are given as path and text, as `id: role path, role path …`. */
export function groupTexts(format: Agent, texts: Readonly<Record<string, string>>): readonly string[] {
  const files = Object.entries(texts).map(
    ([path, text], i): FoundFile => ({
      path,
      size: Buffer.byteLength(text),
      mtimeMs: 1_000 + i,
      inode: i + 1,
    }),
  );
  const peek = (path: string): Buffer => Buffer.from(texts[path] ?? "").subarray(0, HEAD_BYTES);
  return format.group(files, peek).map(describeGroup);
}

function describeGroup({ agent, id, files }: SessionFiles): string {
  return `${agent} ${id}: ${files.map((file) => `${file.role} ${file.path}`).join(", ")}`;
}
