import { extractDigest } from "../core/extract/extract-digest.ts";
import type { Agent } from "../core/model/entry.ts";
import type { Session } from "../core/model/session.ts";
import { maskDeep } from "../core/redact/mask-deep.ts";
import { clawSummary } from "../core/summary/claw-summary.ts";
import { continuationText, piContinuationText } from "../core/summary/continuation.ts";
import { focusSession } from "../core/summary/focus-session.ts";
import { markdownSummary } from "../core/summary/markdown-summary.ts";
import { mergeClawSummary } from "../core/summary/merge-claw-summary.ts";
import { fileListsOf, piSummary } from "../core/summary/pi-summary.ts";
import { sessionMessages } from "../core/summary/session-messages.ts";
import { cleanText } from "../core/text/clean-text.ts";
import { shellQuote } from "../core/view/shell-quote.ts";
import type { Mask } from "./export-session.ts";
import type { Library } from "./library.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import type { SelectOptions } from "./select-sessions.ts";

export const summaryFormats = ["claw", "pi", "markdown"] as const;
export type SummaryFormat = (typeof summaryFormats)[number];

export interface SummaryOptions extends SelectOptions {
  readonly format: SummaryFormat;
  /** The text that starts the next session, instead of the summary alone. */
  readonly continuation: boolean;
  readonly mask: Mask;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly agent: Agent;
  readonly format: SummaryFormat;
  readonly continuation: boolean;
  readonly text: string;
}

/** Sums up the session that a selector names, without a model. The same session gives the same text. */
export function summarizeSession(
  library: Library,
  words: readonly string[],
  options: SummaryOptions,
): SessionSummary {
  const open = openSession(library, words, options);
  const { id: sessionId, agent } = open.session;
  const { format, continuation } = options;
  const text = textOf(open, format, options.mask);
  const wrap = format === "pi" ? piContinuationText : continuationText;
  return { sessionId, agent, format, continuation, text: continuation ? wrap(text.trimEnd()) : text };
}

function textOf(open: OpenSession, format: SummaryFormat, maskSecrets: Mask): string {
  // Cleaned before it is masked, and masked before it is cut: half a secret is not known as one.
  const mask: Mask = (value) => maskSecrets(maskDeep(value, cleanText));
  if (format === "markdown") {
    const session = mask(open.session);
    return markdownSummary(session, extractDigest(session), shellQuote(open.resume.command));
  }
  // What was compacted away is told by its summary: it need not be gone through.
  const { session, earlier } = mask(focusSession(open.session));
  return format === "claw" ? clawText(session, earlier) : piText(session, earlier);
}

function clawText(session: Session, earlier: string | null): string {
  const summary = clawSummary(sessionMessages(session));
  return earlier === null ? summary : mergeClawSummary(earlier, summary);
}

function piText(session: Session, earlier: string | null): string {
  return piSummary({ history: session, turnPrefix: null, earlier, files: fileListsOf(session, earlier) });
}
