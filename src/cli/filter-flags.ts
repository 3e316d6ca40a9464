import { resolve } from "node:path";
import { agentNames } from "../agents/agents.ts";
import { exitCodes, UserError } from "../errors.ts";
import { expandHome } from "../fs/places.ts";
import { parseDate } from "../search/query/parse-date.ts";
import type { SessionFilter } from "../search/query/session-filter.ts";
import type { Context } from "../session/session.ts";
import type { FlagValues } from "./command.ts";
import type { World } from "./world.ts";

/** The fields of the query language as flags. Of a repeated flag, any value may match. */
export const filterFlags = {
  project: {
    type: "strings",
    placeholder: "PATH",
    description: "only this project: its name, the end of its path, a glob, or . for this folder",
  },
  file: {
    type: "strings",
    placeholder: "PATH",
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
  branch: { type: "strings", placeholder: "NAME", description: "only on this git branch" },
  tool: { type: "strings", placeholder: "NAME", description: "only with this tool" },
  cmd: { type: "strings", placeholder: "WORDS", description: "only with a command with these words" },
  error: { type: "strings", placeholder: "WORDS", description: "only with an error with these words" },
  title: { type: "strings", placeholder: "WORDS", description: "only with these words in the title" },
  in: {
    type: "strings",
    choices: ["current", "compacted", "branch", "subagent"],
    description: "only matches in this context",
  },
  since: {
    type: "string",
    placeholder: "DATE",
    description: "from this date on: 2026-10-01, 7d, 2w, yesterday",
  },
  until: { type: "string", placeholder: "DATE", description: "until this date" },
} as const;

type Flags = FlagValues<typeof filterFlags>;

/** The values if no flag was typed. */
export const noFilter: Flags = {
  project: [],
  file: [],
  agent: [],
  branch: [],
  tool: [],
  cmd: [],
  error: [],
  title: [],
  in: [],
  since: undefined,
  until: undefined,
};

/** Reads the flags, and words such as `project:shop`; other words must be in the title. */
export function readFilters(flags: Flags, words: readonly string[], world: World): SessionFilter {
  const typed = new Map<string, string[]>();
  const titleWords: string[] = [];
  for (const word of words) {
    const [, field = "", value = ""] = /^([a-z]+):(.+)$/.exec(word) ?? [];
    if (!(field in filterFlags)) titleWords.push(word);
    else typed.set(field, [...(typed.get(field) ?? []), value]);
  }
  const values = (field: keyof Flags): readonly string[] => {
    const flag = flags[field];
    return [
      ...(flag === undefined ? [] : typeof flag === "string" ? [flag] : flag),
      ...(typed.get(field) ?? []),
    ];
  };
  return {
    projects: values("project").map((path) => projectPattern(path, world)),
    files: values("file"),
    agents: values("agent").map((agent) => oneOf(agent, agentNames(), "agent")),
    branches: values("branch"),
    tools: values("tool"),
    commands: values("cmd"),
    errors: values("error"),
    titles: [...values("title"), ...(titleWords.length === 0 ? [] : [titleWords.join(" ")])],
    contexts: values("in").map((context) =>
      oneOf(context, filterFlags.in.choices, "in"),
    ) satisfies readonly Context[],
    since: dates(values("since"), "since", world),
    until: dates(values("until"), "until", world),
  };
}

/** Resolves `.`, `..` and `~/x` as a shell does; anything else is a name, the end of a path or a glob. */
function projectPattern(path: string, world: World): string {
  if (/^\.{1,2}(?:\/|$)/.test(path)) return resolve(world.folder, path);
  return expandHome(path, world.home);
}

function oneOf<const T extends string>(value: string, choices: readonly T[], name: string): T {
  const found = choices.find((choice) => choice === value.toLowerCase());
  if (found !== undefined) return found;
  throw new UserError(`Cannot filter by ${name} "${value}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: `it is one of ${choices.join(", ")}`,
  });
}

/** Of several dates the widest counts. */
function dates(texts: readonly string[], edge: "since" | "until", world: World): number | undefined {
  const moments = texts.map((text) => date(text, edge, world));
  if (moments.length === 0) return undefined;
  return edge === "since" ? Math.min(...moments) : Math.max(...moments);
}

function date(text: string, edge: "since" | "until", world: World): number {
  const ms = parseDate(text, edge, { now: world.now(), offsetMinutesAt: world.offsetMinutesAt });
  if (ms !== undefined) return ms;
  throw new UserError(`Cannot read the date "${text}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: "write 2026-10-01, 2026-10, 7d, 2w, 3m, yesterday or monday",
  });
}
