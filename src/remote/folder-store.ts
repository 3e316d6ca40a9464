import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import type { Disk } from "../fs/disk.ts";
import { errorCode, explainDiskError, isAbsent } from "../fs/disk-error.ts";
import { entriesIn, makeFolders } from "../fs/folders.ts";
import { removeQuietly } from "../fs/lock.ts";
import { isTempName, replaceFile, tempPathFor } from "../fs/replace-file.ts";
import { sweepTempFiles } from "../fs/sweep-temp-files.ts";
import { isObjectName, type ListedObject, type ObjectStore, unreachable } from "./object-store.ts";

/**
 * Objects as files below a folder that other machines see: a network drive, a synchronized folder, a disk. The folder
 * must exist: if a drive is not mounted, nothing may be written into its empty mount point. Files get the permissions
 * of the folder, because the same person may be another user on another machine.
 */
export function openFolderStore(disk: Disk, folder: string): ObjectStore {
  const reach = <T>(work: () => T): T => {
    try {
      if (disk.stat(folder)?.kind === "folder") return work();
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      throw unreachable(folder, explainDiskError(error), error);
    }
    const hint = "if it is on a drive, connect that, and run this again; nothing is lost";
    throw unreachable(folder, "there is no such folder", undefined, hint);
  };
  const pathOf = (name: string): string => {
    if (!isObjectName(name)) throw new Error(`not the name of an object: ${JSON.stringify(name)}`);
    return join(folder, ...name.split("/"));
  };
  return {
    place: folder,
    async put(name, bytes) {
      return reach(() => {
        const mode = disk.stat(folder)?.mode ?? 0o700;
        makeFoldersLike(disk, folder, dirname(pathOf(name)), mode);
        // Nothing is written through a link that another program put there.
        if (!isWithoutLinks(disk, folder, name)) return false;
        const options = { exclusive: true, mode: (mode & 0o666) | 0o600 };
        return replaceFile(disk, pathOf(name), bytes, options).kind === "done";
      });
    },
    async get(name, maxBytes) {
      return reach(() => {
        try {
          const kind = disk.stat(pathOf(name))?.kind;
          // A pipe, a device or a folder in its place is a damaged object.
          if (kind !== undefined && kind !== "file") return Buffer.alloc(0);
          return Buffer.from(disk.readHead(pathOf(name), maxBytes + 1));
        } catch (error) {
          if (isAbsent(error)) return undefined;
          throw error;
        }
      });
    },
    async list(prefix) {
      return reach(() => {
        const found: ListedObject[] = [];
        const walk = (path: string, name: string): void => {
          for (const entry of entriesIn(disk, path)) {
            const inner = name === "" ? entry.name : `${name}/${entry.name}`;
            const mayMatch = inner.startsWith(prefix) || prefix.startsWith(`${inner}/`);
            if (!mayMatch || isTempName(entry.name)) continue;
            if (entry.kind === "folder") walk(join(path, entry.name), inner);
            else if (entry.kind === "file" && inner.startsWith(prefix) && isObjectName(inner)) {
              const stat = disk.stat(join(path, entry.name));
              if (stat === undefined) continue;
              // A file that a syncing program brings has the mtime of another machine, and may have been in transit for long.
              const storedAt = Math.max(stat.mtimeMs, stat.ctimeMs);
              found.push({ name: inner, bytes: stat.size, storedAt });
            }
          }
        };
        walk(folder, "");
        return found;
      });
    },
    async delete(name) {
      reach(() => removeQuietly(disk, pathOf(name)));
    },
    async now() {
      return reach(() => {
        // The clock of the machine that has the disk, as far as the system reports it.
        const probe = tempPathFor(join(folder, "x"));
        disk.close(disk.open(probe, "create", 0o600));
        const at = disk.stat(probe)?.mtimeMs ?? 0;
        removeQuietly(disk, probe);
        // Left by killed pushes, next to objects and manifests.
        sweepTempFiles(disk, folder, { now: at, depth: 3 });
        return at;
      });
    },
  };
}

/** Creates a folder and its missing parents below `above`, with a mode. */
function makeFoldersLike(disk: Disk, above: string, path: string, mode: number): void {
  if (path === above || disk.stat(path) !== undefined) return;
  makeFoldersLike(disk, above, dirname(path), mode);
  makeFolders(disk, path);
  if (disk.stat(path)?.mode !== mode) disk.chmod(path, mode);
}

function isWithoutLinks(disk: Disk, folder: string, name: string): boolean {
  const parts = name.split("/");
  return parts.every((_, index) => disk.lstat(join(folder, ...parts.slice(0, index + 1)))?.kind !== "link");
}
