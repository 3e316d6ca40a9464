import { createHash } from "node:crypto";
import { exitCodes, UserError } from "../../core/errors.ts";
import type { FileMark } from "../../store/disk.ts";
import { diskError } from "../../store/disk-error.ts";
import type { Library } from "../library.ts";

/** A log as it was at one moment: what comes later is not seen. */
export interface LogSnapshot {
  /** As the session names it; links are followed. */
  readonly path: string;
  /** With no link on the way: this is what is replaced. */
  readonly realPath: string;
  readonly mark: FileMark;
  /** Of all bytes, in hex. Reads them, at the first time. */
  sha256(): string;
  /** The bytes from the beginning. Each chunk is valid until the next is asked for. */
  chunks(): Iterable<Uint8Array>;
}

export function takeSnapshot({ disk }: Pick<Library, "disk">, path: string): LogSnapshot {
  const stat = disk.stat(path);
  if (stat === undefined || stat.kind !== "file") {
    throw new UserError(`Cannot rewrite ${JSON.stringify(path)}: there is no such file`, {
      exitCode: exitCodes.refused,
    });
  }
  const { size, mtimeMs, inode } = stat;
  const chunks = (): Iterable<Uint8Array> => disk.readChunks(path, { to: size });
  let known: string | undefined;
  return {
    path,
    realPath: disk.realpath(path),
    mark: { size, mtimeMs, inode },
    chunks,
    sha256: () => {
      if (known !== undefined) return known;
      const hash = createHash("sha256");
      try {
        for (const chunk of chunks()) hash.update(chunk);
      } catch (error) {
        throw diskError("read", path, error);
      }
      known = hash.digest("hex");
      return known;
    },
  };
}
