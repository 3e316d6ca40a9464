import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { belowRoots, isStrayLink } from "../agents/roots-of-files.ts";
import type { Disk, FileStat } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import type { KeptFile, KeptSession } from "./archive-store.ts";
import { inBlocks, rehomed, type SessionMove } from "./rehome-session.ts";
import { type PlaceOptions, restorePlace } from "./restore-place.ts";

/** What stands where a file is to be restored to. */
export type Standing =
  | { readonly kind: "absent" }
  | { readonly kind: "identical"; readonly stat: FileStat }
  /** It begins with what is archived and goes on: nothing of the archive is missing there. */
  | { readonly kind: "grown"; readonly stat: FileStat }
  | { readonly kind: "different"; readonly stat: FileStat }
  /** A folder, or something else that is no file; a link that leads to nothing, or out of all folders of logs. */
  | { readonly kind: "blocked" };

/** One file of a restore. */
export interface PlannedFile {
  readonly file: KeptFile;
  readonly target: string;
  readonly size: number;
  /** How many strings in its lines are changed on the way into another project. */
  readonly changes: number;
  readonly standing: Standing;
  /** Its bytes, from the beginning. Throws `ArchiveDamage`. */
  content(): Iterable<Uint8Array>;
}

const BLOCK_BYTES = 256 * 1024;

/** Says what a restore of one file will do, and does nothing. Throws `ArchiveDamage` where that must be read for it. */
export function planFile(
  library: Library,
  kept: KeptSession,
  file: KeptFile,
  move: SessionMove | undefined,
  options: PlaceOptions,
): PlannedFile {
  const target = restorePlace(library, kept.agent, file, options);
  if (move === undefined) {
    const { size, sha256 } = file;
    const standing = standingAt(library, target, size, sha256);
    return { file, target, size, changes: 0, standing, content: () => kept.read(file) };
  }
  const content = (): Iterable<Uint8Array> =>
    inBlocks(rehomed(kept, file, move), Buffer.allocUnsafeSlow(BLOCK_BYTES));
  const hash = createHash("sha256");
  let size = 0;
  let changes = 0;
  for (const part of rehomed(kept, file, move, () => changes++)) {
    hash.update(part);
    size += part.length;
  }
  const standing = standingAt(library, target, size, hash.digest("hex"));
  return { file, target, size, changes, standing, content };
}

function standingAt(library: Library, target: string, size: number, sha256: string): Standing {
  const { disk } = library;
  // A link would be written through, to wherever it leads.
  if (isStrayLink(library, target, belowRoots(library))) return { kind: "blocked" };
  const stat = disk.stat(target);
  if (stat === undefined) return { kind: "absent" };
  if (stat.kind !== "file") return { kind: "blocked" };
  if (stat.size < size || hashOfStart(disk, target, size) !== sha256) return { kind: "different", stat };
  return { kind: stat.size === size ? "identical" : "grown", stat };
}

function hashOfStart(disk: Disk, path: string, bytes: number): string {
  const hash = createHash("sha256");
  for (const chunk of disk.readChunks(path, { to: bytes })) hash.update(chunk);
  return hash.digest("hex");
}
