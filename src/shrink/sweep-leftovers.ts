import { dirname } from "node:path";
import { findSessions } from "../agents/find-sessions.ts";
import { openArchive } from "../archive/open-archive.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { readJournals } from "./journal.ts";

/** Temp files that killed processes left. */
export interface Leftovers {
  readonly files: readonly string[];
  readonly bytes: number;
}

/** `forgotten/<agent>/<session>/raw/<generation>` is the deepest folder of the store. */
const STORE_DEPTH = 6;

/**
 * Removes temp files that killed processes left an hour ago or earlier, wherever this program writes: in the store,
 * and in the folders in which agents have logs, where one may be as large as a log.
 */
export function sweepLeftovers(library: Library, options: { readonly dryRun?: boolean } = {}): Leftovers {
  try {
    return sweep(library, options.dryRun === true);
  } catch (error) {
    // A leftover is no reason to fail.
    if (errorCode(error) === undefined) throw error;
    return { files: [], bytes: 0 };
  }
}

function sweep(library: Library, dryRun: boolean): Leftovers {
  const { disk, places } = library;
  const now = library.now();
  // The next run completes rewrites that a journal names.
  const except = new Set(
    readJournals(disk, places.rewrites).flatMap(({ record }) => [...record.temps, record.old ?? ""]),
  );
  const swept = [
    sweepTempFiles(disk, places.home, { now, depth: STORE_DEPTH, except, dryRun }),
    ...foldersOfLogs(library).map((folder) => sweepTempFiles(disk, folder, { now, except, dryRun })),
  ];
  return {
    files: swept.flatMap(({ removed }) => removed),
    bytes: swept.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The folders of logs, and those of logs that can be restored. */
function foldersOfLogs(library: Library): readonly string[] {
  const folders = new Set<string>();
  for (const { files } of [...findSessions(library).sessions, ...openArchive(library).list().sessions])
    for (const { path } of files) folders.add(dirname(path));
  return [...folders];
}
