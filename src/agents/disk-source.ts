import { Buffer } from "node:buffer";
import { UserError } from "../errors.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode, explainDiskError } from "../fs/disk-error.ts";
import { peekOn } from "../fs/sources.ts";
import type { ByteSource } from "./byte-source.ts";
import { reasonOf } from "./isolate.ts";

const CHUNK_BYTES = 256 * 1024;

/** The agent's own files. One buffer serves all of them, so only one file may be read at a time. */
export function diskSource(disk: Disk): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  return {
    chunks: (path) => disk.readChunks(path, { buffer }),
    text: (path, maxBytes) => {
      try {
        return disk.readFile(path, maxBytes)?.toString("utf8");
      } catch (error) {
        // A UserError says that it is too long.
        if (errorCode(error) === undefined && !(error instanceof UserError)) throw error;
        return undefined;
      }
    },
    head: peekOn(disk),
    explain: (error) => (errorCode(error) === undefined ? reasonOf(error) : explainDiskError(error)),
  };
}
