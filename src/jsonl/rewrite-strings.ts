import { Buffer } from "node:buffer";

/** Keys from the outermost object inwards, such as `["payload", "cwd"]`. */
export type KeyPath = readonly string[];

export interface StringRewriting {
  /** The strings that may be replaced. */
  readonly at: readonly KeyPath[];
  /** Returns the new text; undefined keeps the string, byte for byte. */
  readonly replace: (value: string) => string | undefined;
  /** Each line is JSON by itself, whatever the line before it was; false if the whole file is one value. */
  readonly lines: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Longer keys and values are never the ones to be replaced. */
const MAX_HELD = 64 * 1024;

/**
 * Replaces some strings in JSON and copies everything else byte for byte, in one pass and in little memory: lines can be
 * very long, and a round trip through a parser would change numbers and escapes.
 */
export function* rewriteStrings(
  chunks: Iterable<Uint8Array>,
  { at, replace, lines }: StringRewriting,
): Generator<Buffer, void, void> {
  const place = createPlace(at);
  let inString = false;
  let escaped = false;
  /** The key that is being read; its bytes have been passed on already. */
  let key: number[] | undefined;
  /** The value that may be replaced; its bytes have not been passed on yet. */
  let value: number[] | undefined;

  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let passedTo = 0;
    const giveUpValue = function* (to: number): Generator<Buffer, void, void> {
      if (value === undefined) return;
      yield Buffer.from(value);
      value = undefined;
      passedTo = to;
    };
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      if (byte === LF && lines) {
        yield* giveUpValue(i);
        place.reset();
        inString = false;
        escaped = false;
        key = undefined;
      } else if (inString) {
        key?.push(byte);
        value?.push(byte);
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (key !== undefined) place.key(parseString(key) ?? "");
          key = undefined;
          if (value !== undefined) {
            const text = parseString(value);
            const replaced = text === undefined ? undefined : replace(text);
            yield Buffer.from(replaced === undefined ? value : JSON.stringify(replaced));
            value = undefined;
            passedTo = i + 1;
          }
        }
        if (key !== undefined && key.length > MAX_HELD) key = undefined;
        if (value !== undefined && value.length > MAX_HELD) yield* giveUpValue(i + 1);
      } else if (byte === QUOTE) {
        inString = true;
        if (place.expectsKey()) key = [byte];
        else if (place.matches()) {
          if (i > passedTo) yield bytes.subarray(passedTo, i);
          value = [byte];
          passedTo = i;
        }
      } else place.mark(byte);
    }
    if (value === undefined && passedTo < bytes.length) yield bytes.subarray(passedTo);
  }
  if (value !== undefined) yield Buffer.from(value);
}

/** The reader's position within a value, as deep as it matters. */
interface Place {
  /** Takes a byte outside of strings. */
  mark(byte: number): void;
  key(name: string): void;
  expectsKey(): boolean;
  matches(): boolean;
  reset(): void;
}

function createPlace(paths: readonly KeyPath[]): Place {
  const maxDepth = Math.max(...paths.map((path) => path.length));
  let depth = 0;
  /** By depth, from 1: is it an object, does a key come next, and its last key. */
  let isObject: boolean[] = [];
  let keyNext: boolean[] = [];
  let keys: string[] = [];
  return {
    mark(byte) {
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++;
        if (depth > maxDepth) return;
        isObject[depth] = byte === OPEN_OBJECT;
        keyNext[depth] = byte === OPEN_OBJECT;
        keys[depth] = "";
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth = Math.max(0, depth - 1);
      else if (depth > maxDepth) return;
      else if (byte === COLON) keyNext[depth] = false;
      else if (byte === COMMA) keyNext[depth] = isObject[depth] === true;
    },
    key(name) {
      keys[depth] = name;
    },
    expectsKey: () => depth <= maxDepth && keyNext[depth] === true,
    matches: () =>
      depth <= maxDepth &&
      isObject[depth] === true &&
      paths.some((path) => path.length === depth && path.every((key, level) => keys[level + 1] === key)),
    reset() {
      depth = 0;
      isObject = [];
      keyNext = [];
      keys = [];
    },
  };
}

function parseString(token: readonly number[]): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token).toString("utf8"));
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
