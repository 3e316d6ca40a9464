import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { type Problem, UserError } from "../../errors.ts";
import type { Disk } from "../../fs/disk.ts";
import { errorCode, explainDiskError } from "../../fs/disk-error.ts";
import type { Library } from "../../fs/library.ts";
import { sweepTempFiles } from "../../fs/sweep-temp-files.ts";
import { reasonOf } from "../isolate.ts";
import { mirrorFolder, type OpencodePlace, opencodePlaces } from "./files.ts";
import { isLogThere, readMirrorManifest, writeMirrorManifest } from "./manifest.ts";
import { storageMark } from "./storage.ts";
import { writeLogs } from "./write-logs.ts";

/*
 * Logs of opencode's sessions, as files in the cache: the rest of the program reads, indexes and archives those like the
 * logs of any other agent. A change of the database is seen by the times of its files; then all rows are looked through,
 * and the logs of sessions that changed are written again.
 */

/** Brings the files up to date with all databases. Returns what could not be read; its files stay as they were. */
export function mirrorSessions(library: Library): readonly Problem[] {
  const problems: Problem[] = [];
  /** opencode takes its older storage over into the database, and leaves it there. */
  const inDatabases = new Set<string>();
  for (const place of opencodePlaces(library)) {
    const report = (what: string): void => void problems.push({ path: place.path, line: 0, what });
    try {
      const except = place.kind === "storage" ? inDatabases : new Set<string>();
      for (const id of mirror(library, place, except, report)) inDatabases.add(id);
    } catch (error) {
      // Also a cache that can't be written: the sessions of other agents are read all the same.
      if (error instanceof UserError) report(error.message);
      else report(errorCode(error) === undefined ? reasonOf(error) : explainDiskError(error));
    }
  }
  return problems;
}

type Report = (what: string) => void;

/** Attempts in which not one session could be read whole. */
const MAX_ATTEMPTS = 20;
/** File times are only this exact. */
const TICK_MS = 50;

/** Returns the ids of the sessions that are there. */
function mirror(
  library: Library,
  place: OpencodePlace,
  except: ReadonlySet<string>,
  report: Report,
): readonly string[] {
  const { disk } = library;
  const folder = join(mirrorFolder(library.surroundings), folderName(place.path));
  const markNow = (): string => `${markOf(disk, place)} ${except.size}`;
  let known = readMirrorManifest(disk, folder);
  const isThere = Object.entries(known.sessions).every(([id, log]) => isLogThere(disk, folder, id, log));
  if (isThere && known.mark === markNow()) return Object.keys(known.sessions);
  sweepTempFiles(disk, folder, { now: library.now() });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const mark = markNow();
    const isSettled = Number(mark.split(" ")[0]) < library.now() - TICK_MS;
    const { sessions, isWhole, damaged } = writeLogs(disk, place, folder, {
      known: known.sessions,
      except,
    });
    if (Object.keys(sessions).length > Object.keys(known.sessions).length) attempt = 0;
    // What can't be read is reported every time.
    const isSure = isWhole && isSettled && damaged.length === 0;
    known = { mark: isSure ? mark : "", sessions };
    writeMirrorManifest(disk, folder, known);
    if (!isWhole) continue;
    for (const what of damaged) report(what);
    return Object.keys(sessions);
  }
  report("it kept changing while it was read: sessions may be as they were before");
  return Object.keys(known.sessions);
}

/** The name of a place's folder: several channels of opencode have databases of their own. */
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
