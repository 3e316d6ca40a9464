import type { Library } from "../../fs/library.ts";
import type { Processes } from "../../fs/processes.ts";
import { ANALYSIS_VERSION, createAnalyzer } from "../analysis/analyze-text.ts";
import type { SearchEngine } from "../engine.ts";
import { createEmbeddedEngine } from "../paged/embedded-engine.ts";
import type { IndexSchema } from "../ranking/index-schema.ts";
import { sessionFields } from "../session-fields.ts";

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
