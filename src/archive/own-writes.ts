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
 *   rewrites/<agent>/<session>.json    what a log was when this program had last written it
 */

const MAX_BYTES = 64 * 1024;

/** Remembers what a log is now, so that nobody takes our own write for an agent's. */
export function noteOwnWrite(
  disk: Disk,
  rewrites: string,
  session: LogKey,
  path: string,
  { size, mtimeMs, inode }: FileMark,
): void {
  const note = noteOf(rewrites, session);
  makeFolders(disk, dirname(note));
  replaceFile(disk, note, sealJson({ version: 1, path, size, mtimeMs, inode }));
}

/** Is the log as this program left it? */
export function isOwnWrite(
  disk: Disk,
  rewrites: string,
  session: LogKey,
  path: string,
  mark: FileMark,
): boolean {
  try {
    const bytes = disk.readFile(noteOf(rewrites, session), MAX_BYTES);
    if (bytes === undefined) return false;
    const fields = readFields(unsealJson(bytes));
    const noted = {
      size: fields.count("size"),
      mtimeMs: fields.number("mtimeMs"),
      inode: fields.number("inode"),
    };
    return fields.text("path") === path && sameMark(noted, mark);
  } catch (error) {
    // A note that can't be read says nothing.
    if (error instanceof ArchiveDamage || error instanceof UserError) return false;
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Finds the logs with this id that this program has ever written. */
export function rewrittenLogs(disk: Disk, rewrites: string, session: SessionName): readonly LogKey[] {
  const folder = join(rewrites, session.agent);
  // Asked for every session that is indexed, and most stores have none.
  if (disk.stat(folder) === undefined) return [];
  const names = namesIn(disk, folder).flatMap((name) =>
    name.endsWith(".json") ? [name.slice(0, -".json".length)] : [],
  );
  return copiesNamed(session, names);
}

function noteOf(rewrites: string, session: LogKey): string {
  return join(rewrites, session.agent, `${folderNameOf(session)}.json`);
}
