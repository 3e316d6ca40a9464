import type { Library } from "../operations/library.ts";
import type { SearchResult } from "../operations/search-sessions.ts";
import type { HitSnippet } from "../operations/search-snippets.ts";

/**
 * Masks secrets in what a search found. What the index has was masked when it was put there; only passages of
 * tool output come from the logs themselves. Patterns of the user may be newer than the index.
 */
export async function maskFound(
  results: readonly SearchResult[],
  { config }: Library,
): Promise<readonly SearchResult[]> {
  const mayBeNewer = config.redact.length > 0;
  if (!mayBeNewer && !results.some(hasOutput)) return results;
  const { createMask } = await import("./create-mask.ts");
  const mask = createMask(config);
  if (mayBeNewer) return mask(results);
  const masked = (snippet: HitSnippet): HitSnippet => (isOutput(snippet) ? mask(snippet) : snippet);
  return results.map((result) => ({
    ...result,
    hits: result.hits.map((hit) => ({ ...hit, snippets: hit.snippets.map(masked) })),
  }));
}

function hasOutput({ hits }: SearchResult): boolean {
  return hits.some(({ snippets }) => snippets.some(isOutput));
}

function isOutput({ role }: HitSnippet): boolean {
  return role === "output";
}
