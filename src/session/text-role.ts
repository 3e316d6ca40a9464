/** The role of a text in a session, derived from the names in the log. */
export const textRoles = [
  "request",
  "reply",
  "thinking",
  /** The arguments of a tool call. */
  "input",
  /** A tool's result as the model saw it. */
  "output",
  /** The agent's own record of the result: `toolUseResult`, `details`. */
  "result",
  "progress",
  "summary",
  "title",
  /** Hooks, attachments, instructions, and anything else. */
  "note",
  /** The agent's record of its own requests: instructions, tools, and the messages once more. */
  "snapshot",
  /** Not text: ids, times, names of the format, pictures, signatures. */
  "field",
] as const;

export type TextRole = (typeof textRoles)[number];

/** Every text of a session. */
export const allRoles: readonly TextRole[] = textRoles.filter((role) => role !== "field");
/**
 * Roles that are searched by default. A project's path is on every line, and a snapshot repeats other texts, or
 * contains texts that nobody in the session wrote.
 */
export const defaultRoles: readonly TextRole[] = allRoles.filter((role) => role !== "snapshot");
