import { Buffer } from "node:buffer";
import { isOwnCall, ownCallSigns } from "../core/documents/own-answers.ts";
import type { Agent, Entry } from "../core/model/entry.ts";
import { createTextBudget } from "../core/text/text-budget.ts";
import type { Format } from "../formats/format.ts";
import { formatOf } from "../formats/formats.ts";
import { findSince, momentBytes } from "../formats/lines-since.ts";
import { linesWith } from "../formats/lines-with.ts";
import type { Disk } from "../store/disk.ts";
import { lineBlocks } from "./line-blocks.ts";
import { seekMoment } from "./seek-moment.ts";

/** Where in which log to look, and in how much of it. */
export interface OutputPlace {
  readonly agent: Agent;
  readonly path: string;
  readonly since: number;
  readonly maxBytes: number;
}

/** How JSON writes a letter that it might as well have written itself. */
const ESCAPED_LETTER = "\\u00";
const LF = 10;

/**
 * What tools gave back from a moment on, until the turn that was going on then is over: read bit by bit, for whoever
 * soon has enough of it.
 */
export function* outputsSince(disk: Disk, { agent, path, since, maxBytes }: OutputPlace): Generator<string> {
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
  const moment = momentBytes(since);
  let number = 0;
  let left = maxBytes;
  for (const { bytes, length, ended } of lineBlocks(disk, path, seekMoment(disk, path, since))) {
    // All lines behind the first one belong to it, whatever their time.
    const from = left === maxBytes ? findSince(bytes, moment) : 0;
    if (from === -1) continue;
    // Of a line without any sign nothing would be taken: of those of Claude Code, two in three.
    const find = linesWith(bytes, signs);
    for (let start = find(from); start !== -1 && start - from < left; ) {
      const lf = bytes.indexOf(LF, start);
      const end = lf === -1 ? bytes.length : lf;
      const line = bytes.subarray(start, end);
      number++;
      parser.line({ bytes: line, number, offset: 0, length: line.length, ended, squeezed: 0 });
      if (ready.length > 0) yield* ready.splice(0);
      if (isOver) return;
      start = find(end + 1);
    }
    left -= length - from;
    if (left <= 0) break;
  }
  parser.finish();
  yield* ready;
}

/** One of these is in every line that matters here; undefined where that is not known. */
function signsOf({ outputSigns }: Format): readonly Buffer[] | undefined {
  if (outputSigns === undefined) return undefined;
  return [...outputSigns, ...ownCallSigns, ESCAPED_LETTER].map((sign) => Buffer.from(sign));
}
