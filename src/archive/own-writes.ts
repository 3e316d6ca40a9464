import { dirname, join } from "node:path";
import { UserError } from "../errors.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import { type Disk, type FileMark, sameMark } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import { makeFolders } from "../fs/folders.ts";
import { replaceFile } from "../fs/replace-file.ts";
import type { SessionName } from "../session/session.ts";
import { folderNameOf } from "./raw/generations.ts";
import { readFields, sealJson, unsealJson } from "./raw/sealed-json.ts";

/*
 *   rewrites/<agent>/<session>.json    what a log was when this program had last written it
 */

const MAX_BYTES = 64 * 1024;

/** Remembers what a log is now, so that nobody takes our own write for an agent's. */
export function noteOwnWrite(
  disk: Disk,
  rewrites: string,
  session: SessionName,
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
  session: SessionName,
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

/** Has this program ever written the log of that session? */
export function wasRewritten(disk: Disk, rewrites: string, session: SessionName): boolean {
  return disk.stat(noteOf(rewrites, session)) !== undefined;
}

function noteOf(rewrites: string, session: SessionName): string {
  return join(rewrites, session.agent, `${folderNameOf(session)}.json`);
}
