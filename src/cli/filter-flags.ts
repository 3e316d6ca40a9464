import { agentNames } from "../agents/agents.ts";
import { contexts, type Filters } from "../history/filters.ts";
import type { FlagValues } from "./command.ts";

/** The fields of the query language as flags. If a flag is repeated, any of its values may match. */
export const filterFlags = {
  project: {
    type: "strings",
    placeholder: "PATH",
    values: "project",
    description: "only this project: its name, the end of its path, a glob, or . for this folder",
  },
  file: {
    type: "strings",
    placeholder: "PATH",
    values: "file",
    description: "only with this file: the end of its path, or a glob",
  },
  agent: {
    type: "strings",
    // An agent may be added later.
    get choices(): readonly string[] {
      return agentNames();
    },
    description: "only of this agent",
  },
  machine: {
    type: "strings",
    placeholder: "NAME",
    values: "machine",
    description: "only of machines with this name; local: only of this one",
  },
  branch: {
    type: "strings",
    placeholder: "NAME",
    values: "branch",
    description: "only on this git branch",
  },
  tool: { type: "strings", placeholder: "NAME", values: "tool", description: "only with this tool" },
  cmd: { type: "strings", placeholder: "WORDS", description: "only with a command with these words" },
  error: { type: "strings", placeholder: "WORDS", description: "only with an error with these words" },
  title: { type: "strings", placeholder: "WORDS", description: "only with these words in the title" },
  in: {
    type: "strings",
    choices: contexts as readonly string[],
    description: "only matches in this context",
  },
  since: {
    type: "string",
    placeholder: "DATE",
    description: "from this date on: 2026-10-01, jul 20, last week, 7d, 3mo, or 30m (minutes)",
  },
  until: { type: "string", placeholder: "DATE", description: "until this date" },
} as const;

/** The filters among the flags of a command. */
export function filtersOf({
  project,
  file,
  agent,
  machine,
  branch,
  tool,
  cmd,
  error,
  title,
  in: context,
  since,
  until,
}: FlagValues<typeof filterFlags>): Filters {
  return { project, file, agent, machine, branch, tool, cmd, error, title, in: context, since, until };
}

/** The flag of commands whose answer has pages. */
export const offsetFlag = {
  offset: { type: "number", default: 0, placeholder: "N", description: "skip this many" },
} as const;
