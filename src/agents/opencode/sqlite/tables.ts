import { Buffer } from "node:buffer";
import { DatabaseError, type DatabasePages } from "./pages.ts";

/*
 * The tables of an SQLite database, read by its file format: a table is a tree of pages whose leaves hold rows in the
 * order of their numbers; the part of a row that does not fit into a leaf continues in a chain of other pages.
 */

export type ColumnValue = null | number | bigint | Buffer | string;

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** All rows, by number. A row is valid until the next is requested. */
  rows(): Generator<Row, void, void>;
  /** undefined if there is no row with that number. */
  row(number: number): Row | undefined;
}

export interface Row {
  readonly number: number;
  /** The value of a column; null if there is no such column. Texts are strings; `bytes` returns them undecoded. */
  value(column: string): ColumnValue;
  bytes(column: string): Buffer | undefined;
}

/** Reads the tables of a database. Unsupported ones are left out (virtual ones, and those without row numbers). */
export function readTables(pages: DatabasePages): ReadonlyMap<string, Table> {
  const schema = makeTable(pages, "sqlite_schema", 1, ["type", "name", "tbl_name", "rootpage", "sql"], -1);
  const tables = new Map<string, Table>();
  for (const row of schema.rows()) {
    if (row.value("type") !== "table") continue;
    const name = row.value("name");
    const root = row.value("rootpage");
    const sql = row.value("sql");
    if (typeof name !== "string" || typeof root !== "number" || root === 0 || typeof sql !== "string")
      continue;
    if (/\bwithout\s+rowid\s*(?:,|;|$)|\browid\s*,\s*strict/i.test(sql.slice(sql.lastIndexOf(")")))) continue;
    const { columns, numberColumn } = readColumns(sql);
    tables.set(name, makeTable(pages, name, root, columns, numberColumn));
  }
  return tables;
}

const QUOTES: Readonly<Record<string, string>> = { "`": "`", '"': '"', "[": "]", "'": "'" };
const NO_COLUMN = /^(?:constraint|primary|unique|foreign|check)\b/i;

/** The names of a table's columns, from the statement that created it. */
function readColumns(sql: string): { readonly columns: readonly string[]; readonly numberColumn: number } {
  const columns: string[] = [];
  let numberColumn = -1;
  for (const part of splitList(sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")")))) {
    const text = part.trim();
    if (text === "" || NO_COLUMN.test(text)) continue;
    const end = QUOTES[text[0] ?? ""];
    const name = end === undefined ? /^[^\s(]+/.exec(text)?.[0] : text.slice(1, text.indexOf(end, 1));
    // Such a column is the row's number, and is not stored in the row.
    if (/^\s*integer\s+primary\s+key/i.test(text.slice((name ?? "").length + (end === undefined ? 0 : 2))))
      numberColumn = columns.length;
    columns.push(name ?? "");
  }
  return { columns, numberColumn };
}

/** Splits at commas outside of brackets and quotes. */
function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    const end = QUOTES[sign];
    if (end !== undefined) {
      const closing = text.indexOf(end, at + 1);
      at = closing === -1 ? text.length : closing;
    } else if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (sign === "," && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

const LEAF = 13;
const INTERIOR = 5;
/** More levels than a database of any size has. */
const MAX_DEPTH = 40;

function makeTable(
  pages: DatabasePages,
  name: string,
  root: number,
  columns: readonly string[],
  numberColumn: number,
): Table {
  const places = new Map(columns.map((column, at) => [column, at]));
  const read = (cell: Cell): Row => makeRow(pages, cell, places, numberColumn);

  function* walk(number: number, depth: number, budget: { left: number }): Generator<Row, void, void> {
    if (depth > MAX_DEPTH || budget.left-- <= 0)
      throw new DatabaseError(`table ${name} goes round in circles`);
    const page = openPage(pages, number);
    if (page.kind === LEAF) {
      for (let at = 0; at < page.cells; at++) yield read(leafCell(pages, openPage(pages, number), at));
      return;
    }
    // The page is not kept while its children are read.
    const children = Array.from({ length: page.cells }, (_, at) => page.bytes.readUInt32BE(page.cellAt(at)));
    children.push(page.rightmost());
    for (const child of children) yield* walk(child, depth + 1, budget);
  }

  return {
    name,
    columns,
    rows: () => walk(root, 0, { left: pages.count + 1 }),
    row(number) {
      let at = root;
      for (let depth = 0; depth <= MAX_DEPTH; depth++) {
        const page = openPage(pages, at);
        if (page.kind === LEAF) {
          const index = firstNotBelow(page.cells, (cell) => leafCell(pages, page, cell).number, number);
          const cell = index < page.cells ? leafCell(pages, page, index) : undefined;
          return cell?.number === number ? read(cell) : undefined;
        }
        const index = firstNotBelow(
          page.cells,
          (cell) => Number(readVarint(page.bytes, page.cellAt(cell) + 4).value),
          number,
        );
        at = index < page.cells ? page.bytes.readUInt32BE(page.cellAt(index)) : page.rightmost();
      }
      throw new DatabaseError(`table ${name} goes round in circles`);
    },
  };
}

/** The index of the first sorted value that is not below the given one. */
function firstNotBelow(count: number, valueAt: (index: number) => number, given: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) < given) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface TreePage {
  readonly kind: typeof LEAF | typeof INTERIOR;
  readonly bytes: Buffer;
  readonly cells: number;
  cellAt(index: number): number;
  rightmost(): number;
}

function openPage(pages: DatabasePages, number: number): TreePage {
  const bytes = pages.page(number);
  const start = number === 1 ? 100 : 0;
  const kind = bytes[start];
  if (kind !== LEAF && kind !== INTERIOR) throw new DatabaseError(`page ${number} is no page of a table`);
  const list = start + (kind === LEAF ? 8 : 12);
  const cells = bytes.readUInt16BE(start + 3);
  if (list + 2 * cells > bytes.length) throw new DatabaseError(`page ${number} is damaged`);
  return {
    kind,
    bytes,
    cells,
    cellAt(index) {
      const at = bytes.readUInt16BE(list + 2 * index);
      if (at + 4 > bytes.length) throw new DatabaseError(`page ${number} is damaged`);
      return at;
    },
    rightmost: () => bytes.readUInt32BE(start + 8),
  };
}

/** A row as it is in a leaf: its first bytes, and where it continues. */
interface Cell {
  readonly number: number;
  readonly size: number;
  readonly local: Buffer;
  /** 0 if all of it is here. */
  readonly overflow: number;
}

function leafCell({ usable }: DatabasePages, page: TreePage, index: number): Cell {
  const size = readVarint(page.bytes, page.cellAt(index));
  const number = readVarint(page.bytes, size.end);
  const length = Number(size.value);
  const here = localLength(length, usable);
  const end = number.end + here;
  if (end + (here < length ? 4 : 0) > page.bytes.length) throw new DatabaseError("a row is damaged");
  return {
    number: Number(number.value),
    size: length,
    local: page.bytes.subarray(number.end, end),
    overflow: here < length ? page.bytes.readUInt32BE(end) : 0,
  };
}

/** How many bytes of a row are in its leaf. */
function localLength(length: number, usable: number): number {
  const most = usable - 35;
  if (length <= most) return length;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (usable - 4));
  return fitting <= most ? fitting : least;
}

/** SQLite itself allows no longer rows. */
const MAX_ROW_BYTES = 1_000_000_000;

function wholeRow(pages: DatabasePages, { size, local, overflow }: Cell): Buffer {
  if (size > Math.min(MAX_ROW_BYTES, pages.count * pages.usable))
    throw new DatabaseError("a row is too long");
  const whole = Buffer.allocUnsafe(size);
  let filled = local.copy(whole);
  for (let next = overflow; filled < size; ) {
    const page = pages.page(next);
    filled += page.copy(whole, filled, 4, Math.min(pages.usable, 4 + size - filled));
    next = page.readUInt32BE(0);
  }
  return whole;
}

interface Field {
  readonly type: number;
  readonly from: number;
  readonly to: number;
}

function makeRow(
  pages: DatabasePages,
  cell: Cell,
  places: ReadonlyMap<string, number>,
  numberColumn: number,
): Row {
  let bytes = cell.local;
  let isWhole = cell.overflow === 0;
  const head = readVarint(bytes, 0);
  const headEnd = Number(head.value);
  const needed = (to: number): Buffer => {
    if (to > bytes.length && !isWhole) {
      bytes = wholeRow(pages, cell);
      isWhole = true;
    }
    if (to > bytes.length) throw new DatabaseError("a row is damaged");
    return bytes;
  };
  needed(headEnd);
  /** Fields up to the last one that was requested. */
  const fields: Field[] = [];
  let typeAt = head.end;
  let valueAt = headEnd;
  const field = (index: number): Field | undefined => {
    while (fields.length <= index && typeAt < headEnd) {
      const type = readVarint(bytes, typeAt);
      typeAt = type.end;
      const to = valueAt + lengthOf(Number(type.value));
      fields.push({ type: Number(type.value), from: valueAt, to });
      valueAt = to;
    }
    return fields[index];
  };
  const find = (column: string): Field | undefined => {
    const index = places.get(column);
    return index === undefined ? undefined : field(index);
  };
  return {
    number: cell.number,
    value(column) {
      if (places.get(column) === numberColumn && numberColumn !== -1) return cell.number;
      const found = find(column);
      return found === undefined ? null : readValue(needed(found.to), found);
    },
    bytes(column) {
      const found = find(column);
      if (found === undefined || found.type < 12) return undefined;
      return needed(found.to).subarray(found.from, found.to);
    },
  };
}

const NUMBER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

function lengthOf(type: number): number {
  return type < 12 ? (NUMBER_BYTES[type] ?? 0) : (type - 12) >> 1;
}

function readValue(bytes: Buffer, { type, from, to }: Field): ColumnValue {
  if (type >= 12)
    return type % 2 === 1 ? bytes.toString("utf8", from, to) : Buffer.from(bytes.subarray(from, to));
  if (type === 0 || type > 9) return null;
  if (type >= 8) return type - 8;
  if (type === 7) return bytes.readDoubleBE(from);
  if (type < 6) return bytes.readIntBE(from, to - from);
  const long = bytes.readBigInt64BE(from);
  return Number.isSafeInteger(Number(long)) ? Number(long) : long;
}

interface Varint {
  readonly value: number | bigint;
  readonly end: number;
}

const MAX_SAFE_VARINT_BYTES = 7;

/** A number of one to nine bytes. */
function readVarint(bytes: Buffer, from: number): Varint {
  let value = 0;
  for (let at = from; at < from + MAX_SAFE_VARINT_BYTES; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new DatabaseError("a row is damaged");
    value = value * 128 + (byte & 0x7f);
    if (byte < 128) return { value, end: at + 1 };
  }
  return readLongVarint(bytes, from);
}

function readLongVarint(bytes: Buffer, from: number): Varint {
  let value = 0n;
  for (let at = from; at < from + 8; at++) {
    const byte = bytes[at];
    if (byte === undefined) throw new DatabaseError("a row is damaged");
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 128) return { value: BigInt.asIntN(64, value), end: at + 1 };
  }
  return { value: BigInt.asIntN(64, (value << 8n) | BigInt(bytes[from + 8] ?? 0)), end: from + 9 };
}
