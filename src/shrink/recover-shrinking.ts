import { formats } from "../agents/agents.ts";
import { diskSource } from "../agents/disk-source.ts";
import { belowRoots } from "../agents/roots-of-files.ts";
import { finishForgetting } from "../forget.ts";
import type { Library } from "../fs/library.ts";
import { recoverRewrites } from "./recover-rewrites.ts";
import { recoverSidecars } from "./recover-sidecars.ts";

/** Ends what a killed run has begun. To be called first by whoever writes, with the store's lock held. */
export function recoverShrinking(library: Library): void {
  finishForgetting(library);
  recoverRewrites(library.disk, library.places.rewrites, (path) => isLog(library, path));
  recoverSidecars(library);
}

/** Below a folder of logs, or by its content: a log that a user named by its path may be anywhere. */
function isLog(library: Library, path: string): boolean {
  if (library.disk.stat(path)?.kind !== "file") return false;
  return belowRoots(library)(path) || formats.some(({ owns }) => owns(diskSource(library.disk).head(path)));
}
