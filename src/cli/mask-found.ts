import type { Library } from "../operations/library.ts";
import type { SearchResult } from "../operations/search-sessions.ts";

/**
 * Masks secrets in what a search found. What the index has was masked when it was put there; only passages of
 * tool output come from the logs themselves. Patterns of the user may be newer than the index.
 */
export async function maskFound(
  results: readonly SearchResult[],
  { config }: Library,
): Promise<readonly SearchResult[]> {
  const isNew = config.redact.length > 0;
  if (!isNew && !results.some(hasOutput)) return results;
  const { createMask } = await import("./create-mask.ts");
  const mask = createMask(config);
  return isNew ? mask(results) : results.map((result) => ({ ...result, hits: result.hits.map(maskOutput) }));

  function maskOutput(hit: SearchResult["hits"][number]): SearchResult["hits"][number] {
    return {
      ...hit,
      snippets: hit.snippets.map((snippet) => (snippet.role === "output" ? mask(snippet) : snippet)),
    };
  }
}

function hasOutput({ hits }: SearchResult): boolean {
  return hits.some(({ snippets }) => snippets.some(({ role }) => role === "output"));
}
