import { createHash } from "node:crypto";
import { join } from "node:path";
import { ArchiveDamage } from "../../fs/damage.ts";
import type { Disk } from "../../fs/disk.ts";
import { diskError, errorCode, explainDiskError, isAbsent } from "../../fs/disk-error.ts";
import { makeFolders, removeTree } from "../../fs/folders.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import { safeName } from "../../fs/safe-name.ts";
import { type LogKey, logKey, type SessionName } from "../../session/session.ts";
import type { PutProblem } from "../archive-store.ts";
import { type Manifest, manifestFromJson, manifestToJson, type StoredFile } from "./manifest.ts";
import { sealJson, unsealJson } from "./sealed-json.ts";

/*
 * <session>/1/manifest.json       a generation: its record
 * <session>/1/<sha256>.br         and its chunks
 * <session>/2.new/…               one that is being made
 *
 * A generation is made under another name and renamed when all of it is durable, including its manifest. So leftovers of a
 * killed run, which are removed, differ from a generation that lost its manifest, which is damage and never removed.
 */

/** The folder of a generation of one session. */
export type FolderOf = (generation: number) => string;

export function foldersOf(sessionFolder: string): FolderOf {
  return (generation) => join(sessionFolder, String(generation));
}

const GENERATION = /^[1-9]\d{0,8}$/;
const UNFINISHED = /^[1-9]\d{0,8}\.new$/;
const MANIFEST = "manifest.json";
/** Larger than the manifest of a session with 100,000 files; anything larger is not a manifest. */
const MAX_MANIFEST_BYTES = 256 * 1024 * 1024;

/** A generation as it was found. */
type FoundGeneration =
  | {
      readonly kind: "good";
      readonly number: number;
      readonly manifest: Manifest;
      /** The hash of the manifest itself. */
      readonly bytes: number;
    }
  | { readonly kind: "damaged"; readonly number: number; readonly what: string };

/** Numbers of the generations, oldest first; none if there is no such session. */
export function generationNumbers(disk: Disk, sessionFolder: string): readonly number[] {
  // Every hit of a search asks, and most are not in the archive: an error would take five times as long.
  if (disk.stat(sessionFolder) === undefined) return [];
  try {
    return disk
      .readdir(sessionFolder)
      .filter(({ name, kind }) => kind === "folder" && GENERATION.test(name))
      .map(({ name }) => Number(name))
      .sort((a, b) => a - b);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Reads a manifest. If `session` is given, the manifest must name it. */
export function readGeneration(
  disk: Disk,
  sessionFolder: string,
  number: number,
  session?: LogKey,
): FoundGeneration {
  try {
    const path = join(sessionFolder, String(number), MANIFEST);
    const bytes = disk.readFile(path, MAX_MANIFEST_BYTES);
    if (bytes === undefined) throw new ArchiveDamage("its record is missing");
    const manifest = manifestFromJson(unsealJson(bytes));
    const isTheirs = session === undefined || logKey(manifest) === logKey(session);
    if (!isTheirs || manifest.generation !== number) {
      throw new ArchiveDamage("its record is that of another session or generation");
    }
    return { kind: "good", number, manifest, bytes: bytes.length };
  } catch (error) {
    return { kind: "damaged", number, what: explainDamage(error) };
  }
}

/** Returns the generation that is the session's present state: the newest that was not put aside, if any. */
export function newestManifest(manifests: readonly Manifest[]): Manifest | undefined {
  return manifests.findLast(({ isAside }) => !isAside) ?? manifests.at(-1);
}

/**
 * Finds the newest generation whose record can be read and that was not put aside. A damaged generation is never
 * overwritten: it may be repaired some day.
 */
export function newestIntact(
  disk: Disk,
  sessionFolder: string,
  session: LogKey,
  numbers: readonly number[],
  problems: PutProblem[] = [],
): Manifest | undefined {
  let aside: Manifest | undefined;
  for (const number of numbers.toReversed()) {
    const found = readGeneration(disk, sessionFolder, number, session);
    if (found.kind === "damaged")
      problems.push({ path: sessionFolder, what: `generation ${number}: ${found.what}` });
    else if (!found.manifest.isAside) return found.manifest;
    else aside ??= found.manifest;
  }
  return aside;
}

/** Files that a restore was about to replace, in their state then. */
export function filesAside(
  disk: Disk,
  sessionFolder: string,
  session: LogKey,
  numbers: readonly number[],
): readonly StoredFile[] {
  return numbers.flatMap((number) => {
    const found = readGeneration(disk, sessionFolder, number, session);
    return found.kind === "good" && found.manifest.isAside ? found.manifest.files : [];
  });
}

/** Writes the record of a generation into its folder, which must exist. */
export function writeManifest(disk: Disk, folder: string, manifest: Manifest): void {
  replaceFile(disk, join(folder, MANIFEST), sealJson(manifestToJson(manifest)));
}

/** A generation that is being made. */
export interface NewGeneration {
  readonly folder: string;
  /** Gives the generation its final name. Its manifest must be written. */
  finish(): void;
}

export function beginGeneration(disk: Disk, sessionFolder: string, number: number): NewGeneration {
  const folder = join(sessionFolder, `${number}.new`);
  makeFolders(disk, sessionFolder);
  try {
    removeTree(disk, folder);
    // Its name need not survive a power cut; only the final name must.
    disk.mkdir(folder);
  } catch (error) {
    throw diskError("make the folder", folder, error);
  }
  return {
    folder,
    finish() {
      try {
        disk.rename(folder, join(sessionFolder, String(number)));
        disk.fsyncFolder(sessionFolder);
      } catch (error) {
        throw diskError("rename", folder, error);
      }
    },
  };
}

/** Removes unfinished generations of killed runs. */
export function removeUnfinished(disk: Disk, sessionFolder: string): void {
  for (const { name } of disk.readdir(sessionFolder)) {
    if (UNFINISHED.test(name)) removeTree(disk, join(sessionFolder, name));
  }
}

/** Describes the damage in a few words. Rethrows errors that are neither damage nor system errors. */
function explainDamage(error: unknown): string {
  if (error instanceof ArchiveDamage) return error.what;
  if (errorCode(error) === undefined) throw error;
  return `it can't be read: ${explainDiskError(error)}`;
}

/** Lower case only, because on some disks `Ab` and `ab` are one folder. Such a name has no `~`. */
const PLAIN = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/**
 * The name of a log in the store: the session's id if it is harmless, as agents' ids are; otherwise a safe variant
 * with a hash, so that no two ids share a folder. A further log with the same id has its hash at the end.
 */
export function folderNameOf({ agent, id, copy }: LogKey): string {
  const isPlain = PLAIN.test(id) && safeName(id, 100) === id;
  const name = isPlain ? id : `${safeName(id, 60)}~${digestOf(`${agent}\0${id}`, 16)}`;
  return copy === null ? name : `${name}~${copy}`;
}

const COPY_DIGITS = 12;

/** Distinguishes logs with the same id: a hash of the path at which the log was first archived. */
export function copyHash(root: string | null, path: string, attempt = 0): string {
  return digestOf(`${root ?? ""}\0${path}${attempt === 0 ? "" : `\0${attempt}`}`, COPY_DIGITS);
}

function isCopyHash(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}

/** The copies of a session that have an entry in a folder of the store whose names come from `folderNameOf`. */
export function copiesNamed(session: SessionName, names: Iterable<string>): readonly LogKey[] {
  const first: LogKey = { agent: session.agent, id: session.id, copy: null };
  const base = folderNameOf(first);
  const found: LogKey[] = [];
  for (const name of names) {
    const copy = name.startsWith(`${base}~`) ? name.slice(base.length + 1) : "";
    if (name === base) found.unshift(first);
    else if (isCopyHash(copy)) found.push({ ...first, copy });
  }
  return found;
}

/** The folder of a log's generations. */
export function sessionFolder(raw: string, key: LogKey): string {
  return join(raw, key.agent, folderNameOf(key));
}

/** The first digits of a hash of a log's name: ids alone share prefixes, and two agents may share an id. */
export function hashOfName({ agent, id, copy }: LogKey, digits: number): string {
  return digestOf(copy === null ? `${agent}\0${id}` : `${agent}\0${id}\0${copy}`, digits);
}

function digestOf(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
