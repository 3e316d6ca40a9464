import { readConfig } from "./config.ts";
import type { Disk } from "./disk.ts";
import type { Library } from "./library.ts";
import { findPlaces } from "./places.ts";
import { checkStoreVersion } from "./store-version.ts";

/** What must be known of a machine to work on its logs. */
export interface LibraryFrom {
  readonly disk: Disk;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The folder that the user is in. */
  readonly folder: string;
  readonly now: () => number;
  readonly isRunning: (pid: number) => boolean;
}

/** The logs and the store of a machine. A store that this program can't use is a UserError: nothing is done to it. */
export async function createLibrary({
  disk,
  home,
  variables,
  folder,
  now,
  isRunning,
}: LibraryFrom): Promise<Library> {
  const places = findPlaces({ home, variables, folder });
  checkStoreVersion(disk, places);
  const { config } = await readConfig(disk, places.config, home);
  return {
    disk,
    surroundings: { home, variables, folder, projects: [] },
    places,
    config,
    demo: false,
    now,
    isRunning,
  };
}
