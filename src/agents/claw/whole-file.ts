import { endOfObject, isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { skipSpace, topLevelKeys } from "../../jsonl/top-level-keys.ts";
import { arrayAt } from "../../jsonl/values.ts";

/**
 * Is this the beginning of a whole-file log? `{"messages":[{"blocks":…`: keys are sorted, so `version`
 * stands behind all messages, out of sight in the head of a long one.
 */
export function isWholeFileLog(text: string): boolean {
  const keys = topLevelKeys(text);
  const messages = keys.get("messages");
  if (messages === undefined || text[messages] !== "[") return false;
  const first = skipSpace(text, messages + 1);
  if (text[first] === "]") return keys.has("version");
  return topLevelKeys(text, first).has("blocks");
}

export interface WholeFile {
  readonly log: JsonObject;
  readonly isTorn: boolean;
}

/** Reads a whole-file log; of one that was torn while it was written, the messages before the tear. */
export function readWholeFile(text: string): WholeFile | undefined {
  const whole = tryParse(text);
  if (isObject(whole))
    return arrayAt(whole, "messages") === undefined ? undefined : { log: whole, isTorn: false };
  return isWholeFileLog(text) ? { log: { messages: readMessages(text) }, isTorn: true } : undefined;
}

function readMessages(text: string): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  let at = skipSpace(text, (topLevelKeys(text).get("messages") ?? text.length) + 1);
  while (text[at] === "{") {
    const end = endOfObject(text, at);
    const message = end === -1 ? undefined : tryParse(text.slice(at, end));
    if (!isObject(message)) break;
    messages.push(message);
    at = skipSpace(text, end);
    if (text[at] !== ",") break;
    at = skipSpace(text, at + 1);
  }
  return messages;
}
