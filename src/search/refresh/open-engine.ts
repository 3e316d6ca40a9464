import type { Library } from "../../fs/library.ts";
import type { Processes } from "../../fs/processes.ts";
import { ANALYSIS_VERSION, createAnalyzer } from "../analysis/analyze-text.ts";
import type { SearchEngine } from "../engine.ts";
import { createEmbeddedEngine } from "../paged/embedded-engine.ts";
import type { FieldTable, IndexSchema } from "../ranking/index-schema.ts";

/**
 * What can be found, and how much it weighs: requests, titles and summaries more than replies, those
 * more than paths and commands. Texts are kept where a snippet shows them: of the card only what no
 * turn has. Output is long, and shown where nothing else has the words.
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
];

/** Changes when a session gives other documents or another row than before: an older index is built anew. */
const DOCUMENTS_VERSION = 8;

export const sessionSchema: IndexSchema = {
  fields: sessionFields,
  analysisVersion: `${ANALYSIS_VERSION}.${DOCUMENTS_VERSION}`,
  createAnalyzer,
};

/** The full-text engine of the library's store. */
export function openEngine(
  { disk, places }: Pick<Library, "disk" | "places">,
  processes: Processes,
): SearchEngine {
  return createEmbeddedEngine(disk, places.index, processes, sessionSchema);
}
