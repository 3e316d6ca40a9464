import { ANALYSIS_VERSION, createAnalyzer } from "../../src/search/analysis/analyze-text.ts";
import type { IndexSchema } from "../../src/search/ranking/index-schema.ts";

/** The fields that a session has, with weights that do not matter here. */
export const benchSchema: IndexSchema = {
  fields: [
    { kind: "card", name: "title", boost: 4, stored: true },
    { kind: "card", name: "requests", boost: 2, stored: false },
    { kind: "card", name: "files", boost: 1, stored: true },
    { kind: "card", name: "commands", boost: 1, stored: false },
    { kind: "card", name: "tools", boost: 1, stored: true },
    { kind: "card", name: "project", boost: 1, stored: true },
    { kind: "card", name: "branch", boost: 1, stored: true },
    { kind: "turn", name: "request", boost: 2, stored: true },
    { kind: "turn", name: "reply", boost: 1, stored: true },
    { kind: "turn", name: "commands", boost: 1, stored: true },
    { kind: "turn", name: "files", boost: 1, stored: true },
    { kind: "turn", name: "errors", boost: 1.5, stored: true },
    { kind: "turn", name: "output", boost: 0.5, stored: true },
  ],
  analysisVersion: String(ANALYSIS_VERSION),
  createAnalyzer,
};
