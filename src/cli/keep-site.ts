import { tryLock } from "../fs/lock.ts";
import { exitCodes, type OpenHistory, type Problem, type SiteAnswer, UserError } from "../index.ts";
import type { World } from "./world.ts";

export interface KeptSite {
  /** null if the user does not want one, or another process is writing it. */
  readonly site: SiteAnswer | null;
  readonly problems: readonly Problem[];
}

/**
 * Brings the static pages beside the archive up to date, if the user wants them (`archive.site` in config.json). If that
 * fails it is a problem of the answer: the archive itself is complete.
 */
export async function keepSite({ library, exportSite }: OpenHistory, world: World): Promise<KeptSite> {
  const { disk, places, config } = library;
  if (!config.archive.site) return { site: null, problems: [] };
  const attempt = tryLock(disk, `${places.site}.lock`, world.processes);
  if (attempt.kind !== "locked") return { site: null, problems: [] };
  try {
    const site = await exportSite({ folder: places.site, clientFolder: world.pageFolder });
    return { site, problems: site.problems };
  } catch (error) {
    if (!(error instanceof UserError) || error.exitCode === exitCodes.interrupted) throw error;
    return { site: null, problems: [{ path: places.site, line: 0, what: error.message }] };
  } finally {
    attempt.lock.release();
  }
}
