import { actionsOf, agentsThat } from "../agents/actions.ts";
import type { NamedBranch } from "../agents/agent-actions.ts";
import { diskSource } from "../agents/byte-source.ts";
import { withBases } from "../archive/archived-bases.ts";
import { exitCodes, UserError } from "../errors.ts";
import { extractDigest } from "../extract/extract-digest.ts";
import { focusSession } from "../extract/session-messages.ts";
import { continuationText } from "../extract/summary-text.ts";
import type { Library } from "../fs/library.ts";
import { maskAndClean } from "../redact/mask.ts";
import { markdownSummary } from "../render/markdown/render-markdown.ts";
import { PAGE_FORMAT } from "../render/summary-formats.ts";
import { shellQuote } from "../render/words.ts";
import type { Mask } from "../search/export-session.ts";
import { readPointed } from "../search/open-session.ts";
import { nearest } from "../search/query/nearest.ts";
import { type SelectOptions, selectSession } from "../search/select-sessions.ts";
import type { AgentName } from "../session/entry.ts";
import type { Session } from "../session/session.ts";

interface SummaryOptions extends SelectOptions {
  /** One of `summaryFormats`. Absent: for a branch its agent's own, otherwise the page for people. */
  readonly format: string | undefined;
  /** The text that starts the next session, instead of the summary alone. */
  readonly continuation: boolean;
  /** An entry of an abandoned branch, which is summarized instead. */
  readonly branch: string | undefined;
  readonly mask: Mask;
}

export interface SessionSummary {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly format: string;
  readonly continuation: boolean;
  /** The entry that names the branch; null if it is about the session. */
  readonly branch: string | null;
  readonly text: string;
}

/** Summarizes the selected session without a model. The same session always gets the same text. */
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
  const source = withBases(library, pointer.kept ?? diskSource(library.disk));
  const chunks = (): Iterable<Uint8Array> => (lead === undefined ? [] : source.chunks(lead));
  // Masked before it is cut: half a secret would not be recognized.
  const mask: Mask = (value) => maskAndClean(value, options.mask);
  const branch = options.branch === undefined ? null : readBranch(open.session, chunks, options.branch);
  const format = options.format ?? (branch === null ? PAGE_FORMAT : agent);
  const resume = mask(shellQuote(open.resume.command));
  const text =
    branch === null
      ? textOf(open.session, format, { chunks, mask, resume })
      : branchText(mask(branch.session), format, resume);
  const wrap = actionsOf(format).summary?.continuation ?? continuationText;
  return {
    sessionId,
    agent,
    format,
    continuation,
    branch: branch?.entry ?? null,
    text: continuation ? wrap(text.trimEnd()) : text,
  };
}

interface SummaryParts {
  readonly chunks: () => Iterable<Uint8Array>;
  readonly mask: Mask;
  readonly resume: string;
}

function textOf(whole: Session, format: string, { chunks, mask, resume }: SummaryParts): string {
  const { summary } = actionsOf(format);
  if (summary === undefined) return markdownText(mask(whole), resume);
  const own = whole.agent === format ? summary.writeOwn?.(chunks(), mask) : undefined;
  if (own !== undefined) return own;
  // The summary covers everything that was compacted away.
  const { session, earlier } = mask(focusSession(whole));
  return summary.write(session, earlier);
}

function branchText(branch: Session, format: string, resume: string): string {
  return actionsOf(format).summary?.writeBranch(branch) ?? markdownText(branch, resume);
}

function markdownText(session: Session, resume: string): string {
  return markdownSummary(session, extractDigest(session), resume);
}

/** Reads a branch that a session has abandoned, named by one of its entries or by the number of a turn on it. */
function readBranch(
  session: Session,
  chunks: () => Iterable<Uint8Array>,
  name: string,
): Extract<NamedBranch, { kind: "branch" }> {
  const { branches } = actionsOf(session.agent);
  if (branches === undefined) {
    const names = agentsThat("branches").map(({ agent }) => agent.displayName);
    throw new UserError(
      `Cannot summarize a branch of session ${session.id}: only ${names.join(" and ")} names the entries of its branches`,
      { exitCode: exitCodes.wrongUsage },
    );
  }
  const branch = branches.read(session, chunks, name);
  switch (branch.kind) {
    case "branch":
      return branch;
    case "current":
      throw new UserError(`Cannot summarize the branch of entry ${branch.entry}: it is on the current path`, {
        exitCode: exitCodes.wrongUsage,
        hint: `\`sessions show ${session.id} --tree\` shows the branches that were left`,
      });
    case "ambiguous":
      throw new UserError(`Cannot tell which entry "${name}" is: ${branch.count} begin with it`, {
        exitCode: exitCodes.wrongUsage,
        hint: nearestEntries(name, branch.entries),
      });
    case "unknown":
      throw new UserError(`Cannot find an entry "${name}" in session ${session.id}`, {
        exitCode: exitCodes.nothingFound,
        hint: nearestEntries(name, branch.entries),
      });
  }
}

function nearestEntries(name: string, entries: readonly string[]): string {
  const close = nearest(name, [...new Set(entries)], { limit: 3 });
  return close.length > 0 ? `the nearest are ${close.join(", ")}` : "a turn's number will do as well";
}
