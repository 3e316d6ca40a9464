import type { Surroundings } from "../agents/agent.ts";
import type { Agent } from "../session/entry.ts";
import type { Config } from "./config.ts";
import type { Disk } from "./disk.ts";
import type { Places } from "./places.ts";

/** What every operation works on: a machine's logs and this program's own store. */
export interface Library {
  readonly disk: Disk;
  readonly surroundings: Surroundings;
  readonly places: Places;
  readonly config: Config;
  /** The bundled example history stands in for logs that do not exist. */
  readonly demo: boolean;
  now(): number;
  /** Does a process with this number run? */
  isRunning(pid: number): boolean;
}

/** A session is known by its agent and its id: ids of two agents may be equal. */
export function sessionKey(session: { readonly agent: Agent; readonly id: string }): string {
  return `${session.agent}:${session.id}`;
}
