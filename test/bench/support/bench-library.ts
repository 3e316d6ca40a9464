import { join } from "node:path";
import type { Library } from "../../../src/fs/library.ts";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import { findPlaces } from "../../../src/fs/places.ts";

/** The logs of a home, and a store inside it. */
export function benchLibrary(home: string, store: string = join(home, ".sessions")): Library {
  const variables = { SESSIONS_HOME: store };
  return {
    disk: nodeDisk,
    surroundings: { home, variables, folder: home, projects: [] },
    places: findPlaces({ home, variables, folder: home }),
    config: {
      exclude: [],
      sources: { claude: [], pi: [], claw: [], codex: [] },
      redact: [],
      hooks: { recall: "compact" },
      search: { limit: 10 },
      index: { outputChars: 2_000 },
      paths: {},
      sync: { remotes: [], everyMinutes: 60 },
      prices: {},
      archive: { site: false },
    },
    demo: false,
    now: () => Date.now(),
    isRunning: () => false,
  };
}
