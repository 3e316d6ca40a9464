import { matchesProject } from "../fs/glob.ts";
import type { AgentName } from "../session/entry.ts";
import type { Context } from "../session/session.ts";

/** The name of this machine in conditions and in the source of the embedded engine, whatever it is called. */
export const THIS_MACHINE = "local";

/** Which sessions match, as data, so that any engine can decide it. An absent or empty list matches everything. */
export interface SessionCondition {
  /** Only these sessions: unlike the other lists, an empty one matches nothing. */
  readonly keys?: readonly string[] | undefined;
  readonly machines?: readonly string[];
  readonly owners?: readonly string[];
  readonly agents?: readonly AgentName[];
  /** Globs, or ends of paths. */
  readonly projects?: readonly string[];
  /** Names, ignoring case. */
  readonly branches?: readonly string[];
  readonly tools?: readonly string[];
  /** Words; the title must have all words of one entry. */
  readonly titles?: readonly string[];
  readonly contexts?: readonly Context[];
  /** Milliseconds since 1970, both inclusive: the session must not have ended before nor started after. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The source of sessions: the machine whose logs were read, and the person who owns them. */
export interface SessionSource {
  readonly machine: string;
  readonly owner: string;
}

/** Required in every session's row, so that an engine can decide conditions. */
export interface RowAttributes {
  readonly agent: AgentName;
  readonly project: string | null;
  /** A session in a worktree belongs to the project of its repository, too. */
  readonly repository: string | null;
  /** The machine that it was pulled from; absent: the machine of the engine's own source. */
  readonly machine?: string;
  /** Where its logs are, if it has several. */
  readonly logs?: readonly Pick<RowAttributes, "project" | "repository" | "machine">[];
  readonly branch: string | null;
  readonly title: string | null;
  readonly tools: Readonly<Record<string, number>>;
  readonly contexts: readonly Context[];
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/**
 * Whether a session's row matches all of a condition. Rows have no keys and owners, and name a machine only if it is
 * another one: a row without a machine belongs to `machine`.
 */
export function rowMatches(
  row: RowAttributes,
  condition: SessionCondition,
  machine: string = THIS_MACHINE,
): boolean {
  const { branch, title } = row;
  const machines = (row.logs ?? [row]).map((log) => log.machine ?? machine);
  const projects = (row.logs ?? [row]).flatMap(({ project, repository }) =>
    [project ?? [], repository ?? []].flat(),
  );
  return (
    any(condition.machines, (requested) => machines.some((name) => same(requested, name))) &&
    any(condition.agents, (agent) => agent === row.agent) &&
    any(condition.projects, (pattern) => projects.some((path) => matchesProject(pattern, path))) &&
    any(condition.branches, (requested) => branch !== null && same(requested, branch)) &&
    any(condition.tools, (requested) => Object.keys(row.tools).some((tool) => same(requested, tool))) &&
    any(condition.titles, (words) => title !== null && hasWords(title, words)) &&
    any(condition.contexts, (context) => row.contexts.includes(context)) &&
    (condition.since === undefined || (row.endedAt ?? Number.NEGATIVE_INFINITY) >= condition.since) &&
    (condition.until === undefined || (row.startedAt ?? Number.POSITIVE_INFINITY) <= condition.until)
  );
}

/** Whether a condition needs a session's row; a condition about keys and owners alone does not. */
export function needsRow(condition: SessionCondition): boolean {
  const { machines, agents, projects, branches, tools, titles, contexts, since, until } = condition;
  const isGiven = (list: readonly unknown[] | undefined): boolean => list !== undefined && list.length > 0;
  return (
    [machines, agents, projects, branches, tools, titles, contexts].some(isGiven) ||
    since !== undefined ||
    until !== undefined
  );
}

/** Whether the sessions of an owner may match; machines are matched row by row. */
export function ownerMatches({ owner }: SessionSource, condition: SessionCondition): boolean {
  return any(condition.owners, (requested) => requested === owner);
}

/** Without values, everything matches. */
export function any<T>(values: readonly T[] | undefined, matches: (value: T) => boolean): boolean {
  return values === undefined || values.length === 0 || values.some(matches);
}

/** Whether a text has all words, ignoring case. */
export function hasWords(text: string, words: string): boolean {
  const folded = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
