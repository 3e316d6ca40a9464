import { Buffer } from "node:buffer";
import { ArchiveDamage } from "../../core/archive/archive-damage.ts";
import { exitCodes, UserError } from "../../core/errors.ts";
import { hashOf, unpack } from "../archive/chunk.ts";
import { readFields, senseless } from "../archive/field-reader.ts";
import type { Disk } from "../disk.ts";
import { type FlatBlock, FOOTER_BYTES, hasMagic, SIDECAR_VERSION, type SidecarIndex } from "./sidecar.ts";

export interface Sidecar {
  readonly path: string;
  readonly index: SidecarIndex;
  /** As it is packed. */
  packed(block: FlatBlock): Buffer;
  /** Its exact bytes, proven. Throws `ArchiveDamage`. */
  read(block: FlatBlock): Buffer;
}

/** undefined where the session is not flattened. A sidecar that can't be read is a UserError: nothing may be lost. */
export function openSidecar(disk: Disk, path: string): Sidecar | undefined {
  const stat = disk.stat(path);
  if (stat === undefined) return undefined;
  try {
    const index = readIndex(disk, path, stat.size);
    const packed = (block: FlatBlock): Buffer =>
      readRange(disk, path, block.offset, block.offset + block.stored);
    return {
      path,
      index,
      packed,
      read: (block) => {
        let bytes: Buffer;
        try {
          bytes = unpack(packed(block), block.length);
        } catch (error) {
          throw new ArchiveDamage("a block of the sidecar can't be unpacked", { cause: error });
        }
        if (hashOf(bytes) !== block.sha256)
          throw new ArchiveDamage("a block of the sidecar is not what was put in");
        return bytes;
      },
    };
  } catch (error) {
    if (!(error instanceof ArchiveDamage)) throw error;
    throw new UserError(`Cannot use the sidecar ${JSON.stringify(path)}: ${error.what}`, {
      exitCode: exitCodes.broken,
      hint: "the archive has every byte: `sessions restore ID --generation N`",
      cause: error,
    });
  }
}

function readIndex(disk: Disk, path: string, size: number): SidecarIndex {
  const footer = readRange(disk, path, Math.max(0, size - FOOTER_BYTES), size);
  if (!hasMagic(footer)) throw new ArchiveDamage("it has no end that this program knows");
  const length = Number(footer.readBigUInt64LE(0));
  if (length > size - FOOTER_BYTES) throw new ArchiveDamage("its end makes no sense");
  const bytes = readRange(disk, path, size - FOOTER_BYTES - length, size - FOOTER_BYTES);
  if (hashOf(bytes) !== footer.toString("hex", 8, 40))
    throw new ArchiveDamage("its index is not what was written");
  const value: unknown = JSON.parse(bytes.toString("utf8"));
  // The hash has proven it: this program wrote it.
  if (readFields(value).count("version") !== SIDECAR_VERSION) senseless("version");
  return value as SidecarIndex;
}

function readRange(disk: Disk, path: string, from: number, to: number): Buffer {
  // Chunks share one buffer: each is copied before the next is asked for.
  const bytes = Buffer.concat(Array.from(disk.readChunks(path, { from, to }), (chunk) => Buffer.from(chunk)));
  if (bytes.length !== to - from) throw new ArchiveDamage("it is shorter than it should be");
  return bytes;
}
