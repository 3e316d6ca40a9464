import type { TextRules } from "../text-rules.ts";

export const codexTextRules: TextRules = {
  types: [
    [/^thread_name/, "title"],
    [/_end$/, "output"],
    [/_begin$/, "input"],
    // Older versions write `user_message`, newer ones `UserMessage`.
    [/^user_?message$/i, "request"],
    [/^agent_?message$/i, "reply"],
  ],
  fields: [
    "thread_id",
    "turn_id",
    "turnId",
    "process_id",
    "originator",
    "cli_version",
    "current_date",
    "timezone",
    "model_provider",
    "directory",
  ],
};
