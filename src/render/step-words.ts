import type { Compaction, Context, Step, Subagent, Turn } from "../session/session.ts";
import { countOf, formatNumber, utcMinute } from "./amounts.ts";

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
