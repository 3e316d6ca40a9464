import { dirname, join, relative, resolve } from "node:path";
import type { LogFiles } from "../agents/agent.ts";
import { agentNamed } from "../agents/agents.ts";
import { basesOf, missingBase } from "../agents/base-lines.ts";
import { findSessions, mirrorLogs, rootOfFile } from "../agents/find-sessions.ts";
import { isPacked, otherForm } from "../agents/packed-log.ts";
import { exitCodes, type Problem, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { once } from "../fs/once.ts";
import { insideOf } from "../fs/places.ts";
import { type Locking, withStore } from "../fs/store.ts";
import { type LogKey, logKey, sessionKey } from "../session/session.ts";
import { archiveSource, sessionFilesOf } from "./archive-source.ts";
import type { KeptFile, KeptSession } from "./archive-store.ts";
import { withBases } from "./archived-bases.ts";
import { byLogKey, logIdentities } from "./log-identity.ts";
import { openArchive } from "./open-archive.ts";
import { type Report, type RestoredSession, type RestoreHow, restoreSession } from "./restore-session.ts";

export interface RestoreOptions extends RestoreHow {
  /** This generation instead of the newest. */
  readonly generation?: number | undefined;
  readonly locking: Locking;
  /** Called between sessions, so that Ctrl-C can be handled. */
  readonly pause?: () => Promise<void>;
}

export interface RestoreAnswer {
  readonly dryRun: boolean;
  readonly sessions: readonly RestoredSession[];
  readonly problems: readonly Problem[];
}

/** Puts archived sessions back, byte for byte, with mode and time. Existing files are left alone. */
export async function restoreSessions(
  library: Library,
  sessions: readonly LogKey[],
  options: RestoreOptions,
): Promise<RestoreAnswer> {
  const how = resolveFolders(library, options);
  if (how.into !== undefined) refuseCopies(sessions);
  const mayReplace = options.force === true && options.dryRun !== true;
  const run = async (): Promise<RestoreAnswer> => {
    mirrorLogs(library);
    const archive = openArchive(library);
    const restored: RestoredSession[] = [];
    const problems: Problem[] = [];
    const report = (path: string, what: string): void => {
      problems.push({ path, line: 0, what });
    };
    const logsHere = once(() => byLogKey(findSessions(library).sessions.flatMap(logIdentities(library).of)));
    const done = new Set<string>();
    const restore = (session: LogKey, kept: KeptSession, options: RestoreHow): void => {
      if (done.has(logKey(session))) return;
      done.add(logKey(session));
      const placed = whereItIs(library, kept, archive.get(session) ?? kept, logsHere);
      restored.push(restoreSession(library, archive, placed, options, report));
    };
    for (const session of sessions) {
      await options.pause?.();
      const kept = archive.get(session, options.generation);
      if (kept === undefined) {
        report(session.id, missing(options.generation));
        continue;
      }
      for (const base of basesToRestore(library, kept, report)) {
        const keptBase = archive.get(base);
        // The log that continues it refers to its bytes, so they are not changed.
        if (keptBase !== undefined) restore(base, keptBase, { ...how, into: undefined });
      }
      restore(session, kept, how);
    }
    if (mayReplace) archive.close();
    return { dryRun: options.dryRun === true, sessions: restored, problems };
  };
  // Only overwriting adds to the archive; everything else works on a read-only store, too.
  return mayReplace ? withStore(library, options.locking, run) : run();
}

/** The archived logs that this one continues, the earliest first: without them its agent can't resume it. */
function basesToRestore(library: Library, kept: KeptSession, report: Report): readonly LogKey[] {
  const source = withBases(
    library,
    archiveSource(() => kept),
  );
  const [lead] = sessionFilesOf(kept).files;
  const bases = lead === undefined ? [] : [...basesOf(source, agentNamed(kept.agent), lead.path)];
  for (const base of bases) if (base.log === undefined) report(lead?.path ?? kept.id, missingBase(base));
  return bases.flatMap(({ log }) => log?.archived ?? []).toReversed();
}

/**
 * A generation with its files at the log's present place. The log may have been moved since: restored at its old
 * place, it would exist twice.
 */
function whereItIs(
  library: Library,
  kept: KeptSession,
  newest: KeptSession,
  logsHere: () => ReadonlyMap<string, LogFiles>,
): KeptSession {
  if (kept.origin !== null) return kept;
  const was = kept.files[0]?.path;
  const known = newest.files[0]?.path;
  if (was === undefined || known === undefined) return kept;
  const isThere = library.disk.lstat(known) !== undefined;
  const found = isThere ? known : (leadOf(logsHere().get(logKey(kept))) ?? known);
  // The archived bytes are packed or not, whatever happened to the log since.
  const now = isPacked(found) === isPacked(was) ? found : otherForm(found);
  if (now === was) return kept;
  const root = rootOfFile(library, kept.agent, now);
  const moved = new Map(
    kept.files.flatMap((file): [KeptFile, KeptFile][] => {
      const path = file.path === was ? now : movedWith(file.path, dirname(was), dirname(now));
      return path === undefined ? [] : [[{ ...file, path, root }, file]];
    }),
  );
  const places = new Map([...moved].map(([placed, file]) => [file, placed]));
  return {
    ...kept,
    files: kept.files.map((file) => places.get(file) ?? file),
    read: (file, from) => kept.read(moved.get(file) ?? file, from),
  };
}

/** The log itself, if it is there: its other files may remain without it. */
function leadOf(log: LogFiles | undefined): string | undefined {
  return log?.files.find(({ role }) => role === "main")?.path;
}

/** The new path of a file below a folder that was moved; undefined if it was not below it. */
function movedWith(path: string, from: string, to: string): string | undefined {
  return insideOf(from, path) ? join(to, relative(from, path)) : undefined;
}

/** In one project, logs with one id have one name, so the second would overwrite the first. */
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
  const { disk, environment } = library;
  const { force, touch, dryRun } = options;
  const full = (path: string): string => resolve(environment.folder, path);
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
