import { exitCodes, UserError } from "../../errors.ts";
import { estimateContext } from "../../extract/context-estimate.ts";
import type { Library } from "../../fs/library.ts";
import { planEdits } from "../../jsonl/rewrite-plan.ts";
import { cleanText } from "../../redact/clean-text.ts";
import { maskDeep } from "../../redact/mask-deep.ts";
import { createRedactor } from "../../redact/redact.ts";
import type { CompactionPlan, CompactionWish } from "../compaction.ts";
import type { CompactorInput } from "../compactors.ts";
import { readPlanned } from "../read-planned.ts";
import { type ClawCompactionRule, cutClawMessages } from "./claw-compaction.ts";
import { messageText } from "./claw-message.ts";
import { clawSummary } from "./claw-summary.ts";
import { summaryOfContinuation } from "./continuation.ts";
import { fitClawSummary } from "./fit-claw-summary.ts";
import { mergeClawSummary } from "./merge-claw-summary.ts";
import { planClawCompaction } from "./plan-claw-compaction.ts";
import {
  type ClawLog,
  type LoggedMessage,
  readClawLog,
  sizeOf,
  summaryMessage,
  UnreadableClawLog,
} from "./read-claw-log.ts";

const PRESERVE = 4;
const MAX_TOKENS = 10_000;
const AUTO_INPUT_TOKENS = 200_000;
/** claw-code cuts a text at 16,384 characters; around the summary stand the sentences of the continuation. */
const SUMMARY_CHARS = 16_000;

/** Puts a summary in the place of old messages, as claw-code itself would. */
export function compactClaw({ library, files, snapshot, wish }: CompactorInput): CompactionPlan {
  const log = readLog(files.id, snapshot.chunks());
  const before = estimateContext(readPlanned(library, files, snapshot, undefined));
  const cut = cutClawMessages(
    log.messages.map(({ message }) => sizeOf(message)),
    ruleOf(wish, library.surroundings.variables.CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS),
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

function ruleOf(
  { auto, preserve, maxTokens }: CompactionWish,
  threshold: string | undefined,
): ClawCompactionRule {
  const least = Number(threshold);
  return {
    preserve: preserve ?? PRESERVE,
    // Past the threshold all goes that can.
    maxTokens: auto ? 0 : (maxTokens ?? MAX_TOKENS),
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
  const summary = clawSummary(maskDeep(maskDeep(messages, cleanText), redact));
  const merged =
    earlier === undefined
      ? summary
      : mergeClawSummary(redact(cleanText(summaryOfContinuation(messageText(earlier.message)))), summary);
  return fitClawSummary(merged, SUMMARY_CHARS);
}
