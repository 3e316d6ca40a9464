import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { compress, unpack } from "../archive/raw/chunk.ts";
import { copiesNamed, folderNameOf } from "../archive/raw/generations.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import { makeFolders, namesIn } from "../fs/folders.ts";
import type { Library } from "../fs/library.ts";
import { removeQuietly } from "../fs/lock.ts";
import { replaceFile } from "../fs/replace-file.ts";
import { createPackedList } from "../jsonl/packed-list.ts";
import { inBatches } from "../render/text-parts.ts";
import type { FlatContent } from "../session/flat-marker.ts";
import type { LogKey, SessionName } from "../session/session.ts";
import type { FlattenPlan } from "./plan-flatten.ts";
import { changedMeanwhile } from "./refuse-live.ts";

/*
 *   flat/<agent>/<session>.flat           packed blocks, one after the other; the index; its length and hash
 *   flat/<agent>/<session>.flat.new       the same, left by a killed run of an earlier version
 *   flat/<agent>/<session>.flat.damaged   one whose index can't be read and that no log needs any more
 */

/** A value that was moved out of a log: its exact bytes, which are JSON. */
export interface FlatBlock extends Omit<FlatContent, "file"> {
  readonly file: string | null;
  readonly isCopy: boolean;
  /** Its position in the file, its packed and unpacked length, and the hash of its unpacked bytes. */
  readonly offset: number;
  readonly stored: number;
  readonly length: number;
  readonly sha256: string;
  /** Of a block longer than `PIECE_BYTES`: how long each of its pieces is in the file. They are packed one by one. */
  readonly pieces?: readonly number[];
}

/** A line of the flattened log, and the blocks to put back into it. */
export interface SidecarLine {
  /** Its offset when it was flattened. */
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
  /** The log with everything put back, as it was when it was last flattened. */
  readonly original: { readonly size: number; readonly sha256: string };
  readonly lines: readonly SidecarLine[];
  readonly blocks: readonly FlatBlock[];
}

/** Format versions: the second has blocks in pieces; a sidecar without such blocks is written as the first. */
export const SIDECAR_VERSIONS: readonly number[] = [1, 2];
/** Size of the pieces that a long block is packed in, so that it is never held whole. */
export const PIECE_BYTES: number = 1024 * 1024;
export const FOOTER_BYTES = 48;
const MAGIC = Buffer.from("SESSFLT1");

export function sidecarPath(flat: string, session: LogKey): string {
  return join(flat, session.agent, `${folderNameOf(session)}.flat`);
}

/** The logs with this id that have a sidecar. */
export function flattenedLogs(
  { disk, places }: Pick<Library, "disk" | "places">,
  session: SessionName,
): readonly LogKey[] {
  const names = namesIn(disk, join(places.flat, session.agent));
  return copiesNamed(
    session,
    names.flatMap((name) => (name.endsWith(".flat") ? [name.slice(0, -".flat".length)] : [])),
  );
}

/** Where earlier versions wrote a sidecar before they replaced the log. */
export function pendingPath(path: string): string {
  return `${path}.new`;
}

/** Where a sidecar with an unreadable index is moved, once no log needs it. */
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

/** A block that is not written yet. */
export type NewBlock = Omit<FlatBlock, "offset" | "stored" | "pieces">;

/** Yields bytes in parts when they are written. Each part is valid until the next is requested. */
type ReadParts = () => Iterable<Uint8Array>;

/** The source of a block's bytes until they are written: a range of the log, or a function. */
export type BlockSource = { readonly from: number; readonly to: number } | ReadParts;

/** Thrown if the log has changed since the plan was made. */
class BlockChanged extends Error {}

/** Collects the blocks that are moved out of a log. Their bytes are read only by `write`, block by block. */
export interface SidecarBuilder {
  /** A block of the log; returns its number. */
  add(block: NewBlock, source: BlockSource): number;
  /** A block of an earlier sidecar, with its pieces as they are packed there. */
  take(block: FlatBlock, packed: ReadParts): number;
  line(line: SidecarLine): void;
  readonly isEmpty: boolean;
  /** The blocks added so far. */
  blocks(): readonly NewBlock[];
  lines(): readonly SidecarLine[];
  /**
   * Writes the sidecar, replacing an existing one, and frees everything; call it once. Durable when it returns. Throws
   * `BlockChanged` if a block has changed.
   */
  write(disk: Disk, path: string, head: IndexHead): void;
  /** Frees everything without writing. */
  clear(): void;
}

type IndexHead = Omit<SidecarIndex, "lines" | "blocks" | "version">;

/** `readLog` reads a part of the log that blocks are moved out of. */
export function createSidecar(readLog: (from: number, to: number) => Iterable<Uint8Array>): SidecarBuilder {
  const blocks = createPackedList();
  const lines = createPackedList();
  /** The place of a block in the log; for others, how to read them, as they are or packed. */
  const places: number[] = [];
  const others = new Map<number, { readonly read: ReadParts; readonly isPacked: boolean }>();
  const put = (block: NewBlock, from: number, to: number): number => {
    blocks.add(Buffer.from(JSON.stringify(block)));
    places.push(from, to);
    return blocks.length - 1;
  };
  const packedAt = (number: number, { length, sha256 }: NewBlock): Iterable<Uint8Array> => {
    const other = others.get(number);
    if (other?.isPacked === true) return other.read();
    const raw = other?.read() ?? readLog(places[2 * number] ?? 0, places[2 * number + 1] ?? 0);
    return packedPieces(raw, length, sha256);
  };
  const clear = (): void => {
    blocks.clear();
    lines.clear();
    places.length = 0;
    others.clear();
  };
  return {
    add(block, source) {
      if (typeof source !== "function") return put(block, source.from, source.to);
      const number = put(block, 0, 0);
      others.set(number, { read: source, isPacked: false });
      return number;
    },
    take({ offset: _offset, stored: _stored, pieces: _pieces, ...block }, packed) {
      const number = put(block, 0, 0);
      others.set(number, { read: packed, isPacked: true });
      return number;
    },
    line: (line) => lines.add(Buffer.from(JSON.stringify(line))),
    get isEmpty() {
      return lines.length === 0;
    },
    blocks: () => Array.from(blocks, parse<NewBlock>),
    lines: () => Array.from(lines, parse<SidecarLine>),
    write(disk, path, head) {
      makeFolders(disk, dirname(path));
      replaceFile(disk, path, contentOf(head, lines, blocks, packedAt));
      clear();
    },
    clear,
  };
}

/** Parses JSON that this builder itself has written. */
function parse<T>(json: Buffer): T {
  return JSON.parse(json.toString("utf8"));
}

/** Packs a block piece by piece, and checks its hash. */
function* packedPieces(
  raw: Iterable<Uint8Array>,
  length: number,
  sha256: string,
): Generator<Buffer, void, void> {
  const hash = createHash("sha256");
  // Most blocks are far shorter: no more memory is allocated than needed.
  for (const piece of inPieces(raw, Math.min(PIECE_BYTES, Math.max(1, length)))) {
    hash.update(piece);
    const packed = compress(piece);
    // The bytes are about to be removed from the log, so the packed form is verified first.
    if (!unpack(packed, piece.length).equals(piece))
      throw new Error("brotli did not give back what it was given");
    yield packed;
  }
  if (hash.digest("hex") !== sha256) throw new BlockChanged("A block has changed");
}

/** The same bytes in pieces of this length; the last one may be shorter. Each is valid until the next is requested. */
function* inPieces(parts: Iterable<Uint8Array>, length: number): Generator<Buffer, void, void> {
  const piece = Buffer.allocUnsafe(length);
  let used = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + length - used);
      piece.set(taken, used);
      used += taken.length;
      at += taken.length;
      if (used < length) continue;
      yield piece;
      used = 0;
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}

/** Generates the bytes of a sidecar, in order, while they are written. */
function* contentOf(
  head: IndexHead,
  lines: Iterable<Buffer>,
  blocks: Iterable<Buffer>,
  packedAt: (number: number, block: NewBlock) => Iterable<Uint8Array>,
): Generator<Uint8Array, void, void> {
  /** Where each block begins; the end of the last one. */
  const offsets = [0];
  const cut = new Map<number, readonly number[]>();
  for (const json of blocks) {
    const number = offsets.length - 1;
    const pieces: number[] = [];
    for (const piece of packedAt(number, parse<NewBlock>(json))) {
      pieces.push(piece.length);
      yield piece;
    }
    if (pieces.length > 1) cut.set(number, pieces);
    offsets.push(pieces.reduce((sum, length) => sum + length, offsets[number] ?? 0));
  }
  const version = cut.size > 0 ? 2 : 1;
  const placed = (number: number, json: string): string => {
    const [offset = 0, end = 0] = offsets.slice(number, number + 2);
    const pieces = cut.get(number);
    const place = { offset, stored: end - offset, ...(pieces === undefined ? {} : { pieces }) };
    return JSON.stringify({ ...JSON.parse(json), ...place });
  };
  const hash = createHash("sha256");
  let length = 0;
  for (const text of inBatches(indexLines({ version, ...head }, lines, blocks, placed))) {
    const part = Buffer.from(text);
    hash.update(part);
    length += part.length;
    yield part;
  }
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.writeBigUInt64LE(BigInt(length), 0);
  footer.write(hash.digest("hex"), 8, 32, "hex");
  MAGIC.copy(footer, 40);
  yield footer;
}

/*
 * The index is one JSON value. Its lists are written with an entry on each line, so that it can be read entry by entry:
 * of a long log all of it would not fit into memory at once.
 */
export const LINES_BEGIN = ',"lines":[';
export const BLOCKS_BEGIN = '],"blocks":[';
export const INDEX_END = "]}";

function* indexLines(
  head: object,
  lines: Iterable<Buffer>,
  blocks: Iterable<Buffer>,
  placed: (number: number, json: string) => string,
): Generator<string, void, void> {
  yield `${JSON.stringify(head).slice(0, -1)}${LINES_BEGIN}`;
  yield* entries(lines, (_, json) => json);
  yield `\n${BLOCKS_BEGIN}`;
  yield* entries(blocks, placed);
  yield `\n${INDEX_END}`;
}

function* entries(
  list: Iterable<Buffer>,
  write: (number: number, json: string) => string,
): Generator<string, void, void> {
  let number = 0;
  for (const json of list) {
    yield `${number === 0 ? "" : ","}\n${write(number, json.toString("utf8"))}`;
    number++;
  }
}

export function hasMagic(footer: Buffer): boolean {
  return footer.length === FOOTER_BYTES && footer.subarray(40).equals(MAGIC);
}

/**
 * Writes a session's sidecar, durably, before the log is replaced: at every moment what is not in the log is in the
 * sidecar. It also contains everything its predecessor had, so it fits the old log as well.
 */
export function writeSidecar(
  { disk, places }: Library,
  session: LogKey,
  path: string,
  { builder, original, rule }: Pick<FlattenPlan, "builder" | "original" | "rule">,
): string {
  const { agent, id } = session;
  const flat = sidecarPath(places.flat, session);
  try {
    builder.write(disk, flat, { agent, id, path, ...rule, original });
  } catch (error) {
    throw error instanceof BlockChanged ? changedMeanwhile(id) : error;
  }
  return flat;
}

interface LogBefore {
  readonly path: string;
  /** undefined: there was no log. */
  readonly inode: number | undefined;
}

/**
 * Writes a sidecar, then replaces the log. If that fails, the sidecar is removed only if it is new and the log is
 * certainly still the old one: the failure may have come after the log was replaced.
 */
export async function withSidecar<T>(
  { disk }: Library,
  log: LogBefore,
  write: { readonly isNew: boolean; readonly sidecar: () => string; readonly log: () => T | Promise<T> },
): Promise<T> {
  const flat = write.sidecar();
  try {
    return await write.log();
  } catch (error) {
    if (write.isNew && isUntouched()) removeIfPossible(flat);
    throw error;
  }

  function isUntouched(): boolean {
    try {
      return disk.stat(log.path)?.inode === log.inode;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return false;
    }
  }

  function removeIfPossible(path: string): void {
    try {
      removeSidecar(disk, path);
    } catch (error) {
      // A superfluous sidecar does no harm; the user should see the original error.
      if (errorCode(error) === undefined) throw error;
    }
  }
}
