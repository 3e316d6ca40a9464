import type { DigestFile } from "../extract/digest.ts";
import { matchesPath } from "../fs/glob.ts";
import { filterSessions } from "./filter-sessions.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import type { CatalogRow, SessionCatalog } from "./session-catalog.ts";

/** A session that touched a file, and how. */
export interface FileHit {
  readonly row: CatalogRow;
  readonly files: readonly DigestFile[];
}

export interface FileHistoryOptions {
  readonly filter: SessionFilter;
  readonly written: boolean;
}

/** Which sessions read, wrote or named a file: by the end of its path, or a glob. Newest first. */
export async function fileHistory(
  catalog: SessionCatalog,
  pattern: string,
  { filter, written }: FileHistoryOptions,
): Promise<readonly FileHit[]> {
  const hits: FileHit[] = [];
  for (const row of await filterSessions(catalog, filter)) {
    const digest = await catalog.digestOf(row);
    const files =
      digest?.files.filter((file) => matchesPath(pattern, file.path) && (file.writes > 0 || !written)) ?? [];
    if (files.length > 0) hits.push({ row, files });
  }
  return hits;
}
