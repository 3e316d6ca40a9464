import { Buffer } from "node:buffer";

/** As much of WebAssembly as is used here: the types of the language have nothing of it. */
interface WasmEngine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

const { WebAssembly: engine } = globalThis as { readonly WebAssembly?: WasmEngine };

/** Memory of 64 KiB pages. Growing leaves arrays over it empty: they have to be made anew. */
export interface LoopMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** What loops export: functions over their memory. */
export type Loops<T> = T & { readonly memory: LoopMemory };

/**
 * Loops that were compiled beforehand: `bytes` are their WebAssembly, in base64. `plain` gives the same in JavaScript, for
 * an engine that may not compile, and for a process whose addresses are limited: V8 wants 10 GB of them for each memory.
 */
export function loadLoops<T>(bytes: string, plain: () => object): Loops<T> {
  return (instanceOf(bytes) ?? plain()) as Loops<T>;
}

function instanceOf(bytes: string): object | undefined {
  if (engine === undefined) return undefined;
  try {
    return new engine.Instance(new engine.Module(Buffer.from(bytes, "base64"))).exports;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The memory of some loops as a stack: what was taken last is given back first. */
export interface LoopArena {
  /** All of it; valid until more is taken. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What stands at an address; valid until more is taken. */
  numbers(at: number, count: number): Uint32Array<ArrayBuffer>;
  fractions(at: number, count: number): Float64Array<ArrayBuffer>;
  /** The address of so many bytes, at a multiple of 8; what stands there is left over from before. */
  take(size: number): number;
  /** The same with zeros. */
  takeZeros(size: number): number;
  /** The address of a copy. */
  put(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): number;
  /** What is taken from now on is given back by `release`. */
  mark(): number;
  release(mark: number): void;
}

const PAGE = 65_536;
/** An address of 0 stands for nothing. */
const FIRST = 8;

export function createLoopArena(memory: LoopMemory): LoopArena {
  let bytes = new Uint8Array(memory.buffer);
  let top = FIRST;
  const take = (size: number): number => {
    const at = top;
    top = (at + size + 7) & ~7;
    if (top > bytes.length) {
      // Twice as much as there is, so that it does not happen often.
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
