import {
  INPUT_DATA,
  OUTPUT_DATA,
  openScope,
  type TextRules,
  type TextScope,
} from "../../agents/text-rules.ts";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import type { TextRole } from "../../session/text-role.ts";

/*
 * The rules that the logs of all agents share: messages with a speaker, blocks with a type, tool data. The
 * differences of an agent are in its `text-rules.ts`.
 */

/** Roles by the `type` of lines and blocks. The first match wins. */
const SHARED_TYPES: readonly (readonly [RegExp, TextRole])[] = [
  [/progress$/, "progress"],
  [/thinking$|reasoning/i, "thinking"],
  [/summary$|^compact/, "summary"],
  [/title$/, "title"],
  [/(?:output|result)$/, "output"],
  [/(?:tool_use|[cC]all)$/, "input"],
];

const SHARED_SPEAKERS: Readonly<Record<string, TextRole>> = {
  user: "request",
  assistant: "reply",
  model: "reply",
  tool: "output",
};

/** Keys of log formats and of the APIs of models, at any depth outside tool data. */
const SHARED_FIELDS = [
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
  "parentId",
  "messageId",
  "sessionId",
  "session_id",
  "parentSessionId",
  "agentId",
  "tool_use_id",
  "call_id",
  "cwd",
  "model",
  "provider",
  "name",
  "toolName",
  "tool_name",
  "stop_reason",
  "stopReason",
  "stop_sequence",
  "service_tier",
  "effort",
  "trigger",
  "signature",
  "encrypted_content",
  "media_type",
  "mimeType",
];

/**
 * Takes one text. `within` is the data that it is part of, undefined for prose: the key of a string, or the strings
 * beside it, may show what it is.
 */
type EmitText = (role: TextRole, text: string, within: object | undefined) => void;

/** Emits every text of a parsed line, in order. Returns false if something was nested too deeply to be read. */
export type ReadTexts = (value: unknown, emit: EmitText) => boolean;

/** Roles that apply to everything inside. */
const FINAL_ROLES: ReadonlySet<TextRole> = new Set(["snapshot", "progress", "summary", "thinking", "title"]);

/** Roles of texts that were said or written: their meaning does not depend on what is around them. */
const PROSE: ReadonlySet<TextRole> = new Set(["request", "reply", "thinking", "summary", "title"]);

/** Protects the call stack. */
const MAX_DEPTH = 1_000;
/** A key that a program chose. Any other key is text, such as the path of a file or a question. */
const NAME = /^[A-Za-z_$][\w$.-]*$/;
const CALL_KEYS: ReadonlySet<string> = new Set(["input", "arguments", "parameters", "action", "partialJson"]);
const RESULT_KEYS: ReadonlySet<string> = new Set(["content", "output", "result", "stdout", "stderr"]);
const DATA_URL = /^data:[\w.+/-]{1,80};base64,/;

/** Reads the texts of an agent's lines, each with its role. Texts in unknown structures are emitted too. */
export function createTextReader(rules: TextRules = {}): ReadTexts {
  const types = [...(rules.types ?? []), ...SHARED_TYPES];
  const speakers = new Map(Object.entries({ ...SHARED_SPEAKERS, ...rules.speakers }));
  const fields: ReadonlySet<string> = new Set([...SHARED_FIELDS, ...(rules.fields ?? [])]);
  const typeRoles = new Map<string, TextRole | undefined>();

  /** Returns the role for the content of a line or block of this `type`; undefined: it keeps the role of its parent. */
  const roleOfType = (type: string): TextRole | undefined => {
    if (typeRoles.has(type)) return typeRoles.get(type);
    const role = types.find(([pattern]) => pattern.test(type))?.[1];
    // There are few types; arbitrary strings must not fill the memory.
    if (typeRoles.size < 1_000) typeRoles.set(type, role);
    return role;
  };

  /** Returns the scope inside a line, message or block. */
  const scopeOf = (object: JsonObject, outer: TextScope): TextScope => {
    if (outer.isFinal) return outer;
    const special = rules.object?.(object, outer);
    if (special !== undefined) return special;
    const { type, role: speaker } = object;
    const byType = typeof type === "string" ? roleOfType(type) : undefined;
    if (byType !== undefined) return { role: byType, isFinal: FINAL_ROLES.has(byType), isData: false };
    return typeof speaker === "string" ? openScope(speakers.get(speaker) ?? "note") : outer;
  };

  const scopeOfMember = (key: string, object: JsonObject, scope: TextScope): TextScope => {
    const special = rules.member?.(key, object, scope);
    if (special !== undefined) return special;
    if (scope.role === "input") return CALL_KEYS.has(key) ? INPUT_DATA : scope;
    if (scope.role !== "output") return scope;
    return RESULT_KEYS.has(key) && !holdsBlocks(object[key]) ? OUTPUT_DATA : scope;
  };

  const isField = (key: string, text: string, { role, isData }: TextScope): boolean => {
    if (text.length > 1_000 && DATA_URL.test(text)) return true;
    if (isData) return role === "result" && key === "type";
    return fields.has(key) && !(role === "title" && key === "name");
  };

  return (value, emit) => {
    let isComplete = true;

    const visit = (
      item: unknown,
      key: string,
      scope: TextScope,
      within: object | undefined,
      isBinary: boolean,
      depth: number,
    ): void => {
      if (typeof item === "string") {
        // The fields of a snapshot belong to the snapshot: its line is searched completely, or not at all.
        const isText = !isBinary && (scope.role === "snapshot" || !isField(key, item, scope));
        if (item !== "") give(isText ? scope.role : "field", item, within);
      } else if (typeof item !== "object" || item === null) return;
      else if (depth > MAX_DEPTH) isComplete = false;
      else if (Array.isArray(item)) {
        for (const each of item) visit(each, key, scope, within ?? item, isBinary, depth + 1);
      } else if (isObject(item)) visitObject(item, scope, within, depth);
    };

    const visitObject = (
      object: JsonObject,
      outer: TextScope,
      outerWithin: object | undefined,
      depth: number,
    ): void => {
      const scope = scopeOf(object, outer);
      // A message or block of its own.
      const within = scope === outer ? (outerWithin ?? object) : object;
      const holdsPicture = "media_type" in object || "mimeType" in object;
      for (const key of Object.keys(object)) {
        if (key !== "" && !NAME.test(key)) give(scope.role, key, within);
        const inner = scope.isData ? scope : scopeOfMember(key, object, scope);
        const isBinary = key === "base64" || (holdsPicture && key === "data");
        const opensData = inner.isData && !scope.isData;
        const member = opensData ? unwrap(object[key], key, inner) : object[key];
        visit(member, key, inner, opensData ? undefined : within, isBinary, depth + 1);
      }
    };

    const give = (role: TextRole, text: string, within: object | undefined): void =>
      emit(role, text, PROSE.has(role) ? undefined : within);

    visit(value, "", openScope("note"), undefined, false, 0);
    return isComplete;
  };
}

function holdsBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => isObject(item) && typeof item.type === "string");
}

/** Parses tool input or output that a log stores as JSON in a string, so that its escapes are decoded too. */
function unwrap(value: unknown, key: string, { role }: TextScope): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  if (role !== "input" && key !== "output") return value;
  const inner = tryParse(value);
  if (role === "input") return typeof inner === "object" && inner !== null ? inner : value;
  // Other output is JSON because the tool printed JSON, so the JSON itself is its text.
  return isObject(inner) && ["output", "stdout", "file"].some((name) => name in inner) ? inner : value;
}
