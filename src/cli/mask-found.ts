import type { Library } from "../fs/library.ts";
import type { SearchResult } from "../search/search-sessions.ts";

/** Masks search results again: the index is masked, but the user's own patterns may be newer than it. */
export async function maskFound(
  results: readonly SearchResult[],
  { config }: Library,
): Promise<readonly SearchResult[]> {
  if (config.redact.length === 0) return results;
  const { createMask } = await import("./create-mask.ts");
  return createMask(config)(results);
}
