import { Buffer } from "node:buffer";
import { ArchiveDamage } from "../../core/archive/archive-damage.ts";
import { scanJson } from "../../core/text/json-spans.ts";
import { hashOf, unpack } from "../archive/chunk.ts";
import { readFields, senseless } from "../archive/field-reader.ts";
import type { Disk } from "../disk.ts";
import { diskError, errorCode, explainDiskError } from "../disk-error.ts";
import {
  type FlatBlock,
  FOOTER_BYTES,
  hasMagic,
  SIDECAR_VERSION,
  type SidecarIndex,
  type SidecarLine,
} from "./sidecar.ts";

export interface Sidecar {
  readonly path: string;
  /** If the index is damaged: the blocks that could be found in it, and no lines. */
  readonly index: SidecarIndex;
  /** What is wrong with the index; null if it is whole. A block may be damaged in either case. */
  readonly damage: string | null;
  /** A block as it is stored. Throws `ArchiveDamage`. */
  packed(block: FlatBlock): Buffer;
  /** The exact bytes of a block, proven by their hash. Throws `ArchiveDamage`. */
  read(block: FlatBlock): Buffer;
}

/** Opens a sidecar, however damaged it is; undefined if there is none. Throws a UserError if the disk refuses it. */
export function openSidecar(disk: Disk, path: string): Sidecar | undefined {
  const stat = disk.stat(path);
  if (stat === undefined) return undefined;
  const { index, damage } = indexOrRemains(disk, path, stat.kind === "file" ? stat.size : undefined);
  const packed = (block: FlatBlock): Buffer => {
    try {
      return readRange(disk, path, block.offset, block.offset + block.stored);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      throw new ArchiveDamage(`a block can't be read: ${explainDiskError(error)}`, { cause: error });
    }
  };
  return {
    path,
    index,
    damage,
    packed,
    read: (block) => {
      const bytes = unpackBlock(packed(block), block);
      if (hashOf(bytes) !== block.sha256)
        throw new ArchiveDamage("a block of the sidecar is not what was put in");
      return bytes;
    },
  };
}

/** Can this block be read? */
export function isReadable(sidecar: Sidecar, block: FlatBlock): boolean {
  try {
    sidecar.read(block);
    return true;
  } catch (error) {
    if (error instanceof ArchiveDamage) return false;
    throw error;
  }
}

function unpackBlock(packed: Buffer, { length }: FlatBlock): Buffer {
  try {
    return unpack(packed, length);
  } catch (error) {
    throw new ArchiveDamage("a block of the sidecar can't be unpacked", { cause: error });
  }
}

function indexOrRemains(
  disk: Disk,
  path: string,
  size: number | undefined,
): Pick<Sidecar, "index" | "damage"> {
  if (size === undefined) return { index: remainsOf([]), damage: "it is no ordinary file" };
  try {
    return { index: readIndex(disk, path, size), damage: null };
  } catch (error) {
    // What the disk refuses now may be readable later: that is no damage.
    if (!(error instanceof ArchiveDamage)) throw diskError("read", path, error);
    return { index: remainsOf(salvageBlocks(disk, path)), damage: error.what };
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
  return toIndex(parseJson(bytes));
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new ArchiveDamage("its index is no JSON", { cause: error });
  }
}

/** The hash says that a program wrote it, not that it was this one. */
function toIndex(value: unknown): SidecarIndex {
  const fields = readFields(value);
  if (fields.count("version") !== SIDECAR_VERSION) senseless("version");
  const blocks = fields.list("blocks").map(toBlock);
  const original = readFields(fields.record("original"));
  return {
    version: SIDECAR_VERSION,
    agent: fields.text("agent"),
    id: fields.text("id"),
    path: fields.text("path"),
    minBytes: fields.number("minBytes"),
    copies: fields.flag("copies"),
    original: { size: original.count("size"), sha256: original.hash("sha256") },
    lines: fields.list("lines").map((line) => toLine(line, blocks.length)),
    blocks,
  };
}

function toLine(value: unknown, blocks: number): SidecarLine {
  const fields = readFields(value);
  const spans = fields.list("spans").map((each) => {
    const span = readFields(each);
    const block = span.count("block");
    if (block >= blocks) senseless("block");
    return { at: span.count("at"), length: span.count("length"), block };
  });
  return { offset: fields.count("offset"), sha256: fields.hash("sha256"), spans };
}

function toBlock(value: unknown): FlatBlock {
  const fields = readFields(value);
  const kind = fields.text("kind");
  if (kind !== "text" && kind !== "image" && kind !== "document") senseless("kind");
  return {
    toolUseId: fields.text("toolUseId"),
    tool: fields.text("tool"),
    file: fields.textOrNull("file"),
    kind,
    mediaType: fields.textOrNull("mediaType"),
    bytes: fields.count("bytes"),
    lines: fields.count("lines"),
    number: fields.count("number"),
    isCopy: fields.flag("isCopy"),
    length: fields.count("length"),
    sha256: fields.hash("sha256"),
    offset: fields.count("offset"),
    stored: fields.count("stored"),
  };
}

const BLOCK_START = Buffer.from('{"toolUseId":');

/**
 * Finds descriptions of blocks in what is left of an index. Each block proves itself by its hash. Entries of lines are
 * not used: they number the blocks, and one that is wrong would put a block where it does not belong.
 */
function salvageBlocks(disk: Disk, path: string): readonly FlatBlock[] {
  const found: FlatBlock[] = [];
  const bytes = fromFirst(disk, path, BLOCK_START);
  for (let at = bytes.indexOf(BLOCK_START); at !== -1; at = bytes.indexOf(BLOCK_START, at + 1)) {
    const span = scanJson(bytes, at);
    if (span === undefined) continue;
    try {
      found.push(toBlock(parseJson(bytes.subarray(span.start, span.end))));
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw error;
    }
  }
  return found;
}

/** The bytes of a file from the first place where `needle` is; none if that is nowhere. */
function fromFirst(disk: Disk, path: string, needle: Buffer): Buffer {
  const kept: Buffer[] = [];
  let tail = Buffer.alloc(0);
  for (const chunk of disk.readChunks(path)) {
    if (kept.length > 0) kept.push(Buffer.from(chunk));
    else {
      const bytes = Buffer.concat([tail, chunk]);
      const at = bytes.indexOf(needle);
      if (at !== -1) kept.push(bytes.subarray(at));
      tail = bytes.subarray(Math.max(0, bytes.length - needle.length + 1));
    }
  }
  return Buffer.concat(kept);
}

function remainsOf(blocks: readonly FlatBlock[]): SidecarIndex {
  return {
    ...{ version: SIDECAR_VERSION, agent: "", id: "", path: "", minBytes: 0, copies: true },
    original: { size: 0, sha256: "" },
    lines: [],
    blocks,
  };
}

function readRange(disk: Disk, path: string, from: number, to: number): Buffer {
  // Chunks share one buffer: each is copied before the next is asked for.
  const bytes = Buffer.concat(Array.from(disk.readChunks(path, { from, to }), (chunk) => Buffer.from(chunk)));
  if (bytes.length !== to - from) throw new ArchiveDamage("it is shorter than it should be");
  return bytes;
}
