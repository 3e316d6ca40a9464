import { matchesProject } from "../fs/glob.ts";
import { insideOf } from "../fs/places.ts";
import type { LogPlace, SessionRow } from "./refresh/session-row.ts";

export interface WhichLog {
  /** The requested projects, as globs or ends of paths. */
  readonly projects?: readonly string[];
  /** The folder that the user is in. */
  readonly folder?: string;
}

/**
 * Returns the row of a session led by the log that the user means: the one in a requested project, else in this
 * folder's project, else the newest. A log on disk comes before one that only the archive has, as everywhere where
 * one of several logs is chosen (`select-sessions.ts`).
 */
export function withLeadingLog(row: SessionRow, { projects = [], folder }: WhichLog): SessionRow {
  const { logs } = row;
  if (logs === undefined) return row;
  const there = logs.filter(({ isKept }) => isKept !== true);
  const pool = there.length > 0 ? there : logs;
  const lead =
    pool.find((log) => isInOneOf(log, projects)) ?? pool.find((log) => isAround(log, folder)) ?? pool[0];
  if (lead === undefined || lead.path === row.lead) return row;
  const { maskedLead: _, machine: _other, ...rest } = row;
  const { path, maskedPath, project, repository, worktree, machine } = lead;
  return {
    ...rest,
    lead: path,
    project,
    repository,
    worktree,
    ...(maskedPath === undefined ? {} : { maskedLead: maskedPath }),
    ...(machine === undefined ? {} : { machine }),
  };
}

function isInOneOf({ project, repository }: LogPlace, projects: readonly string[]): boolean {
  return [project, repository].some(
    (path) => path !== null && projects.some((pattern) => matchesProject(pattern, path)),
  );
}

function isAround({ project }: LogPlace, folder: string | undefined): boolean {
  return project !== null && folder !== undefined && (project === folder || insideOf(project, folder));
}
