import { dirname, join } from "node:path";
import { actionsOf } from "../../agents/actions.ts";
import { archiveState } from "../../archive/archived-sessions.ts";
import { logAt } from "../../archive/log-identity.ts";
import { openArchive } from "../../archive/open-archive.ts";
import type { Library } from "../../fs/library.ts";
import { insideOf } from "../../fs/places.ts";
import { countOf, utcMinute } from "../../render/words.ts";
import type { AgentName } from "../../session/entry.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The guard archives sessions that are deleted later than this in time. */
const WITHIN_MS = 3 * DAY_MS;

/**
 * Warns about sessions beside this log that their agent is about to delete and that are not archived; undefined if
 * there are none. Only that folder is examined, because the agent waits. The text contains nothing from the logs.
 */
export function deletionWarning(
  library: Library,
  agent: AgentName,
  log: string,
  managedFolder: string,
): string | undefined {
  const days = daysKept(library, agent, log, managedFolder);
  if (days === undefined) return undefined;
  const { disk } = library;
  const folder = dirname(log);
  const old = (disk.stat(folder) === undefined ? [] : disk.readdir(folder)).flatMap(({ name }) => {
    const path = join(folder, name);
    const found = name.endsWith(".jsonl") && path !== log ? disk.stat(path) : undefined;
    const deletedAfterMs = (found?.mtimeMs ?? Number.POSITIVE_INFINITY) + days * DAY_MS;
    return deletedAfterMs < library.now() + WITHIN_MS ? [{ path, deletedAfterMs }] : [];
  });
  if (old.length === 0) return undefined;
  const archive = archiveState(openArchive(library).list().sessions);
  const endangered = old.filter(({ path }) => {
    const files = logAt(library, path);
    return files !== undefined && !archive.holds(files);
  });
  if (endangered.length === 0) return undefined;
  const firstMs = Math.min(...endangered.map(({ deletedAfterMs }) => deletedAfterMs));
  const from = firstMs <= library.now() ? "now" : `${utcMinute(firstMs) ?? ""} UTC`;
  const [what, is] = [countOf(endangered.length, "session"), endangered.length === 1 ? "is" : "are"];
  return `${what} of this project ${is} not archived and may be deleted by the agent from ${from} on; \`sessions archive\` keeps all.`;
}

/** After how many days the agent deletes a log; undefined if it does not. */
function daysKept(
  library: Library,
  agent: AgentName,
  log: string,
  managedFolder: string,
): number | undefined {
  const { retention } = actionsOf(agent);
  const folder = retention?.folders(library).find((each) => insideOf(retention.sweptFolder(each), log));
  if (retention === undefined || folder === undefined) return undefined;
  const { days, paused } = retention.effective(library, folder, library.environment.folder, {
    managedFolder,
  });
  return paused === undefined ? days : undefined;
}
