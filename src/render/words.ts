import type { Digest, PendingItem } from "../extract/digest.ts";
import type { Compaction, Context, Step, Subagent, Turn } from "../session/session.ts";
import { isoTime } from "./json/session-json.ts";

/** Says in words in which context something is; null if the agent would load it now. */
export function contextWords(context: Context): string | null {
  switch (context) {
    case "current":
      return null;
    case "compacted":
      return "compacted away";
    case "branch":
      return "on an abandoned branch";
    case "subagent":
      return "by a sub-agent";
  }
}

/** The words that name a log on the command line: its id, or its path if other logs have the same id. */
export function logSelector(log: {
  readonly id: string;
  readonly source: string;
  readonly otherCopies: readonly string[];
}): string {
  return log.otherCopies.length === 0 ? log.id : shellQuote([log.source]);
}

/** How a command or a tool call ended, by its exit status; `unknown` if there is none. */
export type Outcome = "done" | "failed" | "unknown";

export function outcomeOf(exitCode: number | null): Outcome {
  return exitCode === null ? "unknown" : exitCode === 0 ? "done" : "failed";
}

/** The sign for an outcome, the same on a terminal, in markdown and in HTML. */
export const outcomeSigns: Readonly<Record<Outcome, string>> = { done: "✓", failed: "✗", unknown: "·" };

/** The sign for an item of open work, the same on a terminal and in HTML. */
export function pendingSign({ source, status }: Pick<PendingItem, "source" | "status">): string {
  if (status === "in_progress") return "◐";
  return { todo: "☐", next: "→", question: "?", interrupted: "■" }[source];
}

/** Says where an item of open work comes from, and its progress. */
export function pendingWords({ source, status }: Pick<PendingItem, "source" | "status">): string {
  if (status === "in_progress") return "in progress";
  return { todo: "todo", next: "next step", question: "question", interrupted: "interrupted" }[source];
}

/** An item of open work, with how many sessions of the project left the same open, if several did. */
export function pendingText({
  text,
  sessions,
}: {
  readonly text: string;
  readonly sessions: number;
}): string {
  return sessions > 1 ? `${text} (in ${countOf(sessions, "session")})` : text;
}

/** Says when a turn started, where it is, and how its request was entered. */
export function turnWords(turn: Pick<Turn, "at" | "context" | "via" | "copiedFrom">): readonly string[] {
  const at = utcMinute(turn.at);
  const via = { typed: null, command: "slash command", bash: "shell line", queued: "queued" }[turn.via];
  const copied = turn.copiedFrom === undefined ? null : `copied from ${turn.copiedFrom}`;
  return [at === null ? null : `${at} UTC`, contextWords(turn.context), via, copied].filter(
    (word) => word !== null,
  );
}

export function subagentWords({ type, turn, steps }: Subagent): readonly string[] {
  const calls = steps.filter((step) => step.kind === "tool").length;
  return [type, turn === null ? null : `started in turn ${turn}`, countOf(calls, "tool call")].filter(
    (word) => word !== null,
  );
}

/** Names the kind of a note. */
export function noteWord(about: Extract<Step, { kind: "note" }>["about"]): string {
  const words = {
    command: "Command",
    output: "Output",
    interrupt: "Interrupted",
    meta: "Note",
    system: "System",
    custom: "Note",
    error: "Error",
  } as const;
  return words[about];
}

/** Says how much a compaction shrank what the agent loads. */
export function tokenWords({ tokensBefore, tokensAfter }: Compaction): readonly string[] {
  if (tokensBefore === null && tokensAfter === null) return [];
  if (tokensAfter === null) return [`${formatNumber(tokensBefore ?? 0)} tokens before`];
  if (tokensBefore === null) return [`${formatNumber(tokensAfter)} tokens after`];
  return [`${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens`];
}

/** Formats a whole number with separators: "12,345". */
export function formatNumber(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats a number with its noun: "1 turn", "3 turns". */
export function countOf(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** Counts sessions as lists do, and names those of which only parts are left: "378 sessions and parts of 17 more". */
export function sessionsOf({
  sessions,
  stubs,
}: {
  readonly sessions: number;
  readonly stubs: number;
}): string {
  const whole = countOf(sessions - stubs, "session");
  return stubs === 0 ? whole : `${whole} and parts of ${formatNumber(stubs)} more`;
}

/** Says how far the archiving in the background is. */
export function archivingWords({ done, total }: { readonly done: number; readonly total: number }): string {
  return `archiving in the background: ${formatNumber(done)} of ${formatNumber(total)}`;
}

/** Formats a time to the minute, in UTC, so that files read the same everywhere. */
export function utcMinute(ms: number | null): string | null {
  return (
    isoTime(ms)
      ?.replace("T", " ")
      .replace(/:\d\d\.\d+Z$/, "") ?? null
  );
}

/** Formats a period, with the day once if it is the same: "2026-10-12 14:05 – 16:20 UTC (2 h 15 min)". */
export function utcSpan(startMs: number | null, endMs: number | null): string | null {
  const start = utcMinute(startMs);
  const end = utcMinute(endMs);
  if (start === null || end === null || startMs === null || endMs === null)
    return start === null && end === null ? null : `${start ?? end} UTC`;
  if (start === end) return `${start} UTC`;
  const [day, time] = end.split(" ");
  const until = start.startsWith(`${day} `) ? time : end;
  const minutes = Math.round((endMs - startMs) / 60_000);
  return `${start} – ${until} UTC${minutes > 0 ? ` (${spanOf(minutes)})` : ""}`;
}

function spanOf(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? inTwoUnits(hours, "h", minutes % 60, "min")
    : inTwoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** "2 h 15 min"; the smaller unit only if it is not 0. */
export function inTwoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

interface TouchedFile {
  /** Relative to the project if it is in it. */
  readonly name: string;
  readonly reads: number;
  readonly writes: number;
}

/** Lists files that tools read or wrote, those written most often first. */
export function touchedFiles({ files, project }: Digest): readonly TouchedFile[] {
  return files
    .filter(({ reads, writes }) => reads + writes > 0)
    .map(({ path, reads, writes }) => ({ name: relativeTo(project, path), reads, writes }))
    .sort((a, b) => b.writes - a.writes || b.reads - a.reads);
}

/** Lists files that are only named in texts. */
export function namedFiles({ files, project }: Digest): readonly string[] {
  return files
    .filter(({ reads, writes }) => reads + writes === 0)
    .map(({ path }) => relativeTo(project, path));
}

/** Shortens a path inside the project to its relative form. */
export function relativeTo(project: string | null, path: string): string {
  const inside = project !== null && (path.startsWith(`${project}/`) || path.startsWith(`${project}\\`));
  return inside && path.length > project.length + 1 ? path.slice(project.length + 1) : path;
}

/** Formats a command for a shell: words with special characters are quoted. */
export function shellQuote(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** Says which words of a query do not occur, and which words the answer shows instead. */
export function missingWordLines(
  missing: readonly { readonly word: string; readonly showing: readonly string[] }[],
): readonly string[] {
  return missing.slice(0, MAX_MISSING).map(({ word, showing }) => {
    const instead = showing.length === 0 ? "" : `; showing ${showing.join(", ")}`;
    const shown = word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}…` : word;
    return `not found in conversations or tool output: ${shown}${instead}`;
  });
}

/** A limit, because a pasted text could have many. */
const MAX_MISSING = 5;
const MAX_WORD = 100;
