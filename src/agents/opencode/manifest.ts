import { Buffer } from "node:buffer";
import { join } from "node:path";
import { readCacheFile, writeCacheFile } from "../../fs/cache-file.ts";
import type { Disk } from "../../fs/disk.ts";

/** A record of the logs that were made from a database. */
export interface MirrorManifest {
  /**
   * The state of the database when all logs were written; empty if it may have changed since without a change of its
   * times.
   */
  readonly mark: string;
  readonly sessions: Readonly<Record<string, MirroredSession>>;
  /** The sessions that have no log, because their project is excluded or they are forgotten. Absent: none. */
  readonly leftOut?: { readonly mark: string; readonly ids: readonly string[] };
}

/** A record of the log of one session. */
export interface MirroredSession {
  readonly fingerprint: string;
  /** The sessions above it, outermost first. */
  readonly above: readonly string[];
  /** The size of the log, and its time: another process may have put an older log there. */
  readonly size: number;
  readonly changedAt: number;
}

/** Changes whenever the content of logs changes. */
const VERSION = 1;

export const MANIFEST_NAME = "manifest";

export function readMirrorManifest(disk: Disk, folder: string): MirrorManifest {
  const nothing = { mark: "", sessions: {} };
  const bytes = readCacheFile(disk, join(folder, MANIFEST_NAME));
  if (bytes === undefined) return nothing;
  // The checksum was right, so some version of the program wrote this.
  const { version, ...known }: MirrorManifest & { readonly version: number } = JSON.parse(
    bytes.toString("utf8"),
  );
  return version === VERSION ? known : nothing;
}

export function writeMirrorManifest(disk: Disk, folder: string, manifest: MirrorManifest): void {
  const text = JSON.stringify({ version: VERSION, ...manifest });
  writeCacheFile(disk, join(folder, MANIFEST_NAME), Buffer.from(text));
}

/** The path of a session's log, without its extension. Sub-agents are in a folder named after the outermost session. */
export function pathOfLog(folder: string, id: string, above: readonly string[]): string {
  const [root] = above;
  return root === undefined ? join(folder, id) : join(folder, root, id);
}

export function isLogThere(
  disk: Disk,
  folder: string,
  id: string,
  { above, size, changedAt }: MirroredSession,
): boolean {
  const stat = disk.stat(`${pathOfLog(folder, id, above)}.jsonl`);
  return stat?.size === size && stat.mtimeMs === changedAt;
}
