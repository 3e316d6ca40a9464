import { diskSource } from "../agents/byte-source.ts";
import { messageText, summaryOfContinuation } from "../agents/claw/message.ts";
import { clawSizeOf, readClawLog, summaryMessage, UnreadableClawLog } from "../agents/claw/read-log.ts";
import { clawSummary, mergeClawSummary } from "../agents/claw/summary.ts";
import { readPiEntries } from "../agents/pi/compact.ts";
import { findPiBranch, type PiEntry } from "../agents/pi/context.ts";
import { type PiTrail, readPiTrail } from "../agents/pi/read-log.ts";
import { fileListsOf, piBranchSummary, piSummary } from "../agents/pi/summary.ts";
import { exitCodes, UserError } from "../errors.ts";
import { continuationText, piContinuationText } from "../extract/continuation.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import { focusSession, type SummaryMessage, sessionMessages } from "../extract/session-messages.ts";
import type { Library } from "../fs/library.ts";
import { cleanText } from "../redact/clean-text.ts";
import { maskDeep } from "../redact/mask.ts";
import { shellQuote } from "../render/json/shell-quote.ts";
import { markdownSummary } from "../render/markdown/markdown-summary.ts";
import type { Mask } from "../search/export-session.ts";
import { readPointed } from "../search/open-session.ts";
import { nearest } from "../search/query/nearest.ts";
import { type SelectOptions, selectSession } from "../search/select-sessions.ts";
import type { AgentName } from "../session/entry.ts";
import type { Session } from "../session/session.ts";

export const summaryFormats = ["claw", "pi", "markdown"] as const;
type SummaryFormat = (typeof summaryFormats)[number];

interface SummaryOptions extends SelectOptions {
  /** Absent: Pi's for a branch, else the one for people. */
  readonly format: SummaryFormat | undefined;
  /** The text that starts the next session, instead of the summary alone. */
  readonly continuation: boolean;
  /** An entry of a branch that was left, which is summed up instead. */
  readonly branch: string | undefined;
  readonly mask: Mask;
}

interface SessionSummary {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly format: SummaryFormat;
  readonly continuation: boolean;
  /** The entry that names the branch; null if it is about the session. */
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
    sessionId,
    agent,
    format,
    continuation,
    branch: branch?.entry ?? null,
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
  // What was compacted away is reported by its summary: it need not be gone through.
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

function clawText(messages: readonly SummaryMessage[], earlier: string | null): string {
  const summary = clawSummary(messages);
  return earlier === null ? summary : mergeClawSummary(earlier, summary);
}

/** Shortest start of a name that may stand for it. */
const MIN_ENTRY_PREFIX = 4;

interface BranchOfSession {
  /** The entry that was requested, by its whole name. */
  readonly entry: string;
  /** The branch as a session of its own. */
  readonly session: Session;
}

/** Reads a branch that a Pi session has left, named by one of its entries or by the number of a turn on it. */
function readPiBranch(session: Session, chunks: () => Iterable<Uint8Array>, name: string): BranchOfSession {
  if (session.agent !== "pi") {
    throw new UserError(
      `Cannot sum up a branch of session ${session.id}: only Pi names the entries of its branches`,
      {
        exitCode: exitCodes.wrongUsage,
      },
    );
  }
  const trail = readPiTrail(chunks());
  const entry = findPiEntry(trail, session, name);
  const branch = findPiBranch(trail.entries, entry);
  if (branch.kind === "current") {
    throw new UserError(`Cannot sum up the branch of entry ${entry.id}: it is on the current path`, {
      exitCode: exitCodes.wrongUsage,
      hint: `\`sessions show ${session.id} --tree\` shows the branches that were left`,
    });
  }
  const loaded = branch.entries.map((each) => ({ entry: each, edited: false }));
  const { title, project } = session;
  return {
    entry: entry.id,
    session: { ...readPiEntries(chunks, trail, loaded), id: session.id, title, project },
  };
}

function findPiEntry({ entries }: PiTrail, session: Session, name: string): PiEntry {
  const exact = entries.findLast(({ id }) => id === name);
  if (exact !== undefined) return exact;
  const begin = name.length < MIN_ENTRY_PREFIX ? [] : entries.filter(({ id }) => id.startsWith(name));
  const [first] = begin;
  if (first !== undefined && begin.every(({ id }) => id === first.id)) return first;
  const turn = /^\d+$/.test(name) ? session.turns[Number(name) - 1] : undefined;
  const ofTurn = turn === undefined ? undefined : entries.findLast(({ id }) => id === turn.uid);
  if (ofTurn !== undefined) return ofTurn;
  const close = nearest(name, [...new Set(entries.map(({ id }) => id))], { limit: 3 });
  throw new UserError(
    begin.length > 1
      ? `Cannot tell which entry "${name}" is: ${begin.length} begin with it`
      : `Cannot find an entry "${name}" in session ${session.id}`,
    {
      exitCode: begin.length > 1 ? exitCodes.wrongUsage : exitCodes.nothingFound,
      hint: close.length > 0 ? `the nearest are ${close.join(", ")}` : "a turn's number will do as well",
    },
  );
}
