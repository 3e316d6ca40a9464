import { Buffer } from "node:buffer";
import { once } from "../../../fs/once.ts";
import { loopBytes } from "./search-loops-bytes.ts";
import { createPlainLoops } from "./search-loops-plain.ts";

/** The functions of search-loops.as. Numbers are addresses in their memory unless they are named otherwise. */
export interface SearchLoops {
  decode(
    from: number,
    end: number,
    count: number,
    documents: number,
    gone: number,
    docs: number,
    freqs: number,
  ): number;
  gatherLengths(docs: number, count: number, from: number, shift: number, lengths: number): void;
  score(
    set: number,
    docs: number,
    freqs: number,
    lengths: number,
    count: number,
    base: number,
    weight: number,
    k: number,
    d: number,
    flat: number,
    slope: number,
    bit: number,
    clauseBit: number,
  ): void;
  addSet(into: number, other: number, bit: number): void;
  intersectSet(into: number, other: number): void;
  subtractSet(from: number, other: number): void;
  multiplyByBits(set: number, from: number, to: number): void;
  collectSessions(
    docs: number,
    count: number,
    sessionOf: number,
    passes: number,
    refused: number,
    seen: number,
    list: number,
  ): number;
  aggregateDocuments(
    docs: number,
    count: number,
    scores: number,
    bits: number,
    words: number,
    clauses: number,
    sessionOf: number,
    passes: number,
    refused: number,
    counts: number,
    best: number,
    sessionBits: number,
    maxClauses: number,
  ): void;
  countClauses(sessionBits: number, words: number, clauses: number, sessions: number, counts: number): void;
  listNear(letters: number, count: number, wanted: number, most: number, list: number): number;
}

/** Calls `use` with the loops and their memory; frees what it takes of the memory when it is done. */
export function withSearchLoops<T>(use: (loops: SearchLoops, arena: LoopArena) => T): T {
  const { loops, arena } = loaded();
  const mark = arena.mark();
  try {
    return use(loops, arena);
  } finally {
    arena.release(mark);
  }
}

const loaded = once(() => {
  const loops = loadLoops<SearchLoops>(loopBytes, createPlainLoops);
  return { loops, arena: createLoopArena(loops.memory) };
});

/** The part of WebAssembly that is used here: TypeScript's types for Node leave it out. */
interface WasmEngine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: WasmEngine };

/** Memory in pages of 64 KiB. Growing it detaches the arrays over it. */
export interface LoopMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What compiled loops export: functions over their memory. */
export type Loops<T> = T & { readonly memory: LoopMemory };

/**
 * Instantiates loops from their WebAssembly in base64. `plain` returns the same in JavaScript, for a runtime without
 * WebAssembly and for a process with a limited address space: V8 reserves 10 GB of it for each memory.
 */
export function loadLoops<T>(bytes: string, plain: () => object): Loops<T> {
  return (instantiate(bytes) ?? plain()) as Loops<T>;
}

function instantiate(bytes: string): object | undefined {
  if (wasm === undefined) return undefined;
  try {
    return new wasm.Instance(new wasm.Module(Buffer.from(bytes, "base64"))).exports;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Allocates the memory of the loops as a stack. */
export interface LoopArena {
  /** The whole memory; valid until more is taken. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Arrays at an address; valid until more is taken. */
  numbers(at: number, count: number): Uint32Array<ArrayBuffer>;
  fractions(at: number, count: number): Float64Array<ArrayBuffer>;
  /** Returns the address of `size` uninitialized bytes, a multiple of 8. */
  take(size: number): number;
  takeZeros(size: number): number;
  /** Copies an array into the memory and returns its address. */
  put(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): number;
  /** Returns a mark for `release`, which frees everything that was taken after it. */
  mark(): number;
  release(mark: number): void;
}

const PAGE = 65_536;
/** Address 0 means none. */
const FIRST = 8;

export function createLoopArena(memory: LoopMemory): LoopArena {
  let bytes = new Uint8Array(memory.buffer);
  let top = FIRST;
  const take = (size: number): number => {
    const at = top;
    top = (at + size + 7) & ~7;
    if (top > bytes.length) {
      // At least doubled, so that it rarely grows.
      memory.grow(Math.ceil(Math.max(top - bytes.length, bytes.length) / PAGE));
      bytes = new Uint8Array(memory.buffer);
    }
    return at;
  };
  return {
    get bytes() {
      return bytes;
    },
    numbers: (at, count) => new Uint32Array(memory.buffer, at, count),
    fractions: (at, count) => new Float64Array(memory.buffer, at, count),
    take,
    takeZeros(size) {
      const at = take(size);
      bytes.fill(0, at, at + size);
      return at;
    },
    put(array) {
      const at = take(array.byteLength);
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
      return at;
    },
    mark: () => top,
    release(mark) {
      top = mark;
    },
  };
}
