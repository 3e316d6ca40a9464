import type { SessionFiles } from "../../agents/agent.ts";
import { findSessions } from "../../agents/find-sessions.ts";
import { archiveState } from "../../archive/archived-sessions.ts";
import { guardProgress } from "../../archive/guard-stamp.ts";
import { logIdentities } from "../../archive/log-identity.ts";
import { forgottenSessions, openArchive } from "../../archive/open-archive.ts";
import { shorten } from "../../extract/sentences.ts";
import type { Library } from "../../fs/library.ts";
import { archivingWords } from "../../render/words.ts";
import { isForEver } from "../../retention/retention-days.ts";
import { type RetentionStatus, retentionStatus } from "../../retention/retention-status.ts";
import type { CatalogRow } from "../../search/session-catalog.ts";
import { sessionKey } from "../../session/session.ts";
import { type Check, count, note, ok, problem } from "./check.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** More than these are only counted: nobody reads a list of hundreds, and one command archives them all. */
const MAX_LISTED = 5;
const TITLE_CHARS = 60;

/** Checks when agents delete sessions, and whether they are archived. */
export function checkRetention(
  library: Library,
  rows: readonly CatalogRow[],
  managedFolder: string,
): readonly Check[] {
  return retentionStatus(library, { rows, managedFolder }).flatMap((status) => [
    ...checkSettings(status),
    ...(status.sessions === 0 ? [] : [checkSweep(status, library.now())]),
    ...status.earlierSweeps.map(({ project, days, from }) =>
      note(
        "retention",
        `started in ${project}, ${status.agentName} deletes sessions of all projects after ${count(days, "day")}`,
        `change the setting in ${from}`,
      ),
    ),
  ]);
}

function checkSettings({ effective: { paused } }: RetentionStatus): readonly Check[] {
  if (paused === undefined) return [];
  return [problem("settings", `${paused.place}: ${paused.what}`, "fix that file")];
}

function checkSweep(status: RetentionStatus, now: number): Check {
  const { agentName, effective, canBeSet, atRisk, folder, withinMs, archiving } = status;
  const { days, from } = effective;
  const lost = atRisk.filter(({ archived, mtimeMs }) => !archived && mtimeMs < now - HOUR_MS);
  const source = from === "default" ? "its default" : from;
  if (lost.length > 0) {
    const within = count(Math.round(withinMs / DAY_MS), "day");
    const are = lost.length === 1 ? "is" : "are";
    const them = `${count(lost.length, "session")} that ${agentName} deletes within ${within} ${are} not archived`;
    if (archiving !== null) return note("retention", `${them} yet (${source}); ${archivingWords(archiving)}`);
    const what = `${them} (${source})`;
    const details =
      lost.length > MAX_LISTED
        ? ["`sessions retention` lists those that go first"]
        : lost.map(({ id, title }) => `${id} · ${shorten(title ?? "no title", TITLE_CHARS)}`);
    return problem("retention", what, "sessions archive", details);
  }
  if (isForEver(days)) return ok("retention", `${agentName} keeps sessions forever (${source})`);
  const what = `${agentName} deletes sessions after ${count(days, "day")} (${source}); archived ones stay`;
  return note("retention", what, canBeSet ? "sessions retention forever" : null, [folder]);
}

/** Checks that the sessions of all agents are archived. The guard may not have reached those of the last hour yet. */
export function checkSessions(library: Library, rows: readonly CatalogRow[], isAnyUnread: boolean): Check {
  const archived = openArchive(library).list().sessions;
  const archive = archiveState(archived);
  const forgotten = forgottenSessions(library);
  const known = new Set(rows.map(({ digest }) => sessionKey(digest)));
  const projects = [...new Set(rows.flatMap(({ digest }) => digest.project ?? []))];
  const { sessions } = findSessions(library, projects);
  const open = sessions
    .flatMap(logIdentities(library, archived).of)
    .filter((files) => known.has(sessionKey(files)) && !forgotten.has(files) && !archive.holds(files));
  const isQuiet = ({ files }: SessionFiles): boolean =>
    files.every(({ mtimeMs }) => mtimeMs < library.now() - HOUR_MS);
  const quiet = open.filter(isQuiet);
  if (open.length === 0 && isAnyUnread)
    return note(
      "sessions",
      sessions.length === 0 ? "none can be read" : "all readable sessions are archived",
    );
  if (open.length === 0) return ok("sessions", sessions.length === 0 ? "none yet" : "all are archived");
  if (quiet.length === 0) {
    const what = `${count(open.length, "session")} of the last hour not archived yet; all others are`;
    return note("sessions", what, "sessions archive");
  }
  const archiving = guardProgress(library);
  if (archiving !== undefined) {
    const what = `${count(quiet.length, "session")} not archived yet; ${archivingWords(archiving)}`;
    return note("sessions", what);
  }
  const paths = quiet.length > MAX_LISTED ? [] : quiet.map(({ files }) => files[0]?.path ?? "");
  const what = `${count(quiet.length, "session")} not archived, or changed since`;
  return problem("sessions", what, "sessions archive", paths);
}
