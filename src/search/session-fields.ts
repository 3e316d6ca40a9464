import type { FieldTable } from "./ranking/index-fields.ts";

/**
 * What can be found, and how much it weighs: requests, titles and summaries more than replies, those
 * more than paths and commands. Texts are kept where a snippet shows them: of the card only what no
 * turn has. Output is long, and shown where nothing else has the words.
 */
export const sessionFields: FieldTable = [
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
];
