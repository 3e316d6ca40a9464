import type { Library } from "../fs/library.ts";
import type { Processes } from "../fs/processes.ts";
import { sessionSchema } from "./document-fields.ts";
import type { SearchEngine } from "./engine.ts";
import { createEmbeddedEngine } from "./paged/embedded-engine.ts";

/** Opens the full-text engine of the library's store. */
export function openEngine(
  { disk, places }: Pick<Library, "disk" | "places">,
  processes: Processes,
): SearchEngine {
  return createEmbeddedEngine(disk, places.index, processes, sessionSchema);
}
