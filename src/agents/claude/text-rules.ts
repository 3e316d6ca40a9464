import { finalScope, RESULT_DATA, type TextRules } from "../text-rules.ts";

export const claudeTextRules: TextRules = {
  types: [
    [/^api-request|^prompt_snapshot$/, "snapshot"],
    [/^(?:queue-operation|queued_command)$/, "request"],
  ],
  fields: [
    "parentUuid",
    "logicalParentUuid",
    "leafUuid",
    "requestId",
    "promptId",
    "headUuid",
    "anchorUuid",
    "tailUuid",
    "uuids",
    "allUuids",
    "parentLastUuid",
    "sourceToolAssistantUUID",
    "toolUseID",
    "toolUseId",
    "parentToolUseID",
    "sourceToolUseID",
    "backupFileName",
    "backupTime",
    "snapshotMessageId",
    "gitBranch",
    "slug",
    "userType",
    "entrypoint",
    "inference_geo",
    "speed",
    "permissionMode",
    "promptSource",
    "hookName",
    "hookEvent",
    "hookEventName",
  ],
  object({ isCompactSummary, isMeta }, outer) {
    if (isCompactSummary === true) return finalScope("summary");
    return isMeta === true ? { ...outer, isFinal: true } : undefined;
  },
  member: (key) => (key === "toolUseResult" ? RESULT_DATA : undefined),
};
