import type { Mask } from "../search/export-session.ts";
import { compilePattern } from "../search/grep/compile-pattern.ts";
import { type GrepEvent, grepSessions } from "../search/grep/grep-sessions.ts";
import { allRoles, defaultRoles } from "../session/text-role.ts";
import type { HistoryOptions } from "./context.ts";
import { readFilters } from "./filters.ts";
import type { GrepCallOptions } from "./history.ts";
import type { OpenStore } from "./open-store.ts";

interface Searched extends OpenStore {
  readonly mask: Mask;
  readonly options: HistoryOptions;
}

/** More threads cost more memory than they save time. */
const MAX_THREADS = 4;
const TIME_LIMIT_MS = 10_000;

/** Searches every text, then, if none matches and no kind of text was requested, ids and other fields of the format. */
export async function* grepHistory(
  { library, access, mask, options }: Searched,
  pattern: string,
  call: GrepCallOptions,
): AsyncGenerator<GrepEvent, void, void> {
  const { ignoreCase = false, fixed = false, roles = [], allLines = false, onProgress, signal } = call;
  const query = {
    pattern: compilePattern({ text: pattern, ignoreCase, fixed }),
    contextLines: call.contextLines ?? 0,
    sessionsOnly: call.sessionsOnly === true,
    filter: readFilters(call.filter ?? {}, [], options),
    reveal: options.reveal === true,
    timeLimitMs: call.timeLimitMs ?? TIME_LIMIT_MS,
  };
  const { workers } = options;
  const how = {
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(workers === undefined
      ? {}
      : { threads: { start: workers.start, count: Math.min(workers.count, MAX_THREADS) } }),
  };
  let hasHits = false;
  const texts = allLines ? allRoles : defaultRoles;
  for (const kinds of roles.length > 0 ? [roles] : [texts, ["field" as const]]) {
    if (hasHits) break;
    signal?.throwIfAborted();
    for await (const event of grepSessions(library, access.engine, { ...query, roles: kinds }, how)) {
      signal?.throwIfAborted();
      if (event.kind === "done") continue;
      if (event.kind === "problem") yield { kind: "problem", problem: mask(event.problem) };
      else {
        hasHits = true;
        // The texts of hits are masked already.
        const hits = event.hits.map((hit) => ({ ...hit, path: mask(hit.path) }));
        yield { kind: "hits", session: mask(event.session), hits };
      }
    }
  }
  yield { kind: "done" };
}
