import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import type { SessionName } from "../../core/archive/archive-store.ts";
import type { FlatContent } from "../../core/shrink/flat-marker.ts";
import { compress, hashOf, unpack } from "../archive/chunk.ts";
import { folderNameOf } from "../archive/session-folder.ts";
import type { Disk } from "../disk.ts";
import { removeQuietly } from "../lock-record.ts";
import { makeFolders } from "../make-folders.ts";
import { replaceFile } from "../replace-file.ts";

/*
 *   flat/<agent>/<session>.flat           packed blocks, one after the other; the index; its length and hash
 *   flat/<agent>/<session>.flat.new       the same, left by a killed run of an earlier version
 *   flat/<agent>/<session>.flat.damaged   one whose index can't be read and that no log needs any more
 */

/** What was moved out of one place of a log: its exact bytes, which are JSON. */
export interface FlatBlock extends Omit<FlatContent, "file"> {
  readonly file: string | null;
  readonly isCopy: boolean;
  /** Where it lies in the file, how long it is there and unpacked, and the hash of what is unpacked. */
  readonly offset: number;
  readonly stored: number;
  readonly length: number;
  readonly sha256: string;
}

/** A line of the flattened log, and what is to be put back into it. */
export interface SidecarLine {
  /** Where it stood when it was flattened. */
  readonly offset: number;
  readonly sha256: string;
  readonly spans: readonly { readonly at: number; readonly length: number; readonly block: number }[];
}

export interface SidecarIndex {
  readonly version: number;
  readonly agent: string;
  readonly id: string;
  readonly path: string;
  /** The rule by which blocks were moved. */
  readonly minBytes: number;
  readonly copies: boolean;
  /** The log as it would be with everything put back, when it was last flattened. */
  readonly original: { readonly size: number; readonly sha256: string };
  readonly lines: readonly SidecarLine[];
  readonly blocks: readonly FlatBlock[];
}

export const SIDECAR_VERSION = 1;
export const FOOTER_BYTES = 48;
const MAGIC = Buffer.from("SESSFLT1");

export function sidecarPath(flat: string, session: SessionName): string {
  return join(flat, session.agent, `${folderNameOf(session)}.flat`);
}

/** Where earlier versions wrote a sidecar before they replaced the log. */
export function pendingPath(path: string): string {
  return `${path}.new`;
}

/** Where a sidecar goes whose index can't be read, once no log needs it. */
export function damagedPath(path: string): string {
  return `${path}.damaged`;
}

/** Makes a pending sidecar the session's sidecar. */
export function adoptSidecar(disk: Disk, path: string): void {
  disk.rename(pendingPath(path), path);
  disk.fsyncFolder(dirname(path));
}

export function removeSidecar(disk: Disk, path: string): void {
  removeQuietly(disk, path);
  disk.fsyncFolder(dirname(path));
}

/** Collects what is moved out of a log. */
export interface SidecarBuilder {
  /** A block's bytes; gives its number. */
  add(raw: Uint8Array, about: Pick<FlatBlock, "file" | "isCopy"> & Omit<FlatContent, "file">): number;
  /** A block of an earlier sidecar, as it is packed there. */
  take(packed: Buffer, block: FlatBlock): number;
  line(line: SidecarLine): void;
  readonly lines: readonly SidecarLine[];
  readonly blocks: readonly FlatBlock[];
  /** Replaces the sidecar that there may be. Durable when it returns. */
  write(disk: Disk, path: string, head: Omit<SidecarIndex, "lines" | "blocks" | "version">): void;
}

export function createSidecar(): SidecarBuilder {
  const packed: Buffer[] = [];
  const blocks: FlatBlock[] = [];
  const lines: SidecarLine[] = [];
  let offset = 0;
  const put = (bytes: Buffer, block: Omit<FlatBlock, "offset" | "stored">): number => {
    blocks.push({ ...block, offset, stored: bytes.length });
    packed.push(bytes);
    offset += bytes.length;
    return blocks.length - 1;
  };
  return {
    lines,
    blocks,
    add(raw, about) {
      const bytes = compress(raw);
      // It is about to leave the log: what was packed must be what comes out.
      if (!unpack(bytes, raw.length).equals(raw))
        throw new Error("brotli did not give back what it was given");
      return put(bytes, { ...about, length: raw.length, sha256: hashOf(raw) });
    },
    take: (bytes, block) => put(bytes, block),
    line: (line) => void lines.push(line),
    write(disk, path, head) {
      const index = Buffer.from(JSON.stringify({ version: SIDECAR_VERSION, ...head, lines, blocks }));
      const footer = Buffer.alloc(FOOTER_BYTES);
      footer.writeBigUInt64LE(BigInt(index.length), 0);
      footer.write(hashOf(index), 8, 32, "hex");
      MAGIC.copy(footer, 40);
      makeFolders(disk, dirname(path));
      replaceFile(disk, path, [...packed, index, footer]);
    },
  };
}

export function hasMagic(footer: Buffer): boolean {
  return footer.length === FOOTER_BYTES && footer.subarray(40).equals(MAGIC);
}
