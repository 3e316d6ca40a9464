import type { Environment } from "../agents/agent.ts";
import type { AgentName } from "../session/entry.ts";
import { type Config, readConfig } from "./config.ts";
import type { Disk } from "./disk.ts";
import { findPlaces, type Places } from "./places.ts";
import { checkStoreVersion } from "./store.ts";

/** What every operation works on: a machine's logs and this program's own store. */
export interface Library {
  readonly disk: Disk;
  readonly surroundings: Environment;
  readonly places: Places;
  readonly config: Config;
  /** The bundled example history stands in for logs that do not exist. */
  readonly demo: boolean;
  now(): number;
  /** Does a process with this number run? */
  isRunning(pid: number): boolean;
}

/** A session is known by its agent and its id: ids of two agents may be equal. */
export function sessionKey(session: { readonly agent: AgentName; readonly id: string }): string {
  return `${session.agent}:${session.id}`;
}

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
