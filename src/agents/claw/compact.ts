import { Buffer } from "node:buffer";
import { exitCodes, UserError } from "../../errors.ts";
import { continuationText } from "../../extract/summary-text.ts";
import { estimateContext } from "../../extract/tokens.ts";
import type { Library } from "../../fs/library.ts";
import { type Edit, planEdits, type RewritePlan } from "../../jsonl/rewrite-plan.ts";
import { maskAndClean } from "../../redact/mask.ts";
import { createRedactor } from "../../redact/redact.ts";
import {
  type CompactionInput,
  type CompactionOptions,
  type CompactionPlan,
  type Compactor,
  chosenNumber,
} from "../agent-actions.ts";
import { readPlanned } from "../log-snapshot.ts";
import { messageText, summaryOfContinuation } from "./message.ts";
import {
  type ClawLog,
  clawSizeOf,
  type LoggedMessage,
  readClawLog,
  summaryMessage,
  UnreadableClawLog,
} from "./read-log.ts";
import { clawSummary, fitClawSummary, mergeClawSummary } from "./summary.ts";

const PRESERVE = {
  name: "preserve",
  type: "number",
  default: 4,
  description: "the last N messages stay",
} as const;
const MAX_TOKENS = {
  name: "max-tokens",
  type: "number",
  default: 10_000,
  description: "only if the older messages have at least N tokens",
} as const;
const AUTO_INPUT_TOKENS = 200_000;
/** claw-code cuts a text at 16,384 characters; the summary is surrounded by the sentences of the continuation. */
const SUMMARY_CHARS = 16_000;

export const clawCompaction: Compactor = {
  description: "old messages become a summary",
  options: [PRESERVE, MAX_TOKENS],
  plan: compactClaw,
};

/** Replaces old messages by a summary, as claw-code itself would. */
function compactClaw({ library, files, snapshot, options }: CompactionInput): CompactionPlan {
  const log = readLog(files.id, snapshot.chunks());
  const before = estimateContext(readPlanned(library, files, snapshot, undefined));
  const cut = cutClawMessages(
    log.messages.map(({ message }) => clawSizeOf(message)),
    ruleOf(options, library.environment.variables.CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS),
  );
  if ("nothing" in cut) {
    const plan = planEdits([], snapshot.mark.size);
    return { plan, before, after: before, shrunk: [], nothing: cut.nothing };
  }
  const earlier = cut.removedFrom === 0 ? undefined : log.messages[0];
  const summary = summarize(library, earlier, log.messages.slice(cut.removedFrom, cut.keptFrom));
  const plan = planClawCompaction(log, cut, summary);
  const after = estimateContext(readPlanned(library, files, snapshot, plan));
  return { plan, before, after, shrunk: [], nothing: null };
}

function readLog(id: string, chunks: Iterable<Uint8Array>): ClawLog {
  try {
    return readClawLog(chunks);
  } catch (error) {
    if (!(error instanceof UnreadableClawLog)) throw error;
    throw new UserError(`Cannot compact session ${id}: claw-code would not load it (${error.message})`, {
      exitCode: exitCodes.refused,
    });
  }
}

function ruleOf(options: CompactionOptions, threshold: string | undefined): ClawCompactionRule {
  const { auto } = options;
  const least = Number(threshold);
  return {
    preserve: chosenNumber(options, PRESERVE),
    // Past the threshold, everything removable is removed.
    maxTokens: auto ? 0 : chosenNumber(options, MAX_TOKENS),
    onlyFromInputTokens: !auto ? null : Number.isInteger(least) && least > 0 ? least : AUTO_INPUT_TOKENS,
  };
}

function summarize(
  { config }: Library,
  earlier: LoggedMessage | undefined,
  removed: readonly LoggedMessage[],
): string {
  const { redact } = createRedactor({ extra: config.redact });
  const messages = removed.map(({ message }) => summaryMessage(message));
  const summary = clawSummary(maskAndClean(messages, redact));
  const merged =
    earlier === undefined
      ? summary
      : mergeClawSummary(maskAndClean(summaryOfContinuation(messageText(earlier.message)), redact), summary);
  return fitClawSummary(merged, SUMMARY_CHARS);
}

/** Replaces messages by a summary: the other messages are kept byte for byte. */
export function planClawCompaction(
  log: ClawLog,
  { removedFrom, keptFrom }: ClawCut,
  summary: string,
): RewritePlan {
  const text = continuationText(summary);
  const message = JSON.stringify({ blocks: [{ text, type: "text" }], role: "system" });
  const record = { count: log.compactions + 1, removed_message_count: keptFrom - removedFrom, summary };
  const edits =
    log.form === "whole"
      ? wholeEdits(log, keptFrom, message, record)
      : lineEdits(log, keptFrom, message, record);
  // A whole-file log that grew was rewritten; in a log of lines, the lines after the others are kept.
  return planEdits(
    edits.toSorted((a, b) => a.from - b.from),
    log.bytes.length,
    log.form === "whole" ? "give-up" : "carry",
  );
}

function wholeEdits(
  { messages, compaction, compactionAt }: ClawLog,
  keptFrom: number,
  message: string,
  record: object,
): readonly Edit[] {
  const first = messages[0];
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return [];
  const kept = messages[keptFrom];
  const value = JSON.stringify(record);
  return [
    compaction === undefined
      ? { from: compactionAt, to: compactionAt, with: Buffer.from(`"compaction":${value},`) }
      : { from: compaction.from, to: compaction.to, with: Buffer.from(value) },
    {
      from: first.from,
      to: kept?.from ?? last.to,
      with: Buffer.from(kept === undefined ? message : `${message},`),
    },
  ];
}

/** Prompts may be between messages, so line by line. */
function lineEdits(
  { bytes, messages, compaction, compactionAt }: ClawLog,
  keptFrom: number,
  message: string,
  record: object,
): readonly Edit[] {
  const line = (text: string): Buffer => Buffer.from(`${text}\n`);
  const ended = compactionAt === 0 || bytes[compactionAt - 1] === 0x0a ? "" : "\n";
  const place = compaction ?? { from: compactionAt, to: compactionAt };
  return [
    {
      ...place,
      with: line(
        `${compaction === undefined ? ended : ""}${JSON.stringify({ ...record, type: "compaction" })}`,
      ),
    },
    ...messages.slice(0, keptFrom).map(
      ({ from, to }, at): Edit => ({
        from,
        to,
        with: at === 0 ? line(`{"message":${message},"type":"message"}`) : Buffer.alloc(0),
      }),
    ),
  ];
}

/** A message of claw-code, with what a compaction needs. */
export interface ClawSized {
  /** By claw-code's own rule. */
  readonly tokens: number;
  /** The number of tokens that the model reported to have read for it. */
  readonly inputTokens: number;
  readonly beginsWithResult: boolean;
  readonly hasCall: boolean;
  /** The placeholder of an earlier compaction. */
  readonly isSummary: boolean;
}

export interface ClawCompactionRule {
  readonly preserve: number;
  readonly maxTokens: number;
  /** Set if only a session that has read at least this many tokens is to be compacted. */
  readonly onlyFromInputTokens: number | null;
}

/** Messages from `removedFrom` up to `keptFrom` go into the summary; before them is at most an earlier one. */
interface ClawCut {
  readonly removedFrom: number;
  readonly keptFrom: number;
}

/** What is to be done, or why there is nothing to do, as a sentence without its full stop. */
export function cutClawMessages(
  messages: readonly ClawSized[],
  { preserve, maxTokens, onlyFromInputTokens }: ClawCompactionRule,
): ClawCut | { readonly nothing: string } {
  const inputTokens = messages.reduce((sum, message) => sum + message.inputTokens, 0);
  if (onlyFromInputTokens !== null && inputTokens < onlyFromInputTokens)
    return { nothing: `it has read ${inputTokens} tokens; the threshold is ${onlyFromInputTokens}` };
  const removedFrom = messages[0]?.isSummary === true ? 1 : 0;
  const count = messages.length - removedFrom;
  if (count <= preserve) return { nothing: `it has no more than the ${preserve} messages that stay` };
  const tokens = messages.slice(removedFrom).reduce((sum, message) => sum + message.tokens, 0);
  if (tokens < maxTokens)
    return { nothing: `its messages have ${tokens} tokens; the minimum is ${maxTokens}` };
  const keptFrom = withWholeCalls(messages, messages.length - preserve, removedFrom);
  return keptFrom === removedFrom
    ? { nothing: "all of its messages belong to the last call" }
    : { removedFrom, keptFrom };
}

/** The model's API refuses a result without its call, so the kept part begins with the call. */
function withWholeCalls(messages: readonly ClawSized[], from: number, least: number): number {
  let keptFrom = from;
  while (keptFrom > least && messages[keptFrom]?.beginsWithResult === true) {
    keptFrom--;
    if (messages[keptFrom]?.hasCall === true) break;
  }
  return keptFrom;
}
