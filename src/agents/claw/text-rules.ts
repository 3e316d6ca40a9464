import type { TextRules } from "../text-rules.ts";

export const clawTextRules: TextRules = {
  types: [[/^prompt_history$/, "request"]],
};
