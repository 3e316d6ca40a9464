import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { createOpenSearchEngine } from "../search/opensearch/opensearch-engine.ts";
import type { SearchRequest, SearchResult } from "../search/search-sessions.ts";
import { searchShared } from "../search/search-shared.ts";
import { openingError } from "./push-index.ts";
import type { Remote } from "./remotes.ts";
import { type TeamOptions, teamEngineOptions } from "./team-engine.ts";

/** If a node goes away, its requests are lost: other nodes are asked again. */
const ATTEMPTS = 3;

/** A person waits for the answer. A cluster elects another manager within seconds. */
const PATIENCE_MS = 15_000;

/** Searches a team's sessions: the user's own, and those that others share. */
export async function searchTeam(
  library: Library,
  remote: Remote,
  options: TeamOptions,
  requests: readonly SearchRequest[],
): Promise<readonly SearchResult[]> {
  const team = teamEngineOptions(library, remote, { ...options, patienceMs: PATIENCE_MS });
  const engine = createOpenSearchEngine(team);
  const results: SearchResult[] = [];
  for (const request of requests) {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === ATTEMPTS;
      const opened = await engine.read();
      if (opened.kind === "absent") throw nothingThere(remote);
      if (opened.kind !== "open") throw openingError(opened);
      try {
        const result = await searchShared(library, opened.reader, team.source.machine, request);
        if (result.partial !== undefined && !isLast) continue;
        results.push(result);
        break;
      } catch (error) {
        if (isLast || !(error instanceof UserError)) throw error;
      } finally {
        await opened.reader.close();
      }
    }
  }
  return results;
}

function nothingThere({ name }: Remote): UserError {
  return new UserError(`Cannot search ${name}: nothing has been pushed to it that you may read`, {
    exitCode: exitCodes.nothingFound,
    hint: `push your own sessions: sessions push ${name}`,
  });
}
