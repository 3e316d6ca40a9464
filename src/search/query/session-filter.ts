import type { AgentName } from "../../session/entry.ts";
import type { Context } from "../../session/session.ts";

/** Filters for sessions. A session must match every field that is set, with any one of its values. */
export interface SessionFilter {
  readonly projects: readonly string[];
  readonly files: readonly string[];
  /** Names, ignoring case; this machine is `THIS_MACHINE`. */
  readonly machines?: readonly string[];
  /** Names of people. */
  readonly owners?: readonly string[];
  readonly agents: readonly AgentName[];
  readonly branches: readonly string[];
  readonly tools: readonly string[];
  /** Words required in a command, an error or the title. */
  readonly commands: readonly string[];
  readonly errors: readonly string[];
  readonly titles: readonly string[];
  readonly contexts: readonly Context[];
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** Matches every session. */
export const noFilter: SessionFilter = {
  projects: [],
  files: [],
  agents: [],
  branches: [],
  tools: [],
  commands: [],
  errors: [],
  titles: [],
  contexts: [],
  since: undefined,
  until: undefined,
};
