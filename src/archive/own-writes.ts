import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { type Disk, type FileMark, sameMark } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import { makeFolders, namesIn } from "../fs/folders.ts";
import { replaceFile } from "../fs/replace-file.ts";
import type { LogKey, SessionName } from "../session/session.ts";
import { copiesNamed, folderNameOf } from "./raw/generations.ts";
import { readFields, sealJson, unsealJson } from "./raw/sealed-json.ts";

/*
 *   rewrites/<agent>/<session>.json    the state of a log after this program last wrote it
 */

const MAX_BYTES = 64 * 1024;

/** Records the state of a log after our own write, so that it is not mistaken for an agent's write. */
export function noteOwnWrite(
  disk: Disk,
  rewrites: string,
  session: LogKey,
  path: string,
  { size, mtimeMs, inode }: FileMark,
): void {
  const note = noteOf(rewrites, session);
  makeFolders(disk, dirname(note));
  const hash = createHash("sha256");
  for (const chunk of disk.readChunks(path, { to: size })) hash.update(chunk);
  const sha256 = hash.digest("hex");
  replaceFile(disk, note, sealJson({ version: 1, path, size, mtimeMs, inode, sha256 }));
}

/** The state of a log after this program last wrote it. */
export interface OwnWrite extends FileMark {
  readonly path: string;
  /** Of all its bytes; null in notes of earlier versions. */
  readonly sha256: string | null;
}

/** Whether the log is still as this program left it. */
export function isOwnWrite(
  disk: Disk,
  rewrites: string,
  session: LogKey,
  path: string,
  mark: FileMark,
): boolean {
  const noted = lastOwnWrite(disk, rewrites, session);
  return noted !== undefined && noted.path === path && sameMark(noted, mark);
}

/** The note about a log; undefined if this program never wrote the log, or if the note can't be read. */
export function lastOwnWrite(disk: Disk, rewrites: string, session: LogKey): OwnWrite | undefined {
  try {
    const bytes = disk.readFile(noteOf(rewrites, session), MAX_BYTES);
    if (bytes === undefined) return undefined;
    const fields = readFields(unsealJson(bytes));
    return {
      path: fields.text("path"),
      size: fields.count("size"),
      mtimeMs: fields.number("mtimeMs"),
      inode: fields.number("inode"),
      sha256: fields.has("sha256") ? fields.hash("sha256") : null,
    };
  } catch (error) {
    if (error instanceof ArchiveDamage || error instanceof UserError) return undefined;
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Finds the logs with this id that this program has ever written. */
export function rewrittenLogs(disk: Disk, rewrites: string, session: SessionName): readonly LogKey[] {
  const folder = join(rewrites, session.agent);
  // Needed for every session that is indexed, and most stores have none.
  if (disk.stat(folder) === undefined) return [];
  const names = namesIn(disk, folder).flatMap((name) =>
    name.endsWith(".json") ? [name.slice(0, -".json".length)] : [],
  );
  return copiesNamed(session, names);
}

function noteOf(rewrites: string, session: LogKey): string {
  return join(rewrites, session.agent, `${folderNameOf(session)}.json`);
}
