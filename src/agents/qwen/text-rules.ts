import { googleMember } from "../google-parts.ts";
import { finalScope, RESULT_DATA, type TextRules } from "../text-rules.ts";

export const qwenTextRules: TextRules = {
  fields: ["parentUuid", "gitBranch", "modelId"],
  member(key, { subtype }, scope) {
    // Copies of replies and results, and a complete history.
    const repeats = subtype === "ui_telemetry" || subtype === "chat_compression";
    if (key === "systemPayload" && repeats) return finalScope("snapshot");
    if (key === "toolCallResult" && !scope.isFinal) return RESULT_DATA;
    return googleMember(key, scope);
  },
};
