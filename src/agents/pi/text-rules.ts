import { INPUT_DATA, RESULT_DATA, type TextRules } from "../text-rules.ts";

export const piTextRules: TextRules = {
  types: [[/^session_info$/, "title"]],
  speakers: {
    toolResult: "output",
    bashExecution: "output",
    branchSummary: "summary",
    compactionSummary: "summary",
  },
  fields: [
    "toolCallId",
    "responseId",
    "targetId",
    "firstKeptEntryId",
    "fromId",
    "modelId",
    "api",
    "responseModel",
    "thinkingLevel",
    "customType",
    "thinkingSignature",
    "textSignature",
  ],
  member(key, object, { role }) {
    if (role !== "output") return undefined;
    if (key === "details") return RESULT_DATA;
    // A command that the user ran, with its output in the same message.
    return key === "command" && object.role === "bashExecution" ? INPUT_DATA : undefined;
  },
};
