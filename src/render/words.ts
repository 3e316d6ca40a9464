import type { Compaction, Context, Step, Subagent, Turn } from "../session/session.ts";
import { isoTime } from "./json/session-json.ts";

/** Where something stands, in words; nothing where it stands in what the agent would load now. */
export function contextWords(context: Context): string | null {
  switch (context) {
    case "current":
      return null;
    case "compacted":
      return "compacted away";
    case "branch":
      return "on a branch that was left";
    case "subagent":
      return "by a sub-agent";
  }
}

/** When a turn began, where it stands, how it came in. */
export function turnWords(turn: Pick<Turn, "at" | "context" | "via" | "copiedFrom">): readonly string[] {
  const at = utcMinute(turn.at);
  const via = { typed: null, command: "slash command", bash: "shell line", queued: "typed ahead" }[turn.via];
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

/** What kind of note it is, in a word. */
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

/** How far a compaction shrank what the agent loads. */
export function tokenWords({ tokensBefore, tokensAfter }: Compaction): readonly string[] {
  if (tokensBefore === null && tokensAfter === null) return [];
  if (tokensAfter === null) return [`${formatNumber(tokensBefore ?? 0)} tokens before`];
  if (tokensBefore === null) return [`${formatNumber(tokensAfter)} tokens after`];
  return [`${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens`];
}

/** A whole number with its thousands apart: "12,345". */
export function formatNumber(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A number with its noun: "1 turn", "3 turns". */
export function countOf(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : plural}`;
}

/** To the minute, in UTC: files that are kept read the same everywhere. */
export function utcMinute(ms: number | null): string | null {
  return (
    isoTime(ms)
      ?.replace("T", " ")
      .replace(/:\d\d\.\d+Z$/, "") ?? null
  );
}

/** From and to, the day once where it is the same: "2026-10-12 14:05 – 16:20 UTC (2 h 15 min)". */
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
    ? join(hours, "h", minutes % 60, "min")
    : join(Math.floor(hours / 24), "d", hours % 24, "h");
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
