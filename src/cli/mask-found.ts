import type { Library } from "../fs/library.ts";
import type { SearchResult } from "../search/search-sessions.ts";

/** All that a search gives is masked already, but patterns of the user may be newer than the index. */
export async function maskFound(
  results: readonly SearchResult[],
  { config }: Library,
): Promise<readonly SearchResult[]> {
  if (config.redact.length === 0) return results;
  const { createMask } = await import("./create-mask.ts");
  return createMask(config)(results);
}
