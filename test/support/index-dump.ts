import { join } from "node:path";
import type { Library } from "../../src/fs/library.ts";
import { findPlaces } from "../../src/fs/places.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { sessionSchema } from "../../src/search/document-fields.ts";
import type { SearchEngine } from "../../src/search/engine.ts";
import { createEmbeddedEngine } from "../../src/search/paged/embedded-engine.ts";
import { readIndexManifest } from "../../src/search/paged/manifest.ts";
import { refreshIndex } from "../../src/search/refresh/refresh-index.ts";
import { hastyDisk } from "./index/index-folder.ts";
import { openAll, planFor, words } from "./index/tiny-history.ts";

/** An index that keeps whatever is the same, however little it is. */
export function keepingEngine({ places }: Pick<Library, "places">): SearchEngine {
  return createEmbeddedEngine(hastyDisk, places.index, nodeProcesses, sessionSchema, {
    reuse: (sizes) => sizes.length,
  });
}

/** Words of which logs are full. */
const ASKED = ["the", "file", "test", "error", "src", "token", "ok"];

/** All that an index says: of each session the row, the digest and the documents, and what words find. */
export async function dumpIndex(engine: SearchEngine): Promise<unknown> {
  const opened = await engine.read();
  if (opened.kind !== "open") return opened;
  const { reader } = opened;
  try {
    const stored = await reader.rows({ limit: 1_000 });
    if (stored.kind !== "rows") return stored;
    const keys = [...stored.rows]
      .map(({ key, turns }) => ({ key, turns }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const sessions: unknown[] = [];
    for (const { key, turns } of keys) {
      const session = await reader.session(key);
      if (session?.kind !== "session") return session;
      const { row, digest } = session;
      const documents = await session.documents();
      sessions.push({ key, turns, row: JSON.parse(row), digest: JSON.parse(digest), documents });
    }
    const found: unknown[] = [];
    for (const word of ASKED) {
      const answer = await reader.search(planFor(words(word), { limit: 100 }));
      found.push(answer.kind === "answer" ? await openAll(answer) : answer);
    }
    return { sessions, found, counts: [stored.sessions, stored.turns] };
  } finally {
    await reader.close();
  }
}

/** The same of an index that is built from nothing, of the same logs. */
export async function dumpRebuilt(library: Library): Promise<unknown> {
  const { home, variables, folder } = library.environment;
  const elsewhere = { ...variables, SESSIONS_HOME: join(library.places.home, "..", "rebuilt") };
  const places = findPlaces({ home, variables: elsewhere, folder });
  const rebuilt = { ...library, places };
  const engine = keepingEngine(rebuilt);
  await refreshIndex(rebuilt, { engine, rebuild: true });
  return dumpIndex(engine);
}

/** How many turns stand where they were put before their session grew. */
export function keptTurns({ places }: Pick<Library, "places">): number {
  const found = readIndexManifest(hastyDisk, places.index, sessionSchema);
  if (found.kind !== "manifest") return 0;
  return found.manifest.segments
    .flatMap(({ partials }) => partials)
    .reduce((sum, { turns }) => sum + turns, 0);
}
