import { finalScope, openScope, RESULT_DATA, type TextRules } from "../text-rules.ts";

export const copilotTextRules: TextRules = {
  types: [
    [/^model\.|^system\.message$|^tool\.execution_start$|^session\.(?:usage_|shutdown$)/, "snapshot"],
    [/compaction_complete$/, "summary"],
    [/execution_complete$/, "output"],
    [/^user\.message$/, "request"],
    [/^assistant\.message$/, "reply"],
  ],
  fields: [
    "toolCallId",
    "interactionId",
    "turnId",
    "apiCallId",
    "originatingMessageId",
    "parentAgentTaskId",
    "copilotVersion",
  ],
  member(key, object, { isFinal }) {
    // A request with the parts that were added to it.
    if (key === "transformedContent" && "content" in object) return finalScope("snapshot");
    if (isFinal) return undefined;
    if (key === "toolRequests") return openScope("input");
    return key === "toolTelemetry" ? RESULT_DATA : undefined;
  },
};
