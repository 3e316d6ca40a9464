import manifest from "../../../package.json" with { type: "json" };
import { mirrorLogs } from "../../agents/find-sessions.ts";
import type { Problem } from "../../errors.ts";
import { saysDenied } from "../../fs/disk-error.ts";
import type { Library, LibraryFrom } from "../../fs/library.ts";
import { findPlaces } from "../../fs/places.ts";
import { deniedAt } from "../../fs/sources.ts";
import { createMask } from "../../history/masking.ts";
import { sessionsOf, shellQuote } from "../../render/words.ts";
import type { IndexAccess } from "../../search/refresh/index-access.ts";
import { type SessionCatalog, withCatalog } from "../../search/session-catalog.ts";
import type { Package } from "../install-files.ts";
import { type Check, count, note, ok, problem } from "./check.ts";
import { checkExtensions, checkPlugins } from "./check-extensions.ts";
import { checkAgents, checkHooks, checkSkill, type FoundAgent, findAgents } from "./check-hooks.ts";
import { checkRetention, checkSessions } from "./check-protection.ts";
import { checkPath, checkServers } from "./check-servers.ts";
import {
  checkArchive,
  checkBackground,
  checkConfigFile,
  checkFlattened,
  checkLeftovers,
  checkModes,
  checkVersion,
  type DiskUse,
  diskUse,
} from "./check-store.ts";
import type { RunSilently } from "./test-events.ts";

export interface ExamineOptions {
  readonly access: IndexAccess;
  readonly pack: Package;
  readonly managedFolder: string;
  readonly run: RunSilently;
}

export interface Examination {
  readonly checks: readonly Check[];
  readonly agents: readonly FoundAgent[];
  /** Files and lines of logs that can't be read. */
  readonly problems: readonly Problem[];
  /** null if the store can't be used. */
  readonly disk: DiskUse | null;
}

/** Examines a store that this program can't use; undefined: it can be used. */
export function examineUnusable(machine: LibraryFrom, reveal: boolean): Examination | undefined {
  const { disk, now } = machine;
  const store = { disk, now, places: findPlaces(machine) };
  const version = checkVersion(store);
  if (version === undefined) return undefined;
  const found = { checks: [version, checkBackground(store)], agents: [], problems: [], disk: null };
  // The config with the user's own patterns can't be read.
  return reveal ? found : createMask({ redact: [] })(found);
}

/** Checks everything that keeping the history depends on. Changes nothing but the index. */
export async function examine(library: Library, options: ExamineOptions): Promise<Examination> {
  const { access, pack, managedFolder, run } = options;
  const wasDamaged = await isDamaged(access);
  return withCatalog(library, access, async (catalog) => {
    const { rows, problems } = catalog;
    const agents = await findAgents(catalog);
    const logs = rows.reduce(
      (sum, { state, bytes }) => (state === "live" || state === "idle" ? sum + bytes : sum),
      0,
    );
    const unread = mirrorLogs(library);
    return {
      checks: [
        checkAgents(agents, unread.length > 0),
        ...(await checkHooks(library, run)),
        ...checkPlugins(library, manifest.version),
        ...checkExtensions(library, pack, (agent) => agents.some((found) => found.agent === agent)),
        ...checkServers(library, pack),
        checkSkill(library, pack),
        ...checkPath(library),
        ...checkRetention(library, rows, managedFolder),
        checkSessions(library, rows, unread.length > 0 || problems.some(saysDenied)),
        checkIndex(catalog, wasDamaged),
        checkArchive(library),
        checkFlattened(library),
        checkModes(library),
        ...(await checkConfigFile(library)),
        ...checkDatabases(unread),
        checkLogs(
          library,
          problems.filter((each) => !unread.some((other) => isSame(each, other))),
        ),
        checkBackground(library),
        ...checkLeftovers(library),
      ],
      agents,
      problems,
      disk: diskUse(library, logs),
    };
  });
}

async function isDamaged({ engine }: IndexAccess): Promise<boolean> {
  const opened = await engine.read();
  if (opened.kind === "open") await opened.reader.close();
  return opened.kind === "damaged";
}

function checkIndex({ coverage }: SessionCatalog, wasDamaged: boolean): Check {
  const { turns, stale } = coverage;
  const holds = `${sessionsOf(coverage)}, ${count(turns, "turn")}`;
  if (wasDamaged) return ok("index", `it was damaged and has been rebuilt: ${holds}`);
  return stale > 0
    ? problem("index", `${holds}; ${count(stale, "session")} changed since`, "sessions index")
    : ok("index", `up to date: ${holds}`);
}

function isSame(one: Problem, other: Problem): boolean {
  return one.path === other.path && one.line === other.line && one.what === other.what;
}

/** Sessions that can't be read from a database are not archived either: only its own file has them. */
function checkDatabases(unread: readonly Problem[]): readonly Check[] {
  const paths = [...new Set(unread.map(({ path }) => path))];
  return paths.map((path) => {
    const [first = "", ...others] = unread.flatMap((each) => (each.path === path ? [each.what] : []));
    const fix = "keep a copy of that file; a newer version of `sessions` may read it";
    return problem("databases", `${path}: ${first}`, fix, others);
  });
}

/**
 * Unreadable lines were written like that by the agent or a failing disk: nothing can be done. For a file without
 * permission, the permission can be changed.
 */
function checkLogs({ disk }: Library, problems: readonly Problem[]): Check {
  if (problems.length === 0) return ok("logs", "every line can be read");
  const files = problems.filter(({ line }) => line === 0);
  const denied = files.filter(saysDenied);
  if (denied.length > 0) {
    const places = [...new Set(denied.map(({ path }) => deniedAt(disk, path) ?? path))];
    const what = `${count(places.length, "file or folder", "files or folders")} can't be read: permission denied`;
    return problem("logs", what, `chmod u+rX ${shellQuote(places)}`);
  }
  if (files.length > 0) {
    const details = files.slice(0, MAX_LISTED).map(({ path, what }) => `${path}: ${what}`);
    return note("logs", `${count(files.length, "file")} can't be read, or not all of it`, null, details);
  }
  const what = `${count(problems.length, "line")} can't be read`;
  return note("logs", what, "nothing is lost: `sessions archive` keeps these bytes");
}

const MAX_LISTED = 10;
