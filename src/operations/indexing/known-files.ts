import { Buffer } from "node:buffer";
import type { PlacementMemory, SessionFile, SessionFiles } from "../../formats/format.ts";
import { formatOf } from "../../formats/formats.ts";
import { type Disk, sameMark } from "../../store/disk.ts";
import type { Library } from "../library.ts";
import { placedFiles, readLastLook } from "./last-look.ts";
import { bytesOf, type SessionRow } from "./session-row.ts";

/**
 * The files of an indexed session as they were found at the last look: to find them anew, every log on the disk would have
 * to be looked at. undefined where they are not surely those that the session was read from.
 */
export function knownFiles(library: Library, row: SessionRow): SessionFiles | undefined {
  const last = row.origin === "log" ? readLastLook(library) : undefined;
  if (last === undefined) return undefined;
  const placed = new Map(placedFiles(last, row.agent, row.id).map((file) => [file.path, file]));
  const memory: PlacementMemory = {
    recall: ({ path }) => {
      const role = placed.get(path)?.role;
      return role === undefined ? null : { id: row.id, role };
    },
    remember: () => {},
  };
  const [files] = formatOf(row.agent).group([...placed.values()], () => Buffer.alloc(0), memory);
  if (files?.files[0]?.path !== row.lead || files.files.length !== row.files) return undefined;
  return bytesOf(files) === row.bytes && files.files.every((file) => isThere(library.disk, file))
    ? files
    : undefined;
}

function isThere(disk: Disk, file: SessionFile): boolean {
  const stat = disk.stat(file.path);
  return stat !== undefined && sameMark(stat, file);
}
