import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { unpack } from "../archive/raw/chunk.ts";
import { invalidRecord, readFields } from "../archive/raw/sealed-json.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Disk } from "../fs/disk.ts";
import { diskError, errorCode, explainDiskError } from "../fs/disk-error.ts";
import { scanJson } from "../jsonl/json-spans.ts";
import {
  BLOCKS_BEGIN,
  type FlatBlock,
  FOOTER_BYTES,
  hasMagic,
  INDEX_END,
  LINES_BEGIN,
  PIECE_BYTES,
  SIDECAR_VERSIONS,
  type SidecarIndex,
  type SidecarLine,
} from "./sidecar.ts";

/** Where a block is stored, and the hash and length of its content. */
type StoredPlace = Pick<FlatBlock, "offset" | "stored" | "pieces">;
type StoredBlock = StoredPlace & Pick<FlatBlock, "length" | "sha256">;

export interface Sidecar {
  readonly path: string;
  /** If the index is damaged: the blocks that could be found in it, and no lines. */
  readonly index: SidecarIndex;
  /** The damage of the index; null if it is intact. A block may be damaged in either case. */
  readonly damage: string | null;
  /** The pieces of a block as they are stored; most blocks have one. Throws `ArchiveDamage`. */
  packed(block: StoredPlace): Iterable<Buffer>;
  /**
   * The exact bytes of a block, piece by piece. Throws `ArchiveDamage`, at the latest at the end, when the hash is
   * known.
   */
  chunks(block: StoredBlock): Iterable<Buffer>;
  /** The same in one buffer, for short blocks. */
  read(block: FlatBlock): Buffer;
}

/** Opens a sidecar, however damaged it is; undefined if there is none. Throws a UserError if the disk refuses it. */
export function openSidecar(disk: Disk, path: string): Sidecar | undefined {
  const stat = disk.stat(path);
  if (stat === undefined) return undefined;
  const { index, damage } = indexOrRemains(disk, path, stat.kind === "file" ? stat.size : undefined);
  const piece = (from: number, stored: number): Buffer => {
    try {
      return readRange(disk, path, from, from + stored);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      throw new ArchiveDamage(`a block can't be read: ${explainDiskError(error)}`, { cause: error });
    }
  };
  const packed = function* ({ offset, stored, pieces }: StoredPlace): Generator<Buffer, void, void> {
    let from = offset;
    for (const length of pieces ?? [stored]) {
      yield piece(from, length);
      from += length;
    }
  };
  const chunks = function* (block: StoredBlock): Generator<Buffer, void, void> {
    const hash = createHash("sha256");
    let left = block.length;
    for (const stored of packed(block)) {
      const bytes = unpackPiece(stored, block.pieces === undefined ? left : Math.min(left, PIECE_BYTES));
      hash.update(bytes);
      left -= bytes.length;
      yield bytes;
    }
    if (left !== 0 || hash.digest("hex") !== block.sha256)
      throw new ArchiveDamage("a block of the sidecar is not what was put in");
  };
  const read = (block: FlatBlock): Buffer => {
    // A false length is detected before memory is allocated for it.
    if (block.pieces === undefined) return [...chunks(block)][0] ?? Buffer.alloc(0);
    const bytes = Buffer.allocUnsafe(block.length);
    let at = 0;
    for (const chunk of chunks(block)) at += chunk.copy(bytes, at);
    return bytes;
  };
  return { path, index, damage, packed, chunks, read };
}

/** Whether this block can be read. */
export function isReadable(sidecar: Sidecar, block: FlatBlock): boolean {
  try {
    for (const _ of sidecar.chunks(block));
    return true;
  } catch (error) {
    if (error instanceof ArchiveDamage) return false;
    throw error;
  }
}

function unpackPiece(packed: Buffer, length: number): Buffer {
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
  if (size === undefined) return { index: remainsOf([]), damage: "it is not an ordinary file" };
  try {
    return { index: readIndex(disk, path, size), damage: null };
  } catch (error) {
    // A system error is not damage: the file may be readable later.
    if (!(error instanceof ArchiveDamage)) throw diskError("read", path, error);
    return { index: remainsOf(salvageBlocks(disk, path)), damage: error.what };
  }
}

function readIndex(disk: Disk, path: string, size: number): SidecarIndex {
  const footer = readRange(disk, path, Math.max(0, size - FOOTER_BYTES), size);
  if (!hasMagic(footer)) throw new ArchiveDamage("it has no end that this program knows");
  const length = Number(footer.readBigUInt64LE(0));
  if (length > size - FOOTER_BYTES) throw new ArchiveDamage("its end makes no sense");
  const range = { from: size - FOOTER_BYTES - length, to: size - FOOTER_BYTES };
  const hash = createHash("sha256");
  for (const chunk of disk.readChunks(path, range)) hash.update(chunk);
  if (hash.digest("hex") !== footer.toString("hex", 8, 40))
    throw new ArchiveDamage("its index is not what was written");
  return readEntries(linesOf(disk.readChunks(path, range)));
}

/** Reads the index line by line; one of an earlier version has a single line. */
function readEntries(text: Iterable<string>): SidecarIndex {
  let head: unknown;
  const lines: SidecarLine[] = [];
  const blocks: FlatBlock[] = [];
  let list: "lines" | "blocks" | undefined;
  for (const json of text) {
    if (list === undefined) {
      if (!json.endsWith(LINES_BEGIN)) return toIndex(parseJson(json));
      head = parseJson(`${json.slice(0, -LINES_BEGIN.length)}}`);
      list = "lines";
    } else if (json === BLOCKS_BEGIN) list = "blocks";
    else if (json === INDEX_END) break;
    else {
      const entry = parseJson(json.endsWith(",") ? json.slice(0, -1) : json);
      if (list === "lines") lines.push(toLine(entry));
      else blocks.push(toBlock(entry));
    }
  }
  return { ...toHead(head), lines: checked(lines, blocks), blocks };
}

function* linesOf(chunks: Iterable<Buffer>): Generator<string, void, void> {
  let parts: Buffer[] = [];
  for (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
      parts = [];
      from = end + 1;
    }
    // The next chunk uses the same memory.
    if (from < chunk.length) parts.push(Buffer.from(chunk.subarray(from)));
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString("utf8");
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ArchiveDamage("its index is no JSON", { cause: error });
  }
}

/** Checks the index: its hash proves that it is intact, not that this program wrote it. */
function toIndex(value: unknown): SidecarIndex {
  const fields = readFields(value);
  const blocks = fields.list("blocks").map(toBlock);
  return { ...toHead(value), lines: checked(fields.list("lines").map(toLine), blocks), blocks };
}

function toHead(value: unknown): Omit<SidecarIndex, "lines" | "blocks"> {
  const fields = readFields(value);
  const version = fields.count("version");
  if (!SIDECAR_VERSIONS.includes(version)) invalidRecord("version");
  const original = readFields(fields.record("original"));
  return {
    version,
    agent: fields.text("agent"),
    id: fields.text("id"),
    path: fields.text("path"),
    minBytes: fields.number("minBytes"),
    copies: fields.flag("copies"),
    original: { size: original.count("size"), sha256: original.hash("sha256") },
  };
}

function toLine(value: unknown): SidecarLine {
  const fields = readFields(value);
  const spans = fields.list("spans").map((each) => {
    const span = readFields(each);
    return { at: span.count("at"), length: span.count("length"), block: span.count("block") };
  });
  return { offset: fields.count("offset"), sha256: fields.hash("sha256"), spans };
}

/** Accepts only numbers of existing blocks. */
function checked(lines: readonly SidecarLine[], blocks: readonly FlatBlock[]): readonly SidecarLine[] {
  for (const { spans } of lines)
    for (const { block } of spans) if (block >= blocks.length) invalidRecord("block");
  return lines;
}

function toBlock(value: unknown): FlatBlock {
  const fields = readFields(value);
  const kind = fields.text("kind");
  if (kind !== "text" && kind !== "image" && kind !== "document") invalidRecord("kind");
  const length = fields.count("length");
  const stored = fields.count("stored");
  const pieces = fields.has("pieces") ? toPieces(fields.list("pieces"), length, stored) : undefined;
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
    length,
    sha256: fields.hash("sha256"),
    offset: fields.count("offset"),
    stored,
    ...(pieces === undefined ? {} : { pieces }),
  };
}

function toPieces(list: readonly unknown[], length: number, stored: number): readonly number[] {
  let sum = 0;
  const pieces = list.map((piece) => {
    if (typeof piece !== "number" || !(piece > 0)) return invalidRecord("pieces");
    sum += piece;
    return piece;
  });
  if (sum !== stored || pieces.length !== Math.ceil(length / PIECE_BYTES)) invalidRecord("pieces");
  return pieces;
}

const LF = 0x0a;
const BLOCK_START = Buffer.from('{"toolUseId":');

/**
 * Finds descriptions of blocks in a damaged index. Each block is verified by its own hash. Entries of lines are not
 * used: they number the blocks, and a wrong number would put a block where it does not belong.
 */
function salvageBlocks(disk: Disk, path: string): readonly FlatBlock[] {
  const found: FlatBlock[] = [];
  const bytes = fromFirst(disk, path, BLOCK_START);
  for (let at = bytes.indexOf(BLOCK_START); at !== -1; at = bytes.indexOf(BLOCK_START, at + 1)) {
    const span = scanJson(bytes, at);
    if (span === undefined) continue;
    try {
      found.push(toBlock(parseJson(bytes.toString("utf8", span.start, span.end))));
    } catch (error) {
      if (!(error instanceof ArchiveDamage)) throw error;
    }
  }
  return found;
}

/** Reads a file from the first occurrence of `needle`; nothing if there is none. */
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
    version: 1,
    agent: "",
    id: "",
    path: "",
    minBytes: 0,
    copies: true,
    original: { size: 0, sha256: "" },
    lines: [],
    blocks,
  };
}

function readRange(disk: Disk, path: string, from: number, to: number): Buffer {
  // Chunks share one buffer: each is copied before the next is requested.
  const bytes = Buffer.concat(Array.from(disk.readChunks(path, { from, to }), (chunk) => Buffer.from(chunk)));
  if (bytes.length !== to - from) throw new ArchiveDamage("it is shorter than it should be");
  return bytes;
}
