import {
  type Config,
  type ReadableConfig,
  type ReadConfig,
  readConfig,
  readReadableConfig,
  type SettingsFault,
} from "./config.ts";
import type { Disk } from "./disk.ts";
import { findPlaces, type Places } from "./places.ts";
import { checkStoreVersion } from "./store.ts";

/** Everything that an agent needs to know about the machine to say where its logs are. Nothing else is read. */
export interface Environment {
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The current folder of the user. */
  readonly folder: string;
  /** Project folders known from sessions of other agents. */
  readonly projects: readonly string[];
}

/** The data that every operation works on: a machine's logs and this program's own store. */
export interface Library {
  readonly disk: Disk;
  readonly environment: Environment;
  readonly places: Places;
  readonly config: Config;
  /** The errors in the settings, if it was opened in spite of them; `config` is the readable part. */
  readonly settingsFault?: SettingsFault;
  /** Keys of config.json that this version does not know; absent: none. */
  readonly unknownSettings?: readonly string[];
  /** There are no logs, so the bundled example history is shown. */
  readonly demo: boolean;
  now(): number;
  /** Whether there is a process with this number. */
  isRunning(pid: number): boolean;
}

/** Everything that must be known about a machine to work on its logs. */
export interface LibraryFrom {
  readonly disk: Disk;
  readonly home: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The current folder of the user. */
  readonly folder: string;
  readonly now: () => number;
  readonly isRunning: (pid: number) => boolean;
  /** Open it even if config.json is broken: for hooks and the guard, which would otherwise lose sessions. */
  readonly allowBrokenSettings?: boolean | undefined;
}

/** Opens the logs and the store of a machine. A store that this program cannot use is a UserError, and is not changed. */
export async function createLibrary({
  disk,
  home,
  variables,
  folder,
  now,
  isRunning,
  allowBrokenSettings = false,
}: LibraryFrom): Promise<Library> {
  const places = findPlaces({ home, variables, folder });
  checkStoreVersion(disk, places);
  const read = allowBrokenSettings ? readReadableConfig : readConfig;
  const {
    config,
    fault,
    unknownKeys = [],
  }: ReadableConfig & Partial<ReadConfig> = await read(disk, places.config, home);
  return {
    disk,
    environment: { home, variables, folder, projects: [] },
    places,
    config,
    ...(fault === undefined ? {} : { settingsFault: fault }),
    ...(unknownKeys.length === 0 ? {} : { unknownSettings: unknownKeys }),
    demo: false,
    now,
    isRunning,
  };
}
