import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import {
  FIELD_DATA,
  finalScope,
  INPUT_DATA,
  OUTPUT_DATA,
  openScope,
  RESULT_DATA,
  type TextRules,
  type TextScope,
} from "../text-rules.ts";

/** The state of a call: its input and its result in one object. */
const CALL_STATE: TextScope = openScope("output");

const stateMembers: Readonly<Record<string, TextScope>> = {
  input: INPUT_DATA,
  output: OUTPUT_DATA,
  error: OUTPUT_DATA,
  metadata: RESULT_DATA,
};

export const opencodeTextRules: TextRules = {
  fields: [
    "callID",
    "parentID",
    "modelID",
    "providerID",
    "message_id",
    "project_id",
    "parent_id",
    "directory",
    "slug",
  ],
  object: ({ synthetic }) => (synthetic === true ? finalScope("note") : undefined),
  member(key, object, scope) {
    if (isMessageHead(object)) return key === "error" ? finalScope("note") : FIELD_DATA;
    if (key === "state" && object.type === "tool") return CALL_STATE;
    return scope === CALL_STATE ? (stateMembers[key] ?? FIELD_DATA) : undefined;
  },
};

/** A message, whose text is in separate parts: only its errors are text. */
function isMessageHead({ role, time, agent }: JsonObject): boolean {
  return typeof role === "string" && isObject(time) && typeof agent === "string";
}
