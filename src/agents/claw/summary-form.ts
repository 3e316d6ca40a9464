import { type SummaryMessage, sessionMessages } from "../../extract/session-messages.ts";
import { continuationText } from "../../extract/summary-text.ts";
import type { SummaryForm } from "../agent-actions.ts";
import { messageText, summaryOfContinuation } from "./message.ts";
import { clawSizeOf, readClawLog, summaryMessage, UnreadableClawLog } from "./read-log.ts";
import { clawSummary, mergeClawSummary } from "./summary.ts";

/** The summary that claw-code writes when it compacts, of a session of any agent. */
export const clawSummaryForm: SummaryForm = {
  write: (session, earlier) => textOf(sessionMessages(session), earlier),
  writeOwn(chunks, mask) {
    const logged = loggedMessages(chunks);
    return logged === undefined ? undefined : textOf(mask(logged.messages), mask(logged.earlier));
  },
  writeBranch: (branch) => clawSummary(sessionMessages(branch)),
  continuation: continuationText,
};

function textOf(messages: readonly SummaryMessage[], earlier: string | null): string {
  const summary = clawSummary(messages);
  return earlier === null ? summary : mergeClawSummary(earlier, summary);
}

/** claw-code's own messages, as its log has them; undefined if claw-code itself would not load it. */
function loggedMessages(
  chunks: Iterable<Uint8Array>,
): { readonly messages: readonly SummaryMessage[]; readonly earlier: string | null } | undefined {
  try {
    const messages = readClawLog(chunks).messages.map(({ message }) => message);
    const [first] = messages;
    if (first === undefined || !clawSizeOf(first).isSummary)
      return { messages: messages.map(summaryMessage), earlier: null };
    return {
      messages: messages.slice(1).map(summaryMessage),
      earlier: summaryOfContinuation(messageText(first)),
    };
  } catch (error) {
    if (error instanceof UnreadableClawLog) return undefined;
    throw error;
  }
}
