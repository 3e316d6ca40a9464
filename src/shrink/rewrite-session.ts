import { createHash } from "node:crypto";
import type { LogFiles } from "../agents/agent.ts";
import type { LogSnapshot } from "../agents/log-snapshot.ts";
import type { ArchiveStore, ListedSession } from "../archive/archive-store.ts";
import { markdownPath } from "../archive/archived-sessions.ts";
import { keepSession, type MarkdownWriter } from "../archive/keep-session.ts";
import { forgottenSessions, openArchive } from "../archive/open-archive.ts";
import { noteOwnWrite } from "../archive/own-writes.ts";
import { exitCodes, UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { FileMark, FileStat } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile, tempPathFor } from "../fs/replace-file.ts";
import type { Locking } from "../fs/store.ts";
import { plannedSize, type RewritePlan } from "../jsonl/rewrite-plan.ts";
import { openTempJournal } from "./journal.ts";
import { changedMeanwhile, heldBy, heldOpen, refuseLive } from "./refuse-live.ts";
import { swapFile } from "./swap-file.ts";

export interface RewriteOptions {
  readonly locking: Locking;
  /** For the readable copy; without it only the bytes are archived. */
  readonly markdown?: MarkdownWriter | undefined;
  /** Rewrites even if the log changed a moment ago, but never if a process holds it open. */
  readonly force?: boolean | undefined;
  /** Also keep the old bytes in a file next to the log. */
  readonly bak?: boolean | undefined;
}

/** The archived bytes of the log before it was rewritten. */
export interface Secured {
  readonly generation: number;
  /** The readable copy, or else the folder of the bytes. */
  readonly archive: string;
}

export interface Rewritten extends Secured {
  readonly path: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Bytes that were appended during the rewrite; all of them are there. */
  readonly carriedBytes: number;
  readonly bak: string | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Rewrites a log by a plan: archives its bytes and verifies them, then replaces the log unless it is in use. Requires the
 * store's lock.
 */
export async function rewriteSession(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  plan: RewritePlan,
  options: RewriteOptions,
): Promise<Rewritten> {
  const { disk, places } = library;
  const { pid } = options.locking.processes;
  refuseLive(library, files, snapshot, { force: options.force === true, pid });
  const secured = secureLog(library, files, snapshot, options);
  const bak = options.bak === true ? writeBak(library, snapshot) : null;
  const swapped = await swapFile(disk, {
    path: snapshot.realPath,
    expected: snapshot.mark,
    sha256: snapshot.sha256(),
    plan,
    mtimeOf: (old) => mtimeAfter(library, old),
    isHeld: () => heldBy(library, snapshot, pid).length > 0,
    rewrites: places.rewrites,
    wait: options.locking.wait,
  });
  if (swapped.kind === "changed") throw changedMeanwhile(files.id);
  if (swapped.kind === "held") throw heldOpen(files.id, heldBy(library, snapshot, pid));
  noteIfPossible(library, files, snapshot.path, swapped.file);
  return {
    ...secured,
    path: snapshot.path,
    bytesBefore: snapshot.mark.size,
    bytesAfter: plannedSize(plan) + swapped.carried,
    carriedBytes: swapped.carried,
    bak,
  };
}

/**
 * Records that this program wrote the log. The log is already replaced, so failing to record it is not an error: the
 * log then only counts as in use for 10 seconds.
 */
function noteIfPossible({ disk, places }: Library, files: LogFiles, path: string, file: FileMark): void {
  try {
    noteOwnWrite(disk, places.rewrites, files, path, file);
  } catch (error) {
    if (!(error instanceof UserError) && errorCode(error) === undefined) throw error;
  }
}

/**
 * Chooses the mtime of the new log. Agents delete logs that are too old, so it is at most a day old; a time in the
 * future counts as now.
 */
function mtimeAfter(library: Library, { mtimeMs }: Pick<FileStat, "mtimeMs">): number {
  const now = library.now();
  return Math.min(Math.max(mtimeMs, now - DAY_MS), now);
}

/** Archives the current state of a session, and verifies that the archive has every byte of the snapshot. */
export function secureLog(
  library: Library,
  files: LogFiles,
  snapshot: LogSnapshot,
  options: Pick<RewriteOptions, "markdown">,
): Secured {
  if (forgottenSessions(library).has(files)) {
    throw notDurable(files.id, "it was forgotten, and forgotten sessions are not archived");
  }
  const archive = openArchive(library);
  try {
    const now = filesNow(library, files);
    let why = "";
    // Damage in the archive is repaired by reading everything again.
    for (const thorough of [false, true]) {
      const kept = keepSession(library, archive, now, { markdown: options.markdown, thorough });
      const { session } = kept.outcome;
      const proof = session === undefined ? "it can't be read" : proveKept(archive, session, snapshot);
      if (session !== undefined && proof === undefined) {
        return {
          generation: session.generation,
          archive: markdownPath(library, session) ?? session.location,
        };
      }
      why = kept.problems[0]?.what ?? proof ?? "";
    }
    throw notDurable(files.id, why);
  } finally {
    archive.close();
  }
}

/** Returns the files as they are on disk now: they may have changed since they were selected. */
function filesNow({ disk }: Library, files: LogFiles): LogFiles {
  return {
    ...files,
    files: files.files.map((file) => {
      const { size, mtimeMs, inode } = disk.stat(file.path) ?? file;
      return { ...file, size, mtimeMs, inode };
    }),
  };
}

/** Reads the archived log back and compares it; returns the first difference, if any. */
function proveKept(
  archive: ArchiveStore,
  session: ListedSession,
  { path, mark, sha256 }: LogSnapshot,
): string | undefined {
  const kept = archive.get(session, session.generation);
  const file = kept?.files.find((each) => each.path === path);
  if (kept === undefined || file === undefined) return "it is not in the archive";
  const hash = createHash("sha256");
  let left = mark.size;
  try {
    for (const chunk of kept.read(file)) {
      hash.update(chunk.subarray(0, Math.min(left, chunk.length)));
      left -= Math.min(left, chunk.length);
      if (left === 0) break;
    }
  } catch (error) {
    if (error instanceof ArchiveDamage) return error.what;
    throw error;
  }
  return hash.digest("hex") === sha256() ? undefined : "the archived bytes differ from the log";
}

function notDurable(id: string, why: string): UserError {
  return new UserError(`Cannot rewrite session ${id}: it can't be archived first (${why})`, {
    exitCode: exitCodes.refused,
    hint: "`sessions archive` and `sessions verify` tell more",
  });
}

/**
 * Writes the backup under the first free name of `.bak`, `.bak.1`, … An existing file with these very bytes, which a
 * killed run may have left, counts as the backup.
 */
function writeBak(library: Library, snapshot: LogSnapshot): string {
  const { disk, places } = library;
  for (let number = 0; ; number++) {
    const path = `${snapshot.realPath}.bak${number === 0 ? "" : `.${number}`}`;
    const present = disk.lstat(path);
    if (present !== undefined) {
      if (isCopy(library, path, present, snapshot)) return path;
      continue;
    }
    const temp = tempPathFor(path);
    const journal = openTempJournal(disk, places.rewrites, snapshot.realPath, temp);
    const { mode } = disk.stat(snapshot.realPath) ?? { mode: 0o600 };
    const { mtimeMs } = snapshot.mark;
    try {
      const written = replaceFile(disk, path, snapshot.chunks(), { mode, mtimeMs, exclusive: true, temp });
      if (written.kind === "done") return path;
    } finally {
      journal.close();
    }
  }
}

function isCopy({ disk }: Library, path: string, present: FileStat, { mark, sha256 }: LogSnapshot): boolean {
  if (present.kind !== "file" || present.size !== mark.size) return false;
  const hash = createHash("sha256");
  for (const chunk of disk.readChunks(path)) hash.update(chunk);
  return hash.digest("hex") === sha256();
}
