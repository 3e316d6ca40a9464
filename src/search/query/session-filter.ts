import type { AgentName } from "../../session/entry.ts";
import type { Context } from "../../session/session.ts";

/** What narrows a list of sessions. Of one field any value will do; of several fields all must fit. */
export interface SessionFilter {
  readonly projects: readonly string[];
  readonly files: readonly string[];
  readonly agents: readonly AgentName[];
  readonly branches: readonly string[];
  readonly tools: readonly string[];
  /** Words that must stand in a command, an error, the title. */
  readonly commands: readonly string[];
  readonly errors: readonly string[];
  readonly titles: readonly string[];
  readonly contexts: readonly Context[];
  readonly since: number | undefined;
  readonly until: number | undefined;
}
