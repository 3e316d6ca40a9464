import { resolve } from "node:path";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { type LogKey, sessionKey } from "../session/session.ts";
import { openArchive } from "./open-archive.ts";
import { type RestoredSession, type RestoreHow, restoreSession } from "./restore-session.ts";

export interface RestoreOptions extends RestoreHow {
  /** Instead of the newest. */
  readonly generation?: number | undefined;
  readonly locking: Locking;
  /** Called between sessions: lets Ctrl-C in. */
  readonly pause?: () => Promise<void>;
}

export interface RestoreAnswer {
  readonly dryRun: boolean;
  readonly sessions: readonly RestoredSession[];
  readonly problems: readonly Problem[];
}

/** Puts archived sessions back, byte for byte, with mode and time. What is there already is left alone. */
export async function restoreSessions(
  library: Library,
  sessions: readonly LogKey[],
  options: RestoreOptions,
): Promise<RestoreAnswer> {
  const how = resolveFolders(library, options);
  if (how.into !== undefined) refuseCopies(sessions);
  const mayReplace = options.force === true && options.dryRun !== true;
  const run = async (): Promise<RestoreAnswer> => {
    const archive = openArchive(library);
    const restored: RestoredSession[] = [];
    const problems: Problem[] = [];
    const tell = (path: string, what: string): void => {
      problems.push({ path, line: 0, what });
    };
    for (const session of sessions) {
      await options.pause?.();
      const kept = archive.get(session, options.generation);
      if (kept !== undefined) restored.push(restoreSession(library, archive, kept, how, tell));
      else tell(session.id, missing(options.generation));
    }
    if (mayReplace) archive.close();
    return { dryRun: options.dryRun === true, sessions: restored, problems };
  };
  // Only overwriting adds to the archive; everything else works on a read-only store, too.
  return mayReplace ? withStore(library, options.locking, run) : run();
}

/** In one project, logs with one id have one name: the second would go over the first. */
function refuseCopies(sessions: readonly LogKey[]): void {
  const seen = new Set<string>();
  for (const session of sessions) {
    if (seen.has(sessionKey(session))) {
      throw new UserError(`Cannot restore session ${session.id} into a project: it has several copies`, {
        exitCode: exitCodes.wrongUsage,
        hint: "name one of them by the path of its log",
      });
    }
    seen.add(sessionKey(session));
  }
}

function missing(generation: number | undefined): string {
  return generation === undefined
    ? "the archive does not have it, or its record can't be read"
    : `the archive does not have generation ${generation} of it, or its record can't be read`;
}

function resolveFolders(library: Library, options: RestoreOptions): RestoreHow {
  const { disk, surroundings } = library;
  const { force, touch, dryRun } = options;
  const full = (path: string): string => resolve(surroundings.folder, path);
  const how = {
    force: force === true,
    touch: touch === true,
    dryRun: dryRun === true,
    to: options.to === undefined ? undefined : full(options.to),
  };
  if (options.into === undefined) return how;
  const into = full(options.into);
  const stat = disk.stat(into);
  if (stat?.kind !== "folder" && how.to === undefined) {
    throw new UserError(`Cannot restore into ${JSON.stringify(into)}: there is no such folder`, {
      exitCode: exitCodes.wrongUsage,
      hint: "--into takes the folder of the project that the session is to belong to",
    });
  }
  // Agents name a project by its real path.
  return { ...how, into: stat === undefined ? into : disk.realpath(into) };
}
