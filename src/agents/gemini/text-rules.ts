import { isObject } from "../../jsonl/json-line.ts";
import { googleMember } from "../google-parts.ts";
import { finalScope, type TextRules } from "../text-rules.ts";

export const geminiTextRules: TextRules = {
  // The speaker of a message is its type.
  types: [
    [/^user$/, "request"],
    [/^gemini$/, "reply"],
  ],
  member(key, object, scope) {
    // A copy of all messages.
    if (key === "$set" && isObject(object.$set) && "messages" in object.$set) return finalScope("snapshot");
    return googleMember(key, scope);
  },
};
