import type { Library } from "../fs/library.ts";
import type { TextPush } from "../remote/push-index.ts";
import type { Visibility } from "../search/opensearch/session-documents.ts";
import type { RefreshMeter } from "../search/refresh/refresh-index.ts";
import type { SearchResult } from "../search/search-sessions.ts";
import { readRequest, type SearchPage } from "./filters.ts";
import type { Writing } from "./writing.ts";

/** A team's shared sessions: full text in an OpenSearch cluster. Without a name, the only such remote is meant. */
export interface Team {
  /** Pushes changes since the last push, and removes forgotten sessions. Private by default. */
  push(name: string | undefined, options?: PushCallOptions): Promise<TextPush>;
  /** Searches the user's own sessions of all machines, and those that others share. */
  search(name: string | undefined, query: string, page?: SearchPage): Promise<SearchResult>;
}

export interface PushCallOptions {
  /** Who may read the sessions of this machine; absent: `push.team` of config.json. */
  readonly visibility?: Visibility | undefined;
  readonly rebuild?: boolean;
  readonly reindex?: boolean;
  /** Only returns what would be pushed. */
  readonly dryRun?: boolean;
  readonly meter?: () => RefreshMeter;
}

interface TeamFrom {
  readonly library: Library;
  readonly mask: <T>(value: T) => T;
  writing(): Promise<Writing>;
}

/** The team calls of an open history. Every call loads only the code that it needs. */
export function teamOf({ library, mask, writing }: TeamFrom): Team {
  const { home, folder } = library.environment;
  const machine = { home, folder, now: () => library.now(), isTeam: true };
  const host = async (): Promise<string> => (await writing()).locking.processes.host;
  return {
    async push(name, options = {}) {
      const { findRemote } = await import("../remote/remotes.ts");
      const { pushIndex } = await import("../remote/push-index.ts");
      const remote = findRemote(library, name, ["opensearch"]);
      const pushed = await pushIndex(library, remote, { ...options, host: await host() });
      const { noteSynced } = await import("../remote/sync-stamp.ts");
      noteSynced(library, remote.name);
      return mask(pushed);
    },
    async search(name, query, page = {}) {
      const { findRemote } = await import("../remote/remotes.ts");
      const { searchTeam } = await import("../remote/search-team.ts");
      const remote = findRemote(library, name, ["opensearch"]);
      const [result] = await searchTeam(library, remote, { host: await host() }, [
        readRequest(query, page, machine),
      ]);
      if (result === undefined) throw new Error("A search has no result");
      return mask(result);
    },
  };
}
