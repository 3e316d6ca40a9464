import { lastPart, NO_PROJECT } from "../session/checkout.ts";
import type { CatalogRow } from "./session-catalog.ts";

/** The sums of the sessions in one place. */
export interface PlaceCount {
  readonly sessions: number;
  readonly turns: number;
  readonly bytes: number;
  /** When its first session started and its last one ended. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** A further checkout of a project's repository. */
export interface WorktreeCount extends PlaceCount {
  readonly worktree: string;
  /** Its folder; null if several folders had that name. */
  readonly project: string | null;
}

/** A repository with all of its folders and worktrees, or a folder that belongs to none. */
export interface ProjectCount extends PlaceCount {
  /** The folder, or only the name of a repository; null for sessions without a folder. */
  readonly project: string | null;
  readonly name: string;
  /** The other machine that all its sessions were pulled from; null if this one has any. */
  readonly machine: string | null;
  /** Sessions by agent. */
  readonly agents: Readonly<Record<string, number>>;
  /** The last active first. */
  readonly worktrees: readonly WorktreeCount[];
}

/** Counts sessions by project, the last active first. A session in a worktree counts for its repository. */
export function countProjects(rows: readonly CatalogRow[]): readonly ProjectCount[] {
  const placeOf = projectFinder(rows);
  const groups = groupBy(rows, placeOf);
  return [...groups]
    .map(([project, sessions]): ProjectCount => {
      const inWorktrees = sessions.filter(({ digest }) => digest.worktree !== null);
      return {
        project,
        name: project === null ? NO_PROJECT : lastPart(project),
        machine: onlyOne(sessions.map(({ digest }) => digest.machine ?? null)),
        ...sumOf(sessions),
        agents: countBy(sessions.map(({ digest }) => digest.agent)),
        worktrees: [...groupBy(inWorktrees, ({ digest }) => digest.worktree ?? "")]
          .map(([worktree, within]) => ({
            worktree,
            project: onlyOne(within.map(({ digest }) => digest.project)),
            ...sumOf(within),
          }))
          .sort(lastActiveFirst),
      };
    })
    .sort(lastActiveFirst);
}

/** If only the name of a repository is known, finds the one project folder of that name, if there is one. */
export function projectFinder(rows: readonly CatalogRow[]): (row: CatalogRow) => string | null {
  const placeOf = ({ digest }: CatalogRow): string | null => digest.repository ?? digest.project;
  const isFolder = (place: string): boolean => /[/\\]/.test(place);
  const folders = new Set(rows.map(placeOf).filter((place) => place !== null && isFolder(place)));
  const byName = groupBy(folders, (folder) => lastPart(folder ?? ""));
  return (row) => {
    const place = placeOf(row);
    if (place === null || isFolder(place)) return place;
    const [only, ...others] = byName.get(place) ?? [];
    return only === undefined || others.length > 0 ? place : only;
  };
}

function sumOf(rows: readonly CatalogRow[]): PlaceCount {
  let turns = 0;
  let bytes = 0;
  let startedAt: number | null = null;
  let endedAt: number | null = null;
  for (const { digest, bytes: size } of rows) {
    turns += digest.turns;
    bytes += size;
    if (digest.startedAt !== null) startedAt = Math.min(startedAt ?? digest.startedAt, digest.startedAt);
    if (digest.endedAt !== null) endedAt = Math.max(endedAt ?? digest.endedAt, digest.endedAt);
  }
  return { sessions: rows.length, turns, bytes, startedAt, endedAt };
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): ReadonlyMap<K, readonly V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

function onlyOne(names: readonly (string | null)[]): string | null {
  const [only = null, ...others] = new Set(names);
  return others.length === 0 ? only : null;
}

function lastActiveFirst(a: PlaceCount, b: PlaceCount): number {
  return (b.endedAt ?? 0) - (a.endedAt ?? 0) || b.sessions - a.sessions;
}
