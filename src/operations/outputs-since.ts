import type { Buffer } from "node:buffer";
import { isOwnCall, ownCallSigns } from "../core/documents/own-answers.ts";
import type { Agent, Entry } from "../core/model/entry.ts";
import { createTextBudget } from "../core/text/text-budget.ts";
import type { Format } from "../formats/format.ts";
import { formatOf } from "../formats/formats.ts";
import { linesSince } from "../formats/lines-since.ts";

/** How JSON writes a letter that it might as well have written itself. */
const ESCAPED_LETTER = "\\u00";

/**
 * What tools gave back from a moment on, until the turn that was going on then is over: read line by line, for
 * whoever soon has enough of it.
 */
export function* outputsSince(
  agent: Agent,
  path: string,
  chunks: Iterable<Uint8Array>,
  since: number,
  maxBytes: number,
): Generator<string> {
  const ready: string[] = [];
  const ownCalls = new Set<string>();
  let isOver = false;
  const take = (entry: Entry): void => {
    if (entry.sidechain !== undefined) return;
    if (entry.kind === "request") isOver ||= entry.at !== since;
    if (entry.kind === "note" && entry.about === "output") ready.push(entry.text);
    if (entry.kind === "reply")
      for (const part of entry.parts) if (part.kind === "call" && isOwnCall(part)) ownCalls.add(part.id);
    if (entry.kind === "results")
      for (const { callId, isError, text } of entry.results)
        if (!isError && !ownCalls.has(callId)) ready.push(text);
  };
  const format = formatOf(agent);
  const signs = signsOf(format);
  const parser = format.parser({
    emit: (entry) => {
      if (!isOver) take(entry);
    },
    budget: createTextBudget(),
    path,
    isSubagent: false,
  });
  for (const line of linesSince(chunks, since, maxBytes)) {
    // Of a line without any of them nothing would be taken: of those of Claude Code, two in three.
    if (signs !== undefined && !hasAny(line.bytes, signs)) continue;
    parser.line(line);
    yield* ready.splice(0);
    if (isOver) return;
  }
  parser.finish();
  yield* ready;
}

/** One of these is in every line that matters here; undefined where that is not known. */
function signsOf({ outputSigns }: Format): readonly string[] | undefined {
  return outputSigns === undefined ? undefined : [...outputSigns, ...ownCallSigns, ESCAPED_LETTER];
}

function hasAny(bytes: Buffer, signs: readonly string[]): boolean {
  for (const sign of signs) if (bytes.includes(sign)) return true;
  return false;
}
