import { createHash } from "node:crypto";
import { belowRoots, isStrayLink } from "../agents/find-sessions.ts";
import type { Disk, FileStat } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import { whyUnreadable } from "../fs/sources.ts";

/** The present state of the place that a file is to be restored to. */
export type TargetState =
  | { readonly kind: "absent" }
  | { readonly kind: "identical"; readonly stat: FileStat }
  /** It begins with the archived bytes and continues: nothing is missing. */
  | { readonly kind: "grown"; readonly stat: FileStat }
  | { readonly kind: "different"; readonly stat: FileStat }
  /** Not a file, a file that can't be read, or a link that leads nowhere or out of all log folders. */
  | { readonly kind: "blocked" }
  /** The agent's log of the session, packed or unpacked, with other content. */
  | { readonly kind: "packed" };

/** Compares the file at a place with the bytes that are to be restored there. */
export function targetStateAt(library: Library, target: string, size: number, sha256: string): TargetState {
  const { disk } = library;
  // A link would be written through, to wherever it leads.
  if (isStrayLink(library, target, belowRoots(library))) return { kind: "blocked" };
  const stat = disk.stat(target);
  if (stat === undefined) return { kind: "absent" };
  if (stat.kind !== "file") return { kind: "blocked" };
  // It could not be archived before it is replaced.
  if (whyUnreadable(disk, target) !== undefined) return { kind: "blocked" };
  if (stat.size < size || hashOfStart(disk, target, size) !== sha256) return { kind: "different", stat };
  return { kind: stat.size === size ? "identical" : "grown", stat };
}

function hashOfStart(disk: Disk, path: string, bytes: number): string {
  const hash = createHash("sha256");
  for (const chunk of disk.readChunks(path, { to: bytes })) hash.update(chunk);
  return hash.digest("hex");
}
