import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { exitCodes, UserError } from "../errors.ts";
import { makeFolders, namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";

/** The file that marks a folder as a site of this program, and lists the site's own files. */
export const MARKER = "sessions-site.json";

export interface Marker {
  readonly site: 1;
  /** False while it is being written. */
  readonly isComplete: boolean;
  readonly files: readonly string[];
  /** How many documents its index has. */
  readonly turns: number;
}

const MAX_MARKER_BYTES = 64 * 1024 * 1024;

/** The only paths that a site has: a marker that was tampered with must not name others for removal. */
const ownPath =
  /^(?:index\.html|site(?:-[0-9a-f]{12})?\.(?:js|css)|data\/(?:index|sessions)(?:-[0-9a-f]{12})?\.js|sessions\/[0-9a-f]{20}\.html|data\/texts\/[0-9a-f]{20}(?:-[0-9a-f]{12})?\.js)$/;

/** The marker of an earlier run; undefined if the folder is new or empty. Any other folder is refused. */
export function readMarker({ disk }: Library, folder: string): Marker | undefined {
  const kind = disk.stat(folder)?.kind;
  if (kind === undefined) return undefined;
  if (kind !== "folder") throw refuseSite(folder, "it is not a folder");
  const names = namesIn(disk, folder);
  if (names.length === 0) return undefined;
  if (!names.includes(MARKER))
    throw refuseSite(folder, "it has files that do not belong to a site of this program");
  try {
    const text = disk.readFile(join(folder, MARKER), MAX_MARKER_BYTES)?.toString("utf8") ?? "";
    const marker: Partial<Marker> = JSON.parse(text);
    if (marker.site === 1 && Array.isArray(marker.files)) {
      const files = marker.files.filter((path) => typeof path === "string" && ownPath.test(path));
      return { site: 1, isComplete: marker.isComplete === true, files, turns: marker.turns ?? 0 };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw refuseSite(folder, `its ${MARKER} cannot be read`);
}

/** Refuses to write over files that are not part of a site. */
export function checkForeign(
  { disk }: Library,
  folder: string,
  planned: readonly string[],
  before: Marker | undefined,
): void {
  const own = new Set(before?.files);
  for (const name of ["data", "data/texts", "sessions"]) {
    const kind = disk.lstat(join(folder, name))?.kind;
    if (kind !== undefined && kind !== "folder") throw refuseSite(join(folder, name), "it is not a folder");
  }
  for (const path of planned) {
    const there = disk.lstat(join(folder, path));
    if (there !== undefined && (there.kind !== "file" || !own.has(path)))
      throw refuseSite(join(folder, path), "it does not belong to this site");
  }
}

export function refuseSite(path: string, why: string): UserError {
  return new UserError(`Cannot write the site to ${JSON.stringify(path)}: ${why}`, {
    exitCode: exitCodes.refused,
    hint: `name a new folder; ${JSON.stringify(dirname(path))} may hold it`,
  });
}

/** The folder of a site during writing. */
export interface SiteFolder {
  mark(marker: Marker): void;
  has(path: string): boolean;
  read(path: string): string | undefined;
  write(path: string, content: string | Uint8Array | Iterable<Uint8Array>): void;
  remove(path: string): void;
  /** The bytes that were written. */
  bytes(): number;
}

const MAX_DATA_BYTES = 1024 * 1024 * 1024;

export function openSiteFolder({ disk, now }: Library, folder: string): SiteFolder {
  let bytes = 0;
  for (const name of ["", "data", "data/texts", "sessions"]) {
    makeFolders(disk, join(folder, name));
    // Leftovers of a killed run at this place would not be found otherwise.
    sweepTempFiles(disk, join(folder, name), { now: now() });
  }
  return {
    mark: (marker) => void replaceFile(disk, join(folder, MARKER), `${JSON.stringify(marker)}\n`),
    has: (path) => disk.lstat(join(folder, path))?.kind === "file",
    read: (path) => {
      const found = disk.lstat(join(folder, path))?.kind === "file";
      return found ? disk.readFile(join(folder, path), MAX_DATA_BYTES)?.toString("utf8") : undefined;
    },
    write(path, content) {
      const given = typeof content === "string" ? Buffer.from(content) : content;
      const done = replaceFile(disk, join(folder, path), given);
      if (done.kind === "done") bytes += done.file.size;
    },
    remove(path) {
      if (disk.lstat(join(folder, path))?.kind === "file") disk.unlink(join(folder, path));
    },
    bytes: () => bytes,
  };
}
