import { messageText } from "../agents/claw/claw-message.ts";
import { clawSummary } from "../agents/claw/claw-summary.ts";
import { summaryOfContinuation } from "../agents/claw/continuation.ts";
import { mergeClawSummary } from "../agents/claw/merge-claw-summary.ts";
import { readClawLog, sizeOf, summaryMessage, UnreadableClawLog } from "../agents/claw/read-claw-log.ts";
import { diskSource } from "../agents/disk-source.ts";
import { fileListsOf, piBranchSummary, piSummary } from "../agents/pi/pi-summary.ts";
import { continuationText, piContinuationText } from "../extract/continuation.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import { focusSession } from "../extract/focus-session.ts";
import { sessionMessages } from "../extract/session-messages.ts";
import type { SummaryMessage } from "../extract/summary-message.ts";
import type { Library } from "../fs/library.ts";
import { cleanText } from "../redact/clean-text.ts";
import { maskDeep } from "../redact/mask-deep.ts";
import { shellQuote } from "../render/json/shell-quote.ts";
import { markdownSummary } from "../render/markdown/markdown-summary.ts";
import type { Mask } from "../search/export-session.ts";
import { readPointed } from "../search/open-session.ts";
import { type SelectOptions, selectSession } from "../search/select-sessions.ts";
import type { Agent } from "../session/entry.ts";
import type { Session } from "../session/session.ts";
import { readPiBranch } from "./summarize-branch.ts";

export const summaryFormats = ["claw", "pi", "markdown"] as const;
export type SummaryFormat = (typeof summaryFormats)[number];

export interface SummaryOptions extends SelectOptions {
  /** Absent: Pi's for a branch, else the one for people. */
  readonly format: SummaryFormat | undefined;
  /** The text that starts the next session, instead of the summary alone. */
  readonly continuation: boolean;
  /** An entry of a branch that was left, which is summed up instead. */
  readonly branch: string | undefined;
  readonly mask: Mask;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly agent: Agent;
  readonly format: SummaryFormat;
  readonly continuation: boolean;
  /** The entry that names the branch; null where it is about the session. */
  readonly branch: string | null;
  readonly text: string;
}

/** Sums up the session that a selector names, without a model. The same session gives the same text. */
export function summarizeSession(
  library: Library,
  words: readonly string[],
  options: SummaryOptions,
): SessionSummary {
  const pointer = selectSession(library, words, options);
  const open = readPointed(library, pointer);
  const { id: sessionId, agent } = open.session;
  const { continuation } = options;
  const lead = pointer.files.files[0]?.path;
  const source = pointer.kept ?? diskSource(library.disk);
  const chunks = (): Iterable<Uint8Array> => (lead === undefined ? [] : source.chunks(lead));
  // Cleaned before it is masked, and masked before it is cut: half a secret is not known as one.
  const mask: Mask = (value) => options.mask(maskDeep(value, cleanText));
  const branch = options.branch === undefined ? null : readPiBranch(open.session, chunks, options.branch);
  const format = options.format ?? (branch === null ? "markdown" : "pi");
  const resume = mask(shellQuote(open.resume.command));
  const text =
    branch === null
      ? textOf(open.session, format, { chunks, mask, resume })
      : branchText(mask(branch.session), format, resume);
  const wrap = format === "pi" ? piContinuationText : continuationText;
  return {
    ...{ sessionId, agent, format, continuation, branch: branch?.entry ?? null },
    text: continuation ? wrap(text.trimEnd()) : text,
  };
}

interface Means {
  readonly chunks: () => Iterable<Uint8Array>;
  readonly mask: Mask;
  readonly resume: string;
}

function textOf(whole: Session, format: SummaryFormat, { chunks, mask, resume }: Means): string {
  if (format === "markdown") {
    const session = mask(whole);
    return markdownSummary(session, extractDigest(session), resume);
  }
  const logged = format === "claw" && whole.agent === "claw" ? loggedMessages(chunks()) : undefined;
  if (logged !== undefined) return clawText(mask(logged.messages), mask(logged.earlier));
  // What was compacted away is told by its summary: it need not be gone through.
  const { session, earlier } = mask(focusSession(whole));
  return format === "claw"
    ? clawText(sessionMessages(session), earlier)
    : piSummary({ history: session, turnPrefix: null, earlier, files: fileListsOf(session, earlier) });
}

function branchText(branch: Session, format: SummaryFormat, resume: string): string {
  switch (format) {
    case "claw":
      return clawSummary(sessionMessages(branch));
    case "pi":
      return piBranchSummary(branch, fileListsOf(branch, null));
    case "markdown":
      return markdownSummary(branch, extractDigest(branch), resume);
  }
}

/** claw-code's own messages, as its log has them; undefined where claw-code itself would not load it. */
function loggedMessages(
  chunks: Iterable<Uint8Array>,
): { readonly messages: readonly SummaryMessage[]; readonly earlier: string | null } | undefined {
  try {
    const messages = readClawLog(chunks).messages.map(({ message }) => message);
    const [first] = messages;
    if (first === undefined || !sizeOf(first).isSummary)
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

function clawText(messages: readonly SummaryMessage[], earlier: string | null): string {
  const summary = clawSummary(messages);
  return earlier === null ? summary : mergeClawSummary(earlier, summary);
}
