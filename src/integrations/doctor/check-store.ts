import { join } from "node:path";
import { isAgent } from "../../agents/agents.ts";
import { hasLog } from "../../archive/archived-sessions.ts";
import { openArchive } from "../../archive/open-archive.ts";
import { UserError } from "../../errors.ts";
import { readConfig } from "../../fs/config.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode, isAbsent } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import { checkStoreVersion } from "../../fs/store.ts";
import { sessionsOf, shellQuote } from "../../render/words.ts";
import { hookLogPaths, readHookFailures } from "../../retention/hook-log.ts";
import { checkSidecars } from "../../shrink/check-sidecars.ts";
import { refusedRewrites } from "../../shrink/recover.ts";
import { sidecarPath } from "../../shrink/sidecar.ts";
import { sweepLeftovers } from "../../shrink/sweep-leftovers.ts";
import { type Check, count, note, ok, problem } from "./check.ts";

const DAY_MS = 24 * 3_600_000;
const MAX_LISTED = 10;

/** Checks that only the user can read the store. */
export function checkModes({ disk, places }: Library): Check {
  const home = disk.stat(places.home);
  if (home === undefined) return note("modes", `${places.home} does not exist yet`);
  const paths = [places.home, ...disk.readdir(places.home).map(({ name }) => join(places.home, name))];
  const open = paths.filter((path) => ((disk.stat(path)?.mode ?? 0) & 0o077) !== 0);
  if ((home.mode & 0o077) === 0) return ok("modes", `only you can read ${places.home}`);
  return problem(
    "modes",
    `others on this machine can read ${places.home}`,
    `chmod -R go-rwx ${shellQuote([places.home])}`,
    open,
  );
}

/** Checks the store's version; undefined: this program can use it. */
export function checkVersion({ disk, places }: Pick<Library, "disk" | "places">): Check | undefined {
  try {
    checkStoreVersion(disk, places);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return problem("store", error.message, error.hint ?? null);
  }
}

/** Checks that the records of all sessions can be read; `verify` checks their bytes. */
export function checkArchive(library: Library): Check {
  const { sessions, unreadable } = openArchive(library).list();
  if (unreadable.length > 0) {
    const places = unreadable.slice(0, MAX_LISTED).map(({ location, what }) => `${location}: ${what}`);
    const what = `the records of ${count(unreadable.length, "session")} can't be read`;
    return problem("archive", what, "sessions verify, then sessions archive --check", places);
  }
  if (sessions.length === 0) return note("archive", "it is empty", "sessions archive");
  const held = { sessions: sessions.length, stubs: sessions.filter((session) => !hasLog(session)).length };
  return ok("archive", `${sessionsOf(held)}; \`sessions verify\` checks every byte`);
}

/** Checks that every flattened session can be restored. */
export function checkFlattened(library: Library): Check {
  const { sidecars, flattenedLogs, findings, withoutLog } = checkSidecars(library, { blocks: false });
  const [first] = findings;
  if (first !== undefined) {
    const places = findings.slice(0, MAX_LISTED).map(({ path, what }) => `${path}: ${what}`);
    const what = `${count(findings.length, "problem")} with flattened sessions`;
    const fixes = [...new Set(findings.map(({ fix }) => fix))].slice(0, MAX_LISTED);
    return problem("sidecars", what, fixes.join("; "), places);
  }
  if (sidecars === 0 && flattenedLogs === 0) return ok("sidecars", "no session is flattened");
  const holds = `${count(flattenedLogs, "flattened log")}, ${count(sidecars, "sidecar")}`;
  const [lone] = withoutLog;
  if (lone === undefined) return ok("sidecars", `${holds}: everything can be put back`);
  return note(
    "sidecars",
    `${holds}: everything can be put back; ${count(withoutLog.length, "sidecar")} of logs that are not here, for when they are restored`,
    `nothing has to be done; if a sidecar is not needed: sessions restore ${lone.id} and then sessions unflatten ${lone.id} remove it, or sessions forget ${lone.id} with the session`,
    withoutLog.slice(0, MAX_LISTED).map((session) => sidecarPath(library.places.flat, session)),
  );
}

/** Finds unknown keys in config.json, most likely typing errors. */
export async function checkConfigFile({ disk, places, environment }: Library): Promise<readonly Check[]> {
  const { config, unknownKeys } = await readConfig(disk, places.config, environment.home);
  const notAgents = Object.keys(config.sources).filter((name) => !isAgent(name));
  return [...unknownKeys, ...notAgents.map((name) => `sources.${name}`)].map((key) =>
    problem("settings", `${places.config} has an unknown key: ${key}`, "correct or remove it"),
  );
}

/** Reports errors of hooks and of the guard, which run unseen. */
export function checkBackground(library: Pick<Library, "disk" | "places" | "now">): Check {
  const failures = readHookFailures(library);
  const lines = failures
    .toReversed()
    .slice(0, MAX_LISTED)
    .map(({ at, event, what }) => `${new Date(at).toISOString()} ${event}: ${what}`);
  const recent = failures.filter(({ at }) => at > library.now() - DAY_MS);
  const [log] = hookLogPaths(library);
  if (recent.length > 0) {
    const what = `${count(recent.length, "failure")} of hooks and of the guard within a day`;
    return problem("background", what, `fix what they name, then delete ${log}`, lines);
  }
  if (failures.length > 0) return note("background", `older failures are in ${log}`, null, lines);
  return ok("background", "no failures of hooks or of the guard");
}

/** Finds temp files of killed processes, which the guard and `archive` remove. */
export function checkLeftovers(library: Library): readonly Check[] {
  const { files, bytes } = sweepLeftovers(library, { dryRun: true });
  const refused = refusedRewrites(library);
  const what = `${count(files.length, "temp file")} of killed processes, ${bytes} bytes`;
  return [
    ...(files.length === 0 ? [] : [note("leftovers", what, "sessions archive", files.slice(0, MAX_LISTED))]),
    ...(refused.length === 0 ? [] : [refusedCheck(refused)]),
  ];
}

function refusedCheck(refused: readonly string[]): Check {
  const what = `${count(refused.length, "record")} of rewrites that were killed name a file that is not a log`;
  const fix = "restore the log that a record names (`sessions restore`), or delete the record";
  return problem("leftovers", what, fix, refused.slice(0, MAX_LISTED));
}

export interface DiskUse {
  /** The agents' logs. */
  readonly logs: number;
  readonly raw: number;
  readonly archive: number;
  readonly index: number;
  /** Everything else in the store. */
  readonly other: number;
}

export function diskUse({ disk, places }: Library, logs: number): DiskUse {
  const raw = sizeOf(disk, places.raw);
  const archive = sizeOf(disk, places.archive);
  const index = sizeOf(disk, places.index);
  return { logs, raw, archive, index, other: sizeOf(disk, places.home) - raw - archive - index };
}

/** Sums the sizes of all files below a folder. Files that vanish or can't be read count as 0. */
function sizeOf(disk: Disk, folder: string): number {
  let size = 0;
  try {
    for (const { name, kind } of disk.readdir(folder)) {
      const path = join(folder, name);
      if (kind === "folder") size += sizeOf(disk, path);
      else if (kind === "file") size += disk.lstat(path)?.size ?? 0;
    }
  } catch (error) {
    if (!isAbsent(error) && errorCode(error) === undefined) throw error;
  }
  return size;
}
