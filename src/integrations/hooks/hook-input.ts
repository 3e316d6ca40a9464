/** What an agent says of an event, as far as it matters here. */
export interface HookInput {
  /** Which event it is, as we call it. */
  readonly event: string;
  readonly sessionId: string | undefined;
  /** The session's log. It may lag behind what the agent has in memory. */
  readonly log: string | undefined;
  readonly folder: string | undefined;
  /** Why a session starts. */
  readonly source: string | undefined;
  /** What asked for a compaction: `manual` or `auto`. */
  readonly trigger: string | undefined;
  /** The summary that a compaction left. */
  readonly summary: string | undefined;
}

type ReadHookInput =
  | { readonly kind: "good"; readonly input: HookInput }
  | { readonly kind: "bad"; readonly what: string };

/** A summary is the longest thing that is sent; more than this is no event. */
export const MAX_INPUT_BYTES: number = 4 * 1024 * 1024;

/**
 * Checks what came on stdin. The event that it names counts more than the one that the command line names, since it
 * decides what may be answered. By hand: loading a validator would cost more than all of this.
 */
export function readHookInput(text: string, subcommand: string): ReadHookInput {
  if (text.trim() === "") return bad("nothing came on stdin");
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    return bad(`what came on stdin is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return bad("what came on stdin is no JSON object");
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  const wrong = TEXTS.find((name) => !isTextOrAbsent(fields.get(name)));
  if (wrong !== undefined) return bad(`${wrong} is no text`);
  const textOf = (name: (typeof TEXTS)[number]): string | undefined => {
    const found = fields.get(name);
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const named = textOf("hook_event_name");
  const event = hookEvents.find(({ name, subcommand: ours }) =>
    named === undefined ? ours === subcommand : name === named,
  );
  if (event === undefined) return bad(`there is no event "${named ?? subcommand}" here`);
  return {
    kind: "good",
    input: {
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

/** One event of Claude Code that we listen to. */
interface HookEvent {
  /** As Claude Code calls it: in its settings, and in what it sends. */
  readonly name: string;
  /** As we call it: `sessions hook pre-compact`. */
  readonly subcommand: string;
  /** How long Claude Code lets it run, in seconds. */
  readonly timeoutSeconds: number;
  /** To which kinds of the event it is limited; absent: to none. */
  readonly matcher?: string;
}

/** The events that are installed. The time limits are far above what is needed: they are for disks that hang. */
export const hookEvents: readonly HookEvent[] = [
  { name: "PreCompact", subcommand: "pre-compact", timeoutSeconds: 30 },
  { name: "PostCompact", subcommand: "post-compact", timeoutSeconds: 10 },
  // Of every kind: the agent's sweep of old sessions follows its start.
  { name: "SessionStart", subcommand: "session-start", timeoutSeconds: 10 },
  // All hooks of this event share 1.5 seconds where none asks for more.
  { name: "SessionEnd", subcommand: "session-end", timeoutSeconds: 5 },
];
