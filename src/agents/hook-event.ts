import type { AgentName } from "../session/entry.ts";
import type { HookEvent, ReadHookInput } from "./agent-actions.ts";

/**
 * Reads an event in the form of Claude Code, which Codex has adopted: a JSON object that names the event, the session
 * and its log. Checked by hand, because loading a validator would cost more than everything else here. The event
 * decides which answers are allowed.
 */
export function readHookEvent(
  text: string,
  subcommand: string,
  { agent, events }: { readonly agent: AgentName; readonly events: readonly HookEvent[] },
): ReadHookInput {
  if (text.trim() === "") return bad("stdin is empty");
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    return bad(`stdin is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return bad("stdin is not a JSON object");
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  const wrong = TEXTS.find((name) => !isTextOrAbsent(fields.get(name)));
  if (wrong !== undefined) return bad(`${wrong} is not a string`);
  const textOf = (name: (typeof TEXTS)[number]): string | undefined => {
    const found = fields.get(name);
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const named = textOf("hook_event_name");
  const event = events.find(({ name, subcommand: ours }) =>
    named === undefined ? ours === subcommand : name === named,
  );
  if (event === undefined) return bad(`unknown event "${named ?? subcommand}"`);
  return {
    kind: "good",
    input: {
      agent,
      event: event.subcommand,
      sessionId: textOf("session_id"),
      log: textOf("transcript_path"),
      folder: textOf("cwd"),
      source: textOf("source"),
      trigger: textOf("trigger"),
      summary: textOf("compact_summary"),
    },
  };
}

const TEXTS = [
  "hook_event_name",
  "session_id",
  "transcript_path",
  "cwd",
  "source",
  "trigger",
  "compact_summary",
] as const;

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function bad(what: string): ReadHookInput {
  return { kind: "bad", what };
}

/** Formats the answer to a session's start that adds a text to its context, for Claude Code and Codex. */
export function sessionStartAnswer(additionalContext: string): object {
  return { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } };
}

/** Formats the answer to any event that shows the user a text, for Claude Code and Codex. */
export function noticeAnswer(systemMessage: string): object {
  return { systemMessage };
}

/** The input that the agent would send about a made-up session. */
export function testEvent(event: string, sessionId: string, log: string, folder: string): string {
  return JSON.stringify({
    session_id: sessionId,
    transcript_path: log,
    cwd: folder,
    hook_event_name: event,
    trigger: "manual",
    custom_instructions: "",
    source: "compact",
    reason: "other",
    compact_summary: "A test event.",
  });
}
