/** One event of Claude Code that we listen to. */
export interface HookEvent {
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
