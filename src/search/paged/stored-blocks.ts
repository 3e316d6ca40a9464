import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { IndexDamage } from "../../fs/damage.ts";
import type { DocumentKind, FieldTable } from "../ranking/index-schema.ts";
import { type ByteWriter, createByteReader, createByteWriter } from "./bytes.ts";
import type { PagedFile, PagedWriter } from "./paged-file.ts";
import { appendColumn, type ColumnPlace, openColumn } from "./paged-file.ts";

/**
 * Where numbered records (a turn's texts, a session's row) are: in blocks that may be compressed. A block holds whole
 * records and ends with the one that fills it, so reading a record costs one block.
 */
export interface BlocksPlace {
  readonly blocks: number;
  readonly records: number;
  /** Columns with one number per block: its offset, stored length, uncompressed size and first record. */
  readonly offsets: ColumnPlace;
  readonly lengths: ColumnPlace;
  readonly sizes: ColumnPlace;
  readonly firsts: ColumnPlace;
}

/**
 * Deflate at its fastest level: as small as the fastest brotli and read in a third of the time, and a search may read
 * fifty blocks. Blocks are small because a search reads one record of each.
 */
const compression = { level: 1 };

/** A larger size is damage: it must not allocate all memory. */
const MAX_RECORD_BYTES = 1024 * 1024 * 1024;

export interface BlocksWriter {
  /** Bytes that fill a block. */
  readonly blockSize: number;
  /** Copies the record. */
  add(record: Uint8Array): void;
  /** Adds a block as it is in another file. */
  addBlock(compressed: Uint8Array, size: number, records: number): void;
  append(): BlocksPlace;
}

/** `packing` "none" is for records that every search reads. */
export function createBlocksWriter(
  out: PagedWriter,
  blockSize: number,
  packing: "deflate" | "none" = "deflate",
): BlocksWriter {
  const raw = createByteWriter(blockSize * 2);
  const block = createByteWriter(blockSize * 2);
  const recordLengths: number[] = [];
  const offsets: number[] = [];
  const lengths: number[] = [];
  const sizes: number[] = [];
  const firsts: number[] = [];
  let records = 0;

  const addBlock = (compressed: Uint8Array, size: number, count: number): void => {
    offsets.push(out.offset);
    lengths.push(compressed.length);
    sizes.push(size);
    firsts.push(records);
    out.append(compressed);
    records += count;
  };
  const endBlock = (): void => {
    if (recordLengths.length === 0) return;
    block.clear();
    for (const length of recordLengths) block.varint(length);
    block.bytes(raw.view());
    addBlock(pack(block.view()), block.length, recordLengths.length);
    recordLengths.length = 0;
    raw.clear();
  };

  /** Returns the bytes themselves if they do not get smaller: equal lengths tell a reader so. */
  const pack = (bytes: Uint8Array): Uint8Array => {
    const packed = packing === "none" ? bytes : deflateRawSync(bytes, compression);
    return packed.length < bytes.length ? packed : bytes;
  };

  return {
    blockSize,
    add(record) {
      raw.bytes(record);
      recordLengths.push(record.length);
      if (raw.length >= blockSize) endBlock();
    },
    addBlock(compressed, size, count) {
      endBlock();
      addBlock(compressed, size, count);
    },
    append() {
      endBlock();
      return {
        blocks: offsets.length,
        records,
        offsets: appendColumn(out, offsets),
        lengths: appendColumn(out, lengths),
        sizes: appendColumn(out, sizes),
        firsts: appendColumn(out, firsts),
      };
    },
  };
}

interface StoredBlock {
  readonly offset: number;
  readonly length: number;
  /** Uncompressed bytes. */
  readonly size: number;
  /** The first record in it, and how many. */
  readonly first: number;
  readonly count: number;
}

export interface StoredBlocks {
  blocks(): Generator<StoredBlock>;
  compressed(block: StoredBlock): Buffer;
  records(block: StoredBlock): readonly Uint8Array[];
  /** One record by its number. */
  record(number: number): Uint8Array;
}

export function openStoredBlocks(file: PagedFile, place: BlocksPlace): StoredBlocks {
  const { blocks } = place;
  const [offsets, lengths, sizes, firsts] = [place.offsets, place.lengths, place.sizes, place.firsts].map(
    (column) => openColumn(file, column, blocks),
  );
  let last: { readonly first: number; readonly records: readonly Uint8Array[] } | undefined;

  const firstOf = (index: number): number => (index < blocks ? (firsts?.at(index) ?? 0) : place.records);
  const blockAt = (index: number): StoredBlock => {
    const first = firstOf(index);
    return {
      offset: offsets?.at(index) ?? 0,
      length: lengths?.at(index) ?? 0,
      size: sizes?.at(index) ?? 0,
      first,
      count: firstOf(index + 1) - first,
    };
  };
  const compressed = (block: StoredBlock): Buffer => file.read(block.offset, block.length);
  const records = (block: StoredBlock): readonly Uint8Array[] => {
    if (last?.first !== block.first)
      last = { first: block.first, records: openBlock(compressed(block), block) };
    return last.records;
  };

  return {
    *blocks() {
      for (let index = 0; index < blocks; index++) yield blockAt(index);
    },
    compressed,
    records,
    record(number) {
      let low = 0;
      let high = blocks - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (firstOf(middle) > number) high = middle - 1;
        else low = middle;
      }
      const block = blockAt(low);
      const record = number < place.records ? records(block)[number - block.first] : undefined;
      if (record === undefined) throw new IndexDamage("A stored text is missing");
      return record;
    },
  };
}

function openBlock(compressed: Uint8Array, block: StoredBlock): Uint8Array[] {
  if (block.size > MAX_RECORD_BYTES) throw new IndexDamage("A block of stored texts is too large");
  const bytes = decompress(compressed, block.size);
  if (bytes.length !== block.size) throw new IndexDamage("A block of stored texts has a wrong size");
  const reader = createByteReader(bytes);
  const lengths: number[] = [];
  for (let i = 0; i < block.count; i++) lengths.push(reader.varint());
  return lengths.map((length) => reader.bytes(length));
}

/** The smallest chunk that zlib takes. One chunk for the whole result saves a copy. */
const LEAST_CHUNK = 64;

function decompress(compressed: Uint8Array, size: number): Uint8Array {
  if (compressed.length === size) return compressed;
  try {
    const room = Math.max(LEAST_CHUNK, size);
    return inflateRawSync(compressed, { maxOutputLength: room, chunkSize: room });
  } catch (error) {
    throw new IndexDamage("A block of stored texts cannot be decompressed", { cause: error });
  }
}

/** A field whose text is stored, and its index in the table. */
interface StoredField {
  readonly place: number;
  readonly name: string;
}

export function storedFields(fields: FieldTable, kind: DocumentKind, stored: true | "apart"): StoredField[] {
  return fields.flatMap((field, place) =>
    field.kind === kind && field.stored === stored ? [{ place, name: field.name }] : [],
  );
}

/** Encodes the stored texts of a document: field, length, UTF-8, for each. */
export function encodeDocumentText(
  out: ByteWriter,
  kept: readonly StoredField[],
  texts: Readonly<Record<string, string>>,
): void {
  out.clear();
  for (const { place, name } of kept) {
    const text = texts[name];
    if (text === undefined || text === "") continue;
    out.varint(place);
    out.text(text);
  }
}

export function decodeDocumentText(bytes: Uint8Array, fields: FieldTable): Record<string, string> {
  const reader = createByteReader(bytes);
  const texts: Record<string, string> = {};
  while (!reader.atEnd) {
    const name = fields[reader.varint()]?.name ?? "";
    const text = reader.bytes(reader.varint());
    texts[name] = Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8");
  }
  return texts;
}

/** A buffer for `encodeDocumentText`, to be reused. */
export function createTextScratch(): ByteWriter {
  return createByteWriter(64 * 1024);
}
