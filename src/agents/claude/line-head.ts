import { Buffer } from "node:buffer";
import { isObject, type JsonObject } from "../../jsonl/json-line.ts";
import { parseWith } from "./read-line.ts";

/**
 * The keys that every line of a log begins with: folder, session, version, branch. After the parent's name they are
 * the same bytes on thousands of lines, a third of a line without a long text. So they are parsed once and then
 * compared: parsing them takes 0.6 to 1.1 µs a line, a fifth of all parsing.
 */
export interface LineHead {
  readonly keys: JsonObject;
  /** undefined if it comes after the head. */
  readonly type: unknown;
  readonly isSidechain: unknown;
  /** Whether the head has everything that is noted about a session, so that the rest of the line can't. */
  readonly hasFacts: boolean;
  /** The offset of its last byte, which the comma before the first nested value follows. */
  readonly comma: number;
  /** From after the parent's name up to that nested value. */
  readonly bytes: Buffer;
}

export interface HeadMemory {
  /** The head that the line begins with; undefined if the line must be read completely. */
  find(bytes: Buffer): LineHead | undefined;
  /** The parent's name on the line for which a head was last found. */
  parent(): string;
}

const PARENT = '{"parentUuid":"';
const UUID_CHARS = 36;
/** After the quote that ends the parent's name. */
const START: number = PARENT.length + UUID_CHARS + 1;
const BEGINNING = /^\{"parentUuid":"[0-9a-f-]{36}$/;

/** Keys that may be in a head; readers look for those with a meaning there. */
const HEAD_KEYS: ReadonlySet<string> = new Set([
  "isSidechain",
  "userType",
  "entrypoint",
  "cwd",
  "sessionId",
  "session_id",
  "version",
  "gitBranch",
  "slug",
  "agentId",
  "promptId",
  "type",
]);

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Enough for lines of users, replies and progress, and for those of another branch or folder. */
const MAX_HEADS = 6;
const MAX_HEAD_BYTES = 2_000;
/** If the heads of a log are always new, or missing, it stops looking after a while. */
const MAX_MISSES = 200;

export function createHeadMemory(): HeadMemory {
  const known: LineHead[] = [];
  let misses = 0;
  let beginning = "";
  const hasParent = (bytes: Buffer): boolean => {
    beginning = bytes.toString("latin1", 0, START - 1);
    return BEGINNING.test(beginning);
  };
  const learn = (bytes: Buffer): LineHead | undefined => {
    if (misses === MAX_MISSES) return undefined;
    misses++;
    const head = readHead(bytes);
    if (head === undefined) return undefined;
    known.unshift(head);
    if (known.length > MAX_HEADS) known.pop();
    return head;
  };
  return {
    find(bytes) {
      if (bytes[PARENT.length - 1] !== QUOTE || bytes[START - 1] !== QUOTE || bytes[START] !== COMMA)
        return undefined;
      for (let index = 0; index < known.length; index++) {
        const head = known[index];
        if (head === undefined || !begins(bytes, head)) continue;
        if (misses > 0) misses--;
        return hasParent(bytes) ? head : undefined;
      }
      return hasParent(bytes) ? learn(bytes) : undefined;
    },
    parent: () => beginning.slice(PARENT.length),
  };
}

function begins(bytes: Buffer, head: LineHead): boolean {
  const { length } = head.bytes;
  const end = START + length;
  // Heads of one log differ near their end: nearly always one of these bytes decides.
  if (bytes[end] !== OPEN_BRACE || bytes[head.comma] !== COMMA || bytes[end - 3] !== head.bytes[length - 3])
    return false;
  return bytes.compare(head.bytes, 0, length, START, end) === 0;
}

function readHead(bytes: Buffer): LineHead | undefined {
  const nested = bytes.indexOf(OPEN_BRACE, START);
  if (nested === -1 || nested > START + MAX_HEAD_BYTES) return undefined;
  const comma = bytes.lastIndexOf(COMMA, nested);
  if (comma <= START) return undefined;
  bytes[START] = OPEN_BRACE;
  const keys = parseWith(bytes, comma, CLOSE_BRACE, START, comma + 1);
  bytes[START] = COMMA;
  if (!isObject(keys) || !Object.keys(keys).every((key) => HEAD_KEYS.has(key))) return undefined;
  const { type, isSidechain, cwd, sessionId, version, gitBranch } = keys;
  const hasFacts = [cwd, sessionId, version, gitBranch].every((value) => value !== undefined);
  return { keys, type, isSidechain, hasFacts, comma, bytes: Buffer.from(bytes.subarray(START, nested)) };
}
