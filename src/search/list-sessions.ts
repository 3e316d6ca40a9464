import type { Library } from "../fs/library.ts";
import { type CatalogueRow, type Coverage, withCatalogue } from "./catalogue.ts";
import { filterSessions } from "./filter-sessions.ts";
import type { SessionFilter } from "./query/session-filter.ts";
import type { IndexAccess } from "./refresh/index-access.ts";

export interface ListOptions {
  readonly filter?: SessionFilter;
  readonly offset?: number;
  readonly limit?: number;
  /** Also sessions of which only prompts or fragments are left. */
  readonly stubs?: boolean;
}

export interface SessionList {
  /** How many match, on this page or not. */
  readonly total: number;
  readonly rows: readonly CatalogueRow[];
  readonly coverage: Coverage;
}

/** Sessions of all agents, newest first. */
export async function listSessions(
  library: Library,
  access: IndexAccess,
  options: ListOptions = {},
): Promise<SessionList> {
  return withCatalogue(library, access, async (catalogue) => {
    const fitting =
      options.filter === undefined ? catalogue.rows : await filterSessions(catalogue, options.filter);
    const matching = fitting.filter(({ state }) => options.stubs === true || state !== "stub");
    const offset = options.offset ?? 0;
    const rows = matching.slice(offset, offset + (options.limit ?? matching.length));
    return { total: matching.length, rows, coverage: catalogue.coverage };
  });
}
