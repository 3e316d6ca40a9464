import { RULES_VERSION } from "../redact/mask.ts";
import { ANALYSIS_VERSION, createAnalyzer } from "./analysis/analyze-text.ts";
import type { FieldTable, IndexSchema } from "./ranking/index-schema.ts";

/** Text of tool calls that turns do not have in other fields: every word once, already without secrets. */
export const WORDS_FIELD = "words";

/**
 * The fields of search documents and their weights. A session has one card and one document per turn
 * (session-documents.ts fills them; session/text-budget.ts cuts very long texts before). Requests, titles and
 * summaries count more than replies, and those more than paths and commands; the best turn is then weighed against
 * the card (ranking/aggregate-by-session.ts). Texts are stored if a snippet may show them: of the card only texts
 * that no turn has. Tool output is long and shown only if nothing else has the words.
 */
const sessionFields: FieldTable = [
  { kind: "card", name: "title", boost: 4, stored: true },
  { kind: "card", name: "request", boost: 3, stored: false },
  { kind: "card", name: "summary", boost: 2, stored: true },
  { kind: "card", name: "pending", boost: 1.5, stored: true },
  { kind: "card", name: "project", boost: 1.5, stored: true },
  { kind: "card", name: "branch", boost: 1, stored: true },
  { kind: "card", name: "file", boost: 1, stored: false },
  { kind: "card", name: "command", boost: 0.8, stored: false },
  { kind: "card", name: "tool", boost: 0.5, stored: false },
  { kind: "turn", name: "request", boost: 3, stored: true },
  { kind: "turn", name: "summary", boost: 2, stored: true },
  { kind: "turn", name: "reply", boost: 1.5, stored: true },
  { kind: "turn", name: "error", boost: 1, stored: true },
  { kind: "turn", name: "command", boost: 0.8, stored: true },
  { kind: "turn", name: "file", boost: 0.8, stored: true },
  { kind: "turn", name: "output", boost: 0.4, stored: "apart" },
  { kind: "turn", name: WORDS_FIELD, boost: 0.1, stored: false },
];

/** Must change when sessions get different documents or rows: then the index is rebuilt. */
const DOCUMENTS_VERSION = 14;

export const sessionSchema: IndexSchema = {
  fields: sessionFields,
  analysisVersion: `${ANALYSIS_VERSION}.${DOCUMENTS_VERSION}.${RULES_VERSION}`,
  createAnalyzer,
};
