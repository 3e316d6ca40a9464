import { dirname } from "node:path";
import { type LogSnapshot, takeSnapshot } from "../agents/log-snapshot.ts";
import { diskError } from "../fs/disk-error.ts";
import { makeFolders } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { removeQuietly } from "../fs/lock.ts";
import { tempPathFor, writeTempFile } from "../fs/replace-file.ts";

/**
 * Writes a log that has no place of its own into a temp file beside a sidecar while it is needed: it may be generated
 * only once, and does not fit into memory. If the run is killed, the next holder of the store's lock removes the file.
 */
export async function withDraft<T>(
  { disk }: Pick<Library, "disk">,
  sidecar: string,
  content: Iterable<Uint8Array>,
  use: (draft: LogSnapshot) => T | Promise<T>,
): Promise<T> {
  const path = tempPathFor(sidecar);
  try {
    makeFolders(disk, dirname(sidecar));
    writeTempFile(disk, sidecar, content, { mode: 0o600, path });
    return await use(takeSnapshot({ disk }, path));
  } catch (error) {
    throw diskError("write", sidecar, error);
  } finally {
    removeQuietly(disk, path);
  }
}
