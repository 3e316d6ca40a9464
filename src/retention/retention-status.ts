import { agentsThat } from "../agents/actions.ts";
import type { Agent, SessionFiles } from "../agents/agent.ts";
import type { EffectiveRetention, Retention, SettingsSources } from "../agents/agent-actions.ts";
import { findSessionsOf, isFolderPath } from "../agents/find-sessions.ts";
import { archiveState } from "../archive/archived-sessions.ts";
import { type GuardProgress, guardProgress } from "../archive/guard-stamp.ts";
import { logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import type { Library } from "../fs/library.ts";
import { insideOf } from "../fs/places.ts";
import type { CatalogRow } from "../search/session-catalog.ts";
import type { AgentName } from "../session/entry.ts";
import { sessionKey } from "../session/session.ts";

interface RetentionOptions extends SettingsSources {
  /** All known sessions, without those that the user excludes. */
  readonly rows: readonly CatalogRow[];
  /** The length of the forecast. */
  readonly withinMs?: number;
}

/** A project in which the agent would sweep earlier than here. A sweep covers the sessions of all projects. */
interface EarlierSweep {
  readonly project: string;
  readonly days: number;
  readonly from: string;
}

export interface RiskySession extends AtRisk {
  readonly title: string | null;
  readonly project: string | null;
}

/** The forecast for the sessions in one folder of an agent that deletes its own. */
export interface RetentionStatus {
  readonly agent: AgentName;
  /** The agent's name for people. */
  readonly agentName: string;
  readonly folder: string;
  readonly effective: EffectiveRetention;
  /** Whether `sessions retention` can change it. */
  readonly canBeSet: boolean;
  readonly lastSweepMs: number | undefined;
  readonly sweepsAtMs: number;
  readonly withinMs: number;
  /** Sessions that will be deleted, the first one first. None while the sweep is paused. */
  readonly atRisk: readonly RiskySession[];
  readonly earlierSweeps: readonly EarlierSweep[];
  readonly sessions: number;
  /** Sessions whose present state is not archived, at risk or not. */
  readonly notArchived: number;
  /** The progress of archiving all sessions in the background; null if that is not under way. */
  readonly archiving: GuardProgress | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The default length of a forecast. */
const WITHIN_MS = 30 * DAY_MS;

/** One forecast for each folder of each agent that deletes sessions. Only reads. */
export function retentionStatus(library: Library, options: RetentionOptions): readonly RetentionStatus[] {
  const archived = openArchive(library).list().sessions;
  const archive = archiveState(archived);
  const forgotten = forgottenSessions(library);
  const rows = new Map(options.rows.map((row) => [sessionKey(row.digest), row]));
  const hasExcluded = library.config.exclude.length > 0;
  return agentsThat("retention").flatMap(({ agent, how }) => {
    const known = findSessionsOf(library, agent, [])
      .sessions.flatMap(logIdentities(library, archived).of)
      .filter((files) => !forgotten.has(files) && (!hasExcluded || rows.has(sessionKey(files))));
    return how.folders(library).map((folder) => {
      const logs = how.sweptFolder(folder);
      const swept = known.flatMap((files) => sweptSession(files, logs, archive.holds(files)) ?? []);
      return statusOf(library, { agent, how, folder }, swept, rows, options);
    });
  });
}

/** One folder of an agent, and the agent's rules for deleting. */
interface SweptFolder {
  readonly agent: Agent;
  readonly how: Retention;
  readonly folder: string;
}

function statusOf(
  library: Library,
  { agent: { name: agent, displayName: agentName }, how, folder }: SweptFolder,
  swept: readonly SweptSession[],
  rows: ReadonlyMap<string, CatalogRow>,
  options: RetentionOptions,
): RetentionStatus {
  const effective = how.effective(library, folder, library.environment.folder, options);
  const withinMs = options.withinMs ?? WITHIN_MS;
  const now = library.now();
  const lastSweepMs = how.lastSweepMs(library, folder);
  const goes = effective.paused === undefined ? forecast(swept, effective.days, now + withinMs) : [];
  return {
    agent,
    agentName,
    folder,
    effective,
    canBeSet: how.settingsFiles(library).length > 0,
    lastSweepMs,
    // After this time, the start of a session sweeps immediately.
    sweepsAtMs: lastSweepMs === undefined ? now : Math.max(now, lastSweepMs + how.pauseMs),
    withinMs,
    atRisk: goes.map((session) => {
      const row = rows.get(sessionKey({ agent, id: session.id }));
      return { ...session, title: row?.digest.title ?? null, project: row?.digest.project ?? null };
    }),
    earlierSweeps: earlierSweeps(library, how, folder, effective, options),
    sessions: swept.length,
    notArchived: swept.filter((session) => !session.archived).length,
    archiving: guardProgress(library) ?? null,
  };
}

/** The log that the sweep deletes, with its files; undefined if there is none in this folder. */
function sweptSession(
  { id, files }: SessionFiles,
  folder: string,
  archived: boolean,
): SweptSession | undefined {
  const logs = files.filter(({ role, path }) => role === "main" && insideOf(folder, path));
  if (logs.length === 0) return undefined;
  return { id, mtimeMs: Math.min(...logs.map(({ mtimeMs }) => mtimeMs)), archived };
}

function earlierSweeps(
  library: Library,
  how: Retention,
  folder: string,
  here: EffectiveRetention,
  options: RetentionOptions,
): readonly EarlierSweep[] {
  const projects = new Set(options.rows.map(({ digest }) => digest.project));
  const found: EarlierSweep[] = [];
  for (const project of projects) {
    if (project === null || project === library.environment.folder || !isFolderPath(project)) continue;
    const { days, from, paused } = how.effective(library, folder, project, options);
    if (paused === undefined && (days < here.days || here.paused !== undefined))
      found.push({ project, days, from });
  }
  return found.sort((a, b) => a.days - b.days || (a.project < b.project ? -1 : 1));
}

/** A session with its logs, from the point of view of the sweep. */
interface SweptSession {
  readonly id: string;
  /** When its log was last written; of several logs the oldest, because that one is deleted first. */
  readonly mtimeMs: number;
  readonly archived: boolean;
}

interface AtRisk extends SweptSession {
  /** The first sweep after this moment deletes it. */
  readonly deletedAfterMs: number;
}

/** The age of a log is its mtime, whatever its lines say. */
function deletedAfter(mtimeMs: number, days: number): number {
  return mtimeMs + days * DAY_MS;
}

/** The sessions that will be deleted by then, the first one first. */
function forecast(sessions: readonly SweptSession[], days: number, untilMs: number): readonly AtRisk[] {
  return sessions
    .map((session) => ({ ...session, deletedAfterMs: deletedAfter(session.mtimeMs, days) }))
    .filter(({ deletedAfterMs }) => deletedAfterMs < untilMs)
    .sort((a, b) => a.deletedAfterMs - b.deletedAfterMs || (a.id < b.id ? -1 : 1));
}
