import type { Buffer } from "node:buffer";
import type { PagedFile, PagedWriter } from "./paged-file.ts";

/**
 * One number per document, all of the same width, so that number N is found without the others, and
 * all of them are there without being decoded: a column is the memory of a typed array, low byte
 * first as on every machine that this runs on. A column of zeros has no bytes at all.
 */
export interface ColumnPlace {
  readonly offset: number;
  /** Bytes per number: 0, 1, 2 or 4 for whole ones, 8 for any others. */
  readonly width: number;
}

export type ColumnArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export interface StoredColumn {
  at(index: number): number;
  /** All of them, kept for the next time. */
  all(): ColumnArray;
  /** Those from `from` up to `to`, read anew each time. */
  slice(from: number, to: number): ColumnArray;
}

export function appendColumn(out: PagedWriter, values: readonly number[] | Uint32Array): ColumnPlace {
  const width = widthOf(values);
  const offset = out.offset;
  if (width !== 0) {
    const array = new arrayTypes[width](values);
    out.append(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  return { offset, width };
}

export function openColumn(file: PagedFile, place: ColumnPlace, count: number): StoredColumn {
  const { offset, width } = place;
  let whole: ColumnArray | undefined;
  let asked = 0;
  const slice = (from: number, to: number): ColumnArray =>
    width === 0
      ? new Uint8Array(to - from)
      : toArray(file.read(offset + from * width, (to - from) * width), width);
  const readOne = (index: number): number => {
    if (width === 0 || index >= count) return 0;
    const bytes = file.read(offset + index * width, width);
    return width === 8 ? bytes.readDoubleLE(0) : bytes.readUIntLE(0, width);
  };
  const all = (): ColumnArray => {
    whole ??= slice(0, count);
    return whole;
  };
  return {
    at: (index) => (whole === undefined && ++asked < WORTH_ALL ? readOne(index) : (all()[index] ?? 0)),
    all,
    slice,
  };
}

/** Who asks so often will ask for more: to read all takes no longer. */
const WORTH_ALL = 8;

const arrayTypes = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;

/** A copy: an array must begin at a multiple of its width, and the bytes begin anywhere. */
function toArray(bytes: Buffer, width: number): ColumnArray {
  const { buffer } = new Uint8Array(bytes);
  if (width === 1) return new Uint8Array(buffer);
  if (width === 2) return new Uint16Array(buffer);
  return width === 4 ? new Uint32Array(buffer) : new Float64Array(buffer);
}

function widthOf(values: readonly number[] | Uint32Array): 0 | 1 | 2 | 4 | 8 {
  let max = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    // Neither whole nor positive, or no number at all.
    if (value >>> 0 !== value) return 8;
    if (value > max) max = value;
  }
  if (max === 0) return 0;
  if (max <= 0xff) return 1;
  return max <= 0xffff ? 2 : 4;
}
