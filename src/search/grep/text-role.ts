import { tryParse } from "../../jsonl/json-line.ts";
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
function roleOfType(type: string): TextRole | undefined {
  if (typeRoles.has(type)) return typeRoles.get(type);
  const role = BY_TYPE.find(([pattern]) => pattern.test(type))?.[1];
  // Types are few; what is no type must not fill the memory.
  if (typeRoles.size < 1_000) typeRoles.set(type, role);
  return role;
}

function roleOfSpeaker(speaker: string): TextRole {
  return BY_SPEAKER[speaker] ?? "note";
}

/** Keys of the format itself, at any depth outside the data of tools. */
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
]);

type GiveText = (role: TextRole, text: string) => void;

type JsonObject = Readonly<Record<string, unknown>>;

/** What is known of a text by what is around it. */
interface Place {
  readonly role: TextRole;
  /** Nothing inside gives another role. */
  readonly isSettled: boolean;
  /** What a tool was given or gave: its keys are not the format's. */
  readonly isData: boolean;
}

const UNKNOWN: Place = { role: "note", isSettled: false, isData: false };
const INPUT: Place = { role: "input", isSettled: true, isData: true };
const OUTPUT: Place = { role: "output", isSettled: true, isData: true };
const RESULT: Place = { role: "result", isSettled: true, isData: true };

/** Roles of which all that is inside is a part. */
const WHOLE: ReadonlySet<TextRole> = new Set(["progress", "summary", "thinking", "title"]);

/** The stack must hold. */
const DEEPEST = 1_000;
/** A key like this is a name that a program chose; any other is text: the path of a file, a question. */
const NAME = /^[A-Za-z_$][\w$.-]*$/;
const CALL_KEYS: ReadonlySet<string> = new Set(["input", "arguments", "parameters", "action", "partialJson"]);
const RESULT_KEYS: ReadonlySet<string> = new Set(["content", "output", "result", "stdout", "stderr"]);
const DATA_URL = /^data:[\w.+/-]{1,80};base64,/;

/**
 * Gives every text of a parsed line, in order, by the shape that the logs of all agents share: messages with
 * a speaker, blocks with a type, data of tools. What is not known is given too. False where something was
 * nested too deep to be looked at.
 */
export function textsOfValue(value: unknown, give: GiveText): boolean {
  let isWhole = true;

  const visit = (item: unknown, key: string, place: Place, isBinary: boolean, depth: number): void => {
    if (typeof item === "string") {
      if (item !== "") give(isBinary || isField(key, item, place) ? "field" : place.role, item);
    } else if (typeof item !== "object" || item === null) return;
    else if (depth > DEEPEST) isWhole = false;
    else if (Array.isArray(item)) {
      for (const each of item) visit(each, key, place, isBinary, depth + 1);
    } else if (isObject(item)) visitObject(item, place, depth);
  };

  const visitObject = (object: JsonObject, around: Place, depth: number): void => {
    const place = placeIn(object, around);
    const holdsPicture = "media_type" in object || "mimeType" in object;
    for (const key of Object.keys(object)) {
      if (key !== "" && !NAME.test(key)) give(place.role, key);
      const inner = place.isData ? place : placeOfMember(key, object, place);
      const isBinary = key === "base64" || (holdsPicture && key === "data");
      const member = inner.isData && !place.isData ? unwrap(object[key], key, inner) : object[key];
      visit(member, key, inner, isBinary, depth + 1);
    }
  };

  visit(value, "", UNKNOWN, false, 0);
  return isWhole;
}

function isField(key: string, text: string, { role, isData }: Place): boolean {
  if (text.length > 1_000 && DATA_URL.test(text)) return true;
  if (isData) return role === "result" && key === "type";
  return fieldKeys.has(key) && !(role === "title" && key === "name");
}

/** What a line, a message or a block says of all that is in it. */
function placeIn(object: JsonObject, around: Place): Place {
  if (around.isSettled) return around;
  const { type, role: speaker } = object;
  if (object.isCompactSummary === true) return { role: "summary", isSettled: true, isData: false };
  const byType = typeof type === "string" ? roleOfType(type) : undefined;
  if (byType !== undefined) return { role: byType, isSettled: WHOLE.has(byType), isData: false };
  if (object.isMeta === true) return { ...around, isSettled: true };
  return typeof speaker === "string" ? { ...UNKNOWN, role: roleOfSpeaker(speaker) } : around;
}

function placeOfMember(key: string, object: JsonObject, place: Place): Place {
  if (key === "toolUseResult") return RESULT;
  if (place.role === "input") return CALL_KEYS.has(key) ? INPUT : place;
  if (place.role !== "output") return place;
  if (key === "details") return RESULT;
  if (key === "command" && object.role === "bashExecution") return INPUT;
  return RESULT_KEYS.has(key) && !holdsBlocks(object[key]) ? OUTPUT : place;
}

function holdsBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => isObject(item) && typeof item.type === "string");
}

/** Some logs hold the input of a tool, or all that it gave, as JSON in a text: its own escapes are decoded too. */
function unwrap(value: unknown, key: string, { role }: Place): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  if (role !== "input" && key !== "output") return value;
  const inner = tryParse(value);
  if (role === "input") return typeof inner === "object" && inner !== null ? inner : value;
  // Other output is JSON because a tool printed JSON: that is its text.
  return isObject(inner) && ["output", "stdout", "file"].some((name) => name in inner) ? inner : value;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
