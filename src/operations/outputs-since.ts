import { isOwnCall } from "../core/documents/own-answers.ts";
import type { Agent, Entry } from "../core/model/entry.ts";
import { createTextBudget } from "../core/text/text-budget.ts";
import { formatOf } from "../formats/formats.ts";
import { linesSince } from "../formats/lines-since.ts";

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
  const parser = formatOf(agent).parser({
    emit: (entry) => {
      if (!isOver) take(entry);
    },
    budget: createTextBudget(),
    path,
    isSubagent: false,
  });
  for (const line of linesSince(chunks, since, maxBytes)) {
    parser.line(line);
    yield* ready.splice(0);
    if (isOver) return;
  }
  parser.finish();
  yield* ready;
}
