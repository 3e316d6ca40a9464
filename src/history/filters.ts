import { resolve } from "node:path";
import { agentCalled, agentNames } from "../agents/agents.ts";
import { exitCodes, UserError } from "../errors.ts";
import { expandHome } from "../fs/places.ts";
import { parseDate } from "../search/query/parse-date.ts";
import {
  type FieldValue,
  isWord,
  parseFields,
  parseQuery,
  type QueryField,
} from "../search/query/parse-query.ts";
import { queryDates, queryDateWords } from "../search/query/query-dates.ts";
import type { SessionFilter } from "../search/query/session-filter.ts";
import type { SearchRequest } from "../search/search-sessions.ts";
import { THIS_MACHINE } from "../search/session-condition.ts";
import type { Machine } from "./open-store.ts";

/** The fields of the query language (`queryFields`), as flags and calls set them. Of several values of a field, any may match. */
export interface Filters {
  /** A name, the end of a path, a glob, or `.` for the machine's folder. */
  readonly project?: readonly string[];
  /** The end of a path, or a glob. */
  readonly file?: readonly string[];
  readonly agent?: readonly string[];
  /** The name of a machine, or of several; `local` for this one alone. */
  readonly machine?: readonly string[];
  /** Owners of sessions, in a search of a team's sessions; refused anywhere else. */
  readonly owner?: readonly string[];
  readonly branch?: readonly string[];
  readonly tool?: readonly string[];
  /** Words of a command, an error, a title. */
  readonly cmd?: readonly string[];
  readonly error?: readonly string[];
  readonly title?: readonly string[];
  readonly in?: readonly string[];
  /** `2026-10-01`, `30m` (minutes), `5h`, `7d`, `2w`, `3mo`, `yesterday`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The contexts that a turn can be in. */
export const contexts = ["current", "compacted", "branch", "subagent"] as const;

interface Clock extends Pick<Machine, "home" | "now" | "folder" | "offsetMinutesAt"> {
  /** The name of this machine; absent: only `local` is known. */
  readonly machineName?: string;
  /** The sessions belong to a team: only such sessions have owners. */
  readonly isTeam?: boolean;
}

/** Reads filters, and words such as `project:shop`; other words must be in the title. */
export function readFilters(filters: Filters, words: readonly string[], machine: Clock): SessionFilter {
  const { fields, words: titleWords } = parseFields(words);
  const title = titleWords.join(" ");
  return toFilter(
    filters,
    [...fields, ...(title === "" ? [] : [{ field: "title" as const, value: title }])],
    machine,
  );
}

function toFilter(filters: Filters, typed: readonly FieldValue[], machine: Clock): SessionFilter {
  const values = (field: QueryField): readonly string[] => {
    const given = filters[field] ?? [];
    const own = typed.filter((each) => each.field === field).map(({ value }) => value);
    return [...(typeof given === "string" ? [given] : given), ...own];
  };
  const owners = values("owner");
  if (owners.length > 0 && machine.isTeam !== true) {
    throw new UserError("Cannot filter by owner: --owner works only with --remote", {
      exitCode: exitCodes.wrongUsage,
      hint: "`sessions search --remote NAME` searches what a team shares",
    });
  }
  return {
    projects: values("project").map((path) => projectPattern(path, machine)),
    files: values("file"),
    owners,
    machines: machinesCalled(values("machine"), machine.machineName),
    agents: values("agent").map((agent) => agentCalled(agent) ?? oneOf(agent, agentNames(), "agent")),
    branches: values("branch"),
    tools: values("tool"),
    commands: values("cmd"),
    errors: values("error"),
    titles: values("title"),
    contexts: values("in").map((context) => oneOf(context, contexts, "in")),
    since: widestDate(values("since"), "since", machine),
    until: widestDate(values("until"), "until", machine),
  };
}

/**
 * The machines that names refer to, in the form of engines. The name of this machine means this one, and others with
 * the same name; `local` this one alone.
 */
export function machinesCalled(names: readonly string[], ownName: string | undefined): readonly string[] {
  return names.flatMap((name) =>
    name.toLowerCase() === ownName?.toLowerCase() ? [THIS_MACHINE, name] : [name],
  );
}

/** Resolves `.`, `..` and `~/x` as a shell does; anything else is a name, the end of a path or a glob. */
function projectPattern(path: string, { home, folder = home }: Clock): string {
  return /^\.{1,2}(?:\/|$)/.test(path) ? resolve(folder, path) : expandHome(path, home);
}

function oneOf<const T extends string>(value: string, choices: readonly T[], name: string): T {
  const found = choices.find((choice) => choice === value.toLowerCase());
  if (found !== undefined) return found;
  throw new UserError(`Cannot filter by ${name} "${value}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: `it can be ${choices.join(", ")}`,
  });
}

function widestDate(texts: readonly string[], edge: "since" | "until", machine: Clock): number | undefined {
  const moments = texts.map((text) => readDate(text, edge, machine));
  if (moments.length === 0) return undefined;
  return edge === "since" ? Math.min(...moments) : Math.max(...moments);
}

function readDate(text: string, edge: "since" | "until", machine: Clock): number {
  const { offsetMinutesAt = () => 0 } = machine;
  const ms = parseDate(text, edge, { now: machine.now(), offsetMinutesAt });
  if (ms !== undefined) return ms;
  throw new UserError(`Cannot read the date "${text}"`, {
    exitCode: exitCodes.wrongUsage,
    hint: "write 2026-10-01, 2026-10, jul 20, july, last week, 30m (minutes), 5h, 7d, 2w, 3mo, yesterday or monday",
  });
}

/** How many results, starting where, and in which order. */
export interface SearchPage {
  readonly filter?: Filters;
  readonly sort?: SearchRequest["sort"];
  readonly offset?: number;
  readonly limit?: number;
  /** How many turns before and after each passage to show the requests of. */
  readonly contextTurns?: number;
  /** Sessions without a passage show their first request. */
  readonly firstRequests?: boolean;
}

/** Reads a query as users type it: words, "phrases", -word, pre*, field:value. */
export function readRequest(query: string, page: SearchPage, machine: Clock): SearchRequest {
  const parsed = parseQuery(query);
  const typed = (isNegated: boolean): readonly FieldValue[] =>
    parsed.filters.filter((filter) => filter.isNegated === isNegated);
  const clock = { now: machine.now(), offsetMinutesAt: machine.offsetMinutesAt ?? (() => 0) };
  const request: SearchRequest = {
    query: parsed,
    filter: toFilter(page.filter ?? {}, typed(false), machine),
    excluded: typed(true).map((field) => toFilter({}, [field], machine)),
    dates: queryDates(parsed.words, clock),
    isDateWord: queryDateWords(parsed.words, clock),
    sort: page.sort ?? "relevance",
    offset: page.offset ?? 0,
    limit: page.limit ?? 10,
    contextTurns: page.contextTurns ?? 0,
    firstRequests: page.firstRequests ?? false,
  };
  if (!isEmpty(request)) return request;
  throw new UserError("Cannot search: the query has no word", {
    exitCode: exitCodes.wrongUsage,
    hint: /\S/.test(query)
      ? "punctuation is not indexed; `sessions grep -F` finds any text"
      : "type some words: sessions search token refresh",
  });
}

/** Whether the request has neither a word nor a filter. */
function isEmpty({ query, filter, excluded }: SearchRequest): boolean {
  const hasWord = query.words.some(({ text }) => isWord(text));
  const hasFilter = Object.values(filter).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
  return !hasWord && !hasFilter && excluded.length === 0;
}
