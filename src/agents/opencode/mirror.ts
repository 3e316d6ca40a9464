import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { type Problem, UserError } from "../../errors.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode, explainDiskError } from "../../fs/disk-error.ts";
import { namesIn, removeTree } from "../../fs/folders.ts";
import type { Library } from "../../fs/library.ts";
import { peekOn } from "../../fs/sources.ts";
import { sweepTempFiles } from "../../fs/sweep-temp-files.ts";
import { reasonOf } from "../isolate.ts";
import { type MirrorExclusions, mirrorExclusions } from "../mirror-exclusions.ts";
import { directoryInHead, mirrorFolder, nameOfLog, type OpencodePlace, opencodePlaces } from "./files.ts";
import { isLogThere, type MirrorManifest, readMirrorManifest, writeMirrorManifest } from "./manifest.ts";
import { storageMark } from "./storage.ts";
import { writeLogs } from "./write-logs.ts";

/*
 * Mirrors opencode's sessions as log files in the cache: the rest of the program reads, indexes and archives those
 * like the logs of any other agent. The times of the database's files show whether it has changed; then all rows are
 * compared, and the logs of changed sessions are written again. Excluded and forgotten sessions have no logs.
 */

/**
 * Updates the files from all databases. Returns problems with databases that could not be read; their files stay as
 * they were.
 */
export function mirrorSessions(library: Library): readonly Problem[] {
  const problems: Problem[] = [];
  /** opencode copies its older storage into the database, and leaves it in place. */
  const inDatabases = new Set<string>();
  const exclusions = mirrorExclusions(library, "opencode");
  try {
    removeExcluded(library, exclusions);
  } catch (error) {
    problems.push({ path: mirrorFolder(library.environment), line: 0, what: explain(error) });
  }
  for (const place of opencodePlaces(library)) {
    const report = (what: string): void => void problems.push({ path: place.path, line: 0, what });
    try {
      const except = place.kind === "storage" ? inDatabases : new Set<string>();
      for (const id of mirror(library, place, { except, exclusions }, report)) inDatabases.add(id);
    } catch (error) {
      // This includes a cache that can't be written: the sessions of other agents are still read.
      report(explain(error));
    }
  }
  return problems;
}

function explain(error: unknown): string {
  if (error instanceof UserError) return error.message;
  return errorCode(error) === undefined ? reasonOf(error) : explainDiskError(error);
}

/**
 * Removes the logs of sessions that are excluded or forgotten now, also of databases that can't be read or are gone;
 * their other logs stay.
 */
function removeExcluded({ disk, environment }: Library, exclusions: MirrorExclusions): void {
  const all = mirrorFolder(environment);
  const peek = peekOn(disk);
  for (const folder of namesIn(disk, all).map((name) => join(all, name))) {
    const known = readMirrorManifest(disk, folder);
    if ((known.leftOut?.mark ?? "") === exclusions.mark || disk.stat(folder)?.kind !== "folder") continue;
    const ids = new Set(known.leftOut?.ids ?? []);
    const subagents = namesIn(disk, folder).flatMap((name) =>
      disk.stat(join(folder, name))?.kind === "folder"
        ? namesIn(disk, join(folder, name)).map((child) => join(name, child))
        : [],
    );
    for (const name of [...namesIn(disk, folder), ...subagents]) {
      if (!name.endsWith(".jsonl")) continue;
      const path = join(folder, name);
      const id = nameOfLog(path);
      if (!exclusions.has({ id, path, project: directoryInHead(peek(path)) })) continue;
      const base = path.slice(0, -".jsonl".length);
      for (const [child, { above }] of Object.entries(known.sessions))
        if (child === id || above.includes(id)) ids.add(child);
      for (const each of [path, `${base}.json`, base]) removeTree(disk, each);
    }
    const sessions = Object.fromEntries(Object.entries(known.sessions).filter(([id]) => !ids.has(id)));
    // Without the state of the database, the next run checks again which sessions need a log.
    writeMirrorManifest(disk, folder, {
      mark: "",
      sessions,
      leftOut: { mark: exclusions.mark, ids: [...ids] },
    });
  }
}

type Report = (what: string) => void;

/** Attempts without a single complete session. */
const MAX_ATTEMPTS = 20;
/** The precision of file times. */
const TICK_MS = 50;

interface MirrorOptions {
  /** Sessions that another place has too. */
  readonly except: ReadonlySet<string>;
  readonly exclusions: MirrorExclusions;
}

/** Returns the ids of the sessions that are there. */
function mirror(
  library: Library,
  place: OpencodePlace,
  { except, exclusions }: MirrorOptions,
  report: Report,
): readonly string[] {
  const { disk } = library;
  const folder = join(mirrorFolder(library.environment), folderName(place.path));
  const markNow = (): string => `${markOf(disk, place)} ${except.size} ${exclusions.mark}`;
  let known = readMirrorManifest(disk, folder);
  const isThere = Object.entries(known.sessions).every(([id, log]) => isLogThere(disk, folder, id, log));
  if (isThere && known.mark === markNow()) return idsOf(known);
  sweepTempFiles(disk, folder, { now: library.now() });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const mark = markNow();
    const isSettled = Number(mark.split(" ")[0]) < library.now() - TICK_MS;
    const written = writeLogs(disk, place, folder, { known: known.sessions, except, exclusions });
    const { sessions, isWhole, damaged } = written;
    if (Object.keys(sessions).length > Object.keys(known.sessions).length) attempt = 0;
    // Unreadable sessions are reported every time.
    const isSure = isWhole && isSettled && damaged.length === 0;
    known = {
      mark: isSure ? mark : "",
      sessions,
      leftOut: { mark: exclusions.mark, ids: written.withoutLog ?? known.leftOut?.ids ?? [] },
    };
    writeMirrorManifest(disk, folder, known);
    if (!isWhole) continue;
    for (const what of damaged) report(what);
    return idsOf(known);
  }
  report("it kept changing while it was read: sessions may be as they were before");
  return idsOf(known);
}

function idsOf({ sessions, leftOut }: MirrorManifest): readonly string[] {
  return [...Object.keys(sessions), ...(leftOut?.ids ?? [])];
}

/** The name of a place's folder: each of opencode's channels has its own database. */
function folderName(path: string): string {
  return `${basename(path).replace(/\.db$/, "")}-${crc32(path).toString(16).padStart(8, "0")}`;
}

/** Begins with the time of the newest file. */
function markOf(disk: Disk, { kind, path }: OpencodePlace): string {
  if (kind === "storage") return storageMark(disk, path);
  const stats = [path, `${path}-wal`].map((each) => disk.stat(each));
  const newest = Math.max(...stats.map((stat) => stat?.mtimeMs ?? 0));
  return [
    newest,
    ...stats.map((stat) => (stat === undefined ? "-" : [stat.size, stat.mtimeMs, stat.inode].join())),
  ].join(" ");
}
