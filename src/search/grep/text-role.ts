/** What a text is in a session, by what the log calls it. */
export const textRoles = [
  "request",
  "reply",
  "thinking",
  /** What a tool was called with. */
  "input",
  /** What the model saw of a tool's result. */
  "output",
  /** What else the agent wrote down of it: `toolUseResult`, `details`. */
  "result",
  "progress",
  "summary",
  "title",
  /** Hooks, attachments, instructions, and all that nothing else fits. */
  "note",
  /** No text: ids, times, names of the format, pictures, signatures. */
  "field",
] as const;

export type TextRole = (typeof textRoles)[number];

/** Fields are looked at only where they are asked for: a project's path stands on every line. */
export const defaultRoles: readonly TextRole[] = textRoles.filter((role) => role !== "field");

/** Roles by the words that the logs of all agents use for kinds of lines and blocks. The first that fits counts. */
const BY_TYPE: readonly (readonly [RegExp, TextRole])[] = [
  [/progress$/, "progress"],
  [/thinking$|reasoning/i, "thinking"],
  [/summary$|^compact/, "summary"],
  [/title$|^session_info$|^thread_name/, "title"],
  [/(?:output|result|_end)$/, "output"],
  [/(?:tool_use|[cC]all|_begin)$/, "input"],
  [/^(?:user_?message|queue-operation|queued_command|prompt_history)$/i, "request"],
  [/^agent_?message$/i, "reply"],
];

const BY_SPEAKER: Readonly<Record<string, TextRole>> = {
  user: "request",
  assistant: "reply",
  toolResult: "output",
  tool: "output",
  bashExecution: "output",
  branchSummary: "summary",
  compactionSummary: "summary",
};

const typeRoles = new Map<string, TextRole | undefined>();

/** The role that the `type` of a line or a block gives to what is in it; undefined: that of what is around it. */
export function roleOfType(type: string): TextRole | undefined {
  if (typeRoles.has(type)) return typeRoles.get(type);
  const role = BY_TYPE.find(([pattern]) => pattern.test(type))?.[1];
  // Types are few; what is no type must not fill the memory.
  if (typeRoles.size < 1_000) typeRoles.set(type, role);
  return role;
}

export function roleOfSpeaker(speaker: string): TextRole {
  return BY_SPEAKER[speaker] ?? "note";
}

/** Keys of the format itself, at any depth outside the data of tools. */
export const fieldKeys: ReadonlySet<string> = new Set([
  ...[
    "type",
    "subtype",
    "role",
    "kind",
    "status",
    "level",
    "mode",
    "operation",
    "phase",
    "version",
    "timestamp",
  ],
  ...[
    "id",
    "uuid",
    "parentUuid",
    "parentId",
    "logicalParentUuid",
    "leafUuid",
    "messageId",
    "requestId",
    "promptId",
  ],
  ...[
    "sessionId",
    "session_id",
    "thread_id",
    "turn_id",
    "message_id",
    "responseId",
    "parentSessionId",
    "agentId",
  ],
  ...["headUuid", "anchorUuid", "tailUuid", "uuids", "allUuids", "parentLastUuid", "sourceToolAssistantUUID"],
  ...["tool_use_id", "toolUseID", "toolUseId", "parentToolUseID", "sourceToolUseID", "toolCallId", "call_id"],
  ...[
    "targetId",
    "firstKeptEntryId",
    "fromId",
    "process_id",
    "backupFileName",
    "backupTime",
    "snapshotMessageId",
  ],
  ...[
    "cwd",
    "gitBranch",
    "slug",
    "userType",
    "entrypoint",
    "originator",
    "cli_version",
    "current_date",
    "timezone",
  ],
  ...[
    "model",
    "modelId",
    "provider",
    "model_provider",
    "api",
    "responseModel",
    "name",
    "toolName",
    "tool_name",
  ],
  ...[
    "stop_reason",
    "stopReason",
    "stop_sequence",
    "service_tier",
    "inference_geo",
    "speed",
    "effort",
    "trigger",
  ],
  ...[
    "permissionMode",
    "promptSource",
    "thinkingLevel",
    "customType",
    "hookName",
    "hookEvent",
    "hookEventName",
  ],
  ...["signature", "thinkingSignature", "textSignature", "encrypted_content", "media_type", "mimeType"],
]);
