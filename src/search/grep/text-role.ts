import { agents } from "../../agents/agents.ts";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";

/** What a text is in a session, derived from the names the log uses. */
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
  /** What the agent wrote down of its own requests: instructions, tools, and once more the messages. */
  "snapshot",
  /** Not text: ids, times, names of the format, pictures, signatures. */
  "field",
] as const;

export type TextRole = (typeof textRoles)[number];

/** Every text of a session. */
export const allRoles: readonly TextRole[] = textRoles.filter((role) => role !== "field");
/**
 * What is searched unless more is requested. A project's path is on every line, and a snapshot repeats what is
 * elsewhere, or was written by nobody in the session.
 */
export const defaultRoles: readonly TextRole[] = allRoles.filter((role) => role !== "snapshot");

/** Roles by the `type` of lines and blocks, in the words that the logs of all agents use. The first match wins. */
const BY_TYPE: readonly (readonly [RegExp, TextRole])[] = [
  [/^api-request|^prompt_snapshot$|^model\.|^system\.message$|^tool\.execution_start$/, "snapshot"],
  [/^session\.(?:usage_|shutdown$)/, "snapshot"],
  [/progress$/, "progress"],
  [/thinking$|reasoning/i, "thinking"],
  [/summary$|^compact|compaction_complete$/, "summary"],
  [/title$|^session_info$|^thread_name/, "title"],
  [/(?:output|result|_end|execution_complete)$/, "output"],
  [/(?:tool_use|[cC]all|_begin)$/, "input"],
  [/^(?:user[._]?message|queue-operation|queued_command|prompt_history)$/i, "request"],
  [/^(?:agent_?|assistant\.)message$/i, "reply"],
];

const BY_SPEAKER: Readonly<Record<string, TextRole>> = {
  user: "request",
  assistant: "reply",
  model: "reply",
  toolResult: "output",
  tool: "output",
  bashExecution: "output",
  branchSummary: "summary",
  compactionSummary: "summary",
};

const typeRoles = new Map<string, TextRole | undefined>();

/** Returns the role for the content of a line or block of this `type`; undefined: it keeps the role of its parent. */
function roleOfType(type: string): TextRole | undefined {
  if (typeRoles.has(type)) return typeRoles.get(type);
  const role = BY_TYPE.find(([pattern]) => pattern.test(type))?.[1];
  // There are few types; arbitrary strings must not fill the memory.
  if (typeRoles.size < 1_000) typeRoles.set(type, role);
  return role;
}

function roleOfSpeaker(speaker: string): TextRole {
  return BY_SPEAKER[speaker] ?? (isAgent(speaker) ? "reply" : "note");
}

/** Whether an agent is named by this word when it replies. */
function isAgent(speaker: string): boolean {
  return agents.some((agent) => agent.speaker === speaker);
}

/** Keys of the log format itself, at any depth outside tool data. */
const fieldKeys: ReadonlySet<string> = new Set([
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
  "id",
  "uuid",
  "parentUuid",
  "parentId",
  "logicalParentUuid",
  "leafUuid",
  "messageId",
  "requestId",
  "promptId",
  "sessionId",
  "session_id",
  "thread_id",
  "turn_id",
  "message_id",
  "responseId",
  "parentSessionId",
  "agentId",
  "headUuid",
  "anchorUuid",
  "tailUuid",
  "uuids",
  "allUuids",
  "parentLastUuid",
  "sourceToolAssistantUUID",
  "tool_use_id",
  "toolUseID",
  "toolUseId",
  "parentToolUseID",
  "sourceToolUseID",
  "toolCallId",
  "call_id",
  "targetId",
  "firstKeptEntryId",
  "fromId",
  "process_id",
  "backupFileName",
  "backupTime",
  "snapshotMessageId",
  "cwd",
  "gitBranch",
  "slug",
  "userType",
  "entrypoint",
  "originator",
  "cli_version",
  "current_date",
  "timezone",
  "model",
  "modelId",
  "provider",
  "model_provider",
  "api",
  "responseModel",
  "name",
  "toolName",
  "tool_name",
  "stop_reason",
  "stopReason",
  "stop_sequence",
  "service_tier",
  "inference_geo",
  "speed",
  "effort",
  "trigger",
  "permissionMode",
  "promptSource",
  "thinkingLevel",
  "customType",
  "hookName",
  "hookEvent",
  "hookEventName",
  "signature",
  "thinkingSignature",
  "textSignature",
  "encrypted_content",
  "media_type",
  "mimeType",
  "interactionId",
  "turnId",
  "apiCallId",
  "originatingMessageId",
  "parentAgentTaskId",
  "copilotVersion",
  "callID",
  "parentID",
  "modelID",
  "providerID",
  "project_id",
  "parent_id",
  "directory",
]);

type EmitText = (role: TextRole, text: string) => void;

/** What the enclosing objects say about a text. */
interface Scope {
  readonly role: TextRole;
  /** Nothing inside changes the role. */
  readonly isFinal: boolean;
  /** Tool input or output, whose keys are not those of the log format. */
  readonly isData: boolean;
}

const UNKNOWN: Scope = { role: "note", isFinal: false, isData: false };
const INPUT: Scope = { role: "input", isFinal: true, isData: true };
const OUTPUT: Scope = { role: "output", isFinal: true, isData: true };
const RESULT: Scope = { role: "result", isFinal: true, isData: true };
/** A call and its result in one object. */
const CALL_STATE: Scope = { role: "output", isFinal: false, isData: false };
const FIELDS: Scope = { role: "field", isFinal: true, isData: true };
const SNAPSHOT: Scope = { role: "snapshot", isFinal: true, isData: false };

/** Roles that apply to everything inside. */
const FINAL_ROLES: ReadonlySet<TextRole> = new Set(["snapshot", "progress", "summary", "thinking", "title"]);

/** Protects the call stack. */
const MAX_DEPTH = 1_000;
/** A key that a program chose. Any other key is text, such as the path of a file or a question. */
const NAME = /^[A-Za-z_$][\w$.-]*$/;
const CALL_KEYS: ReadonlySet<string> = new Set(["input", "arguments", "parameters", "action", "partialJson"]);
const RESULT_KEYS: ReadonlySet<string> = new Set(["content", "output", "result", "stdout", "stderr"]);
const DATA_URL = /^data:[\w.+/-]{1,80};base64,/;

/**
 * Emits every text of a parsed line, in order, with its role, by the structure that the logs of all agents
 * share: messages with a speaker, blocks with a type, tool data. Texts in unknown structures are emitted too.
 * Returns false if something was nested too deeply to be read.
 */
export function textsOfValue(value: unknown, emit: EmitText): boolean {
  let isComplete = true;

  const visit = (item: unknown, key: string, scope: Scope, isBinary: boolean, depth: number): void => {
    if (typeof item === "string") {
      if (item !== "") emit(isBinary || isField(key, item, scope) ? "field" : scope.role, item);
    } else if (typeof item !== "object" || item === null) return;
    else if (depth > MAX_DEPTH) isComplete = false;
    else if (Array.isArray(item)) {
      for (const each of item) visit(each, key, scope, isBinary, depth + 1);
    } else if (isObject(item)) visitObject(item, scope, depth);
  };

  const visitObject = (object: JsonObject, outer: Scope, depth: number): void => {
    const scope = scopeOf(object, outer);
    const holdsPicture = "media_type" in object || "mimeType" in object;
    for (const key of Object.keys(object)) {
      if (key !== "" && !NAME.test(key)) emit(scope.role, key);
      const inner = scope.isData ? scope : scopeOfMember(key, object, scope);
      const isBinary = key === "base64" || (holdsPicture && key === "data");
      const member = inner.isData && !scope.isData ? unwrap(object[key], key, inner) : object[key];
      visit(member, key, inner, isBinary, depth + 1);
    }
  };

  visit(value, "", UNKNOWN, false, 0);
  return isComplete;
}

function isField(key: string, text: string, { role, isData }: Scope): boolean {
  if (text.length > 1_000 && DATA_URL.test(text)) return true;
  if (isData) return role === "result" && key === "type";
  return fieldKeys.has(key) && !(role === "title" && key === "name");
}

/** Returns the scope inside a line, message or block. */
function scopeOf(object: JsonObject, outer: Scope): Scope {
  if (outer.isFinal) return outer;
  const { type, role: speaker } = object;
  if (object.isCompactSummary === true) return { role: "summary", isFinal: true, isData: false };
  const byType = typeof type === "string" ? roleOfType(type) : undefined;
  if (byType !== undefined) return { role: byType, isFinal: FINAL_ROLES.has(byType), isData: false };
  if (object.isMeta === true) return { ...outer, isFinal: true };
  if (object.synthetic === true) return { ...UNKNOWN, isFinal: true };
  if (typeof speaker === "string") return { ...UNKNOWN, role: roleOfSpeaker(speaker) };
  // Some agents have the speaker of a message as its type.
  const isSpoken = typeof type === "string" && (type === "user" || isAgent(type)) && "content" in object;
  return isSpoken ? { ...UNKNOWN, role: roleOfSpeaker(type) } : outer;
}

/** Calls and results in the words of Google's API, and what is beside them in logs. */
const BY_KEY: Readonly<Record<string, Scope>> = {
  functionCall: { role: "input", isFinal: false, isData: false },
  functionResponse: { role: "output", isFinal: false, isData: false },
  toolRequests: { role: "input", isFinal: false, isData: false },
  toolCallResult: RESULT,
  toolTelemetry: RESULT,
  resultDisplay: RESULT,
};

/** What is in the state of a call of opencode. */
const STATE_KEYS: Readonly<Record<string, Scope>> = {
  input: INPUT,
  output: OUTPUT,
  error: OUTPUT,
  metadata: RESULT,
};

/**
 * Of Gemini CLI, all messages once more; of Qwen Code, replies and results once more, and a whole history; of Copilot CLI, a
 * request with what was added to it.
 */
function repeats(key: string, object: JsonObject): boolean {
  if (key === "transformedContent") return "content" in object;
  if (key === "$set") return isObject(object.$set) && "messages" in object.$set;
  return (
    key === "systemPayload" && (object.subtype === "ui_telemetry" || object.subtype === "chat_compression")
  );
}

/** A message of opencode, whose words are in parts of their own: of it, only errors are text. */
function isMessageHead(object: JsonObject): boolean {
  return typeof object.role === "string" && isObject(object.time) && typeof object.agent === "string";
}

function scopeOfMember(key: string, object: JsonObject, scope: Scope): Scope {
  if (key === "toolUseResult") return RESULT;
  if (isMessageHead(object)) return key === "error" ? { ...UNKNOWN, isFinal: true } : FIELDS;
  if (key === "state" && object.type === "tool") return CALL_STATE;
  if (scope === CALL_STATE) return STATE_KEYS[key] ?? FIELDS;
  if (repeats(key, object)) return SNAPSHOT;
  if (key in BY_KEY && !scope.isFinal) return BY_KEY[key] ?? scope;
  if (key === "args" && (scope.role === "input" || scope.role === "reply")) return INPUT;
  if (key === "response" && scope.role === "output") return OUTPUT;
  if (scope.role === "input") return CALL_KEYS.has(key) ? INPUT : scope;
  if (scope.role !== "output") return scope;
  if (key === "details") return RESULT;
  if (key === "command" && object.role === "bashExecution") return INPUT;
  return RESULT_KEYS.has(key) && !holdsBlocks(object[key]) ? OUTPUT : scope;
}

function holdsBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => isObject(item) && typeof item.type === "string");
}

/** Parses tool input or output that a log stores as JSON in a string, so that its escapes are decoded too. */
function unwrap(value: unknown, key: string, { role }: Scope): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  if (role !== "input" && key !== "output") return value;
  const inner = tryParse(value);
  if (role === "input") return typeof inner === "object" && inner !== null ? inner : value;
  // Other output is JSON because the tool printed JSON: that is its text.
  return isObject(inner) && ["output", "stdout", "file"].some((name) => name in inner) ? inner : value;
}
