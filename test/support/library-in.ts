import { join } from "node:path";
import type { Disk } from "../../src/fs/disk.ts";
import type { Library } from "../../src/fs/library.ts";
import { nodeDisk } from "../../src/fs/node-disk.ts";
import { findPlaces } from "../../src/fs/places.ts";

export interface LibraryInOptions {
  readonly disk?: Disk;
  readonly now?: () => number;
  readonly store?: string;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The folder that the user works in; without it the home. */
  readonly folder?: string;
  readonly config?: Partial<Library["config"]>;
}

/** The library of a home, with the default settings and a store inside the home. No other process is running. */
export function libraryIn(home: string, options: LibraryInOptions = {}): Library {
  const { disk = nodeDisk, now = Date.now, store = join(home, ".sessions"), folder = home } = options;
  const variables = { SESSIONS_HOME: store, ...options.variables };
  return {
    disk,
    environment: { home, variables, folder, projects: [] },
    places: findPlaces({ home, variables, folder }),
    config: {
      exclude: [],
      sources: {},
      redact: [],
      hooks: { recall: "compact" },
      search: { limit: 10 },
      index: { outputChars: 2_000 },
      paths: {},
      sync: { remotes: [], everyMinutes: 60 },
      prices: {},
      archive: { site: false },
      ...options.config,
    },
    demo: false,
    now,
    isRunning: () => false,
  };
}
