import { ANALYSIS_VERSION, createAnalyzer } from "../../core/analysis/analyze-text.ts";
import { sessionFields } from "../../core/documents/session-fields.ts";
import type { IndexSchema } from "../../core/search/index-schema.ts";
import type { SearchEngine } from "../../core/search/search-engine.ts";
import { createEmbeddedEngine } from "../../store/index/embedded-engine.ts";
import type { Processes } from "../../store/processes.ts";
import type { Library } from "../library.ts";

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
