import type { Digest } from "../extract/digest.ts";
import { matchesPath, withoutBraces } from "../fs/glob.ts";
import type { SearchReader } from "./engine.ts";
import { wordsInFields } from "./query/search-clauses.ts";
import { damaged } from "./refresh/index-access.ts";

/** Keys of the sessions that touched or named a file that one of the patterns fits; undefined without patterns. */
export async function sessionsWithFiles(
  reader: SearchReader,
  patterns: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  if (patterns.length === 0) return undefined;
  const keys = new Set<string>();
  for (const pattern of patterns.flatMap(withoutBraces)) {
    for (const key of await candidates(reader, pattern)) {
      const stored = await reader.session(key);
      if (stored?.kind === "damaged") throw damaged(stored);
      if (stored === undefined) continue;
      const { files }: Digest = JSON.parse(stored.digest);
      if (files.some(({ path }) => matchesPath(pattern, path))) keys.add(key);
    }
  }
  return keys;
}

/** Sessions whose files have the words of the pattern: opening all would take seconds. */
async function candidates(reader: SearchReader, pattern: string): Promise<readonly string[]> {
  // What stands beside a wildcard may be half a word.
  const words = pattern.split(/[/\\]/).flatMap((part) => (/[*?]/.test(part) ? [] : [part]));
  const wanted = words.flatMap((word) => wordsInFields(word, ["file"]));
  const answer = await reader.search({
    ...{ wanted, unwanted: [], filter: {}, sort: "newest", offset: 0, limit: Number.MAX_SAFE_INTEGER },
    ...{ turnsPerHit: 0, now: 0, fill: false },
  });
  if (answer.kind === "damaged") throw damaged(answer);
  // Typos are no files.
  return answer.match === "all" ? answer.hits.map(({ key }) => key) : [];
}
