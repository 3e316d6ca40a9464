import { Buffer } from "node:buffer";
import { decodeLine, isObject, type JsonObject, readJsonLine, tryParse } from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import type { HeadMemory, LineHead } from "./line-head.ts";

/**
 * Reads a line of Claude Code with as little parsing as possible. Half of the bytes of its logs are not needed:
 * `progress` lines (17 %) and the `toolUseResult` copy of each result (36 %). They are skipped in the bytes. If a
 * shortcut is not certain to be right, the whole line is parsed.
 */
export interface ClaudeLine {
  readonly objects: readonly JsonObject[];
  /** The bytes before the keys of the single object, and not part of it. */
  readonly head?: LineHead | undefined;
  readonly problem?: string;
  /** Returns the skipped copy, if the parser needs it. */
  readonly toolUseResult?: () => unknown;
}

const TYPE_KEY = '"type":"';
const RESULT_KEY = ',"toolUseResult":';
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/**
 * Bytes that occur inside a line only if the line before lacks its LF or was truncated: inside a string, its quotes
 * would be escaped. A string may contain them by chance; that only costs a full parse.
 */
const GLUED = Buffer.from('}{"');
const ENVELOPE = Buffer.from('{"parentUuid":');
/** Shorter lines are quicker to parse than to inspect. */
const WORTH_CUTTING = 1_000;

export function readClaudeLine(line: Line, heads?: HeadMemory): ClaudeLine {
  const { bytes } = line;
  // Shortcuts look at both ends of a line, and would take two lines for one.
  if (bytes.includes(GLUED) || bytes.indexOf(ENVELOPE, 1) !== -1) return readGlued(line);
  const head = heads?.find(bytes);
  const rest = head === undefined ? undefined : readBehind(bytes, head);
  return rest ?? readWhole(line);
}

/** If a crash truncated a line, the next one follows on the same line. */
function readGlued({ bytes, ended }: Line): ClaudeLine {
  const read = readJsonLine(bytes, ended);
  const at = bytes.lastIndexOf(ENVELOPE);
  if (read.problem === undefined || at < 1) return read;
  const last = tryParse(decodeLine(bytes.subarray(at)));
  return isObject(last) && typeof last.uuid === "string"
    ? { objects: [...read.objects, last], problem: read.problem }
    : read;
}

/** Reads the keys after the head; undefined if the whole line must be inspected. */
function readBehind(bytes: Buffer, head: LineHead): ClaudeLine | undefined {
  const close = lastNonSpace(bytes);
  if (bytes[close] !== CLOSE_BRACE) return undefined;
  const { type } = head.keys;
  if (type === "progress") {
    const tail = parseFrom(bytes, bytes.lastIndexOf(CLOSE_BRACE, close - 1) + 1, close + 1);
    return typeof tail?.uuid === "string" ? { objects: [tail], head } : undefined;
  }
  if (type === "user" && bytes.length >= WORTH_CUTTING) {
    const cut = readWithoutResult(bytes, head);
    if (cut !== undefined) return cut;
  }
  const object = parseFrom(bytes, head.comma, close + 1);
  return object === undefined ? undefined : { objects: [object], head };
}

function readWhole(line: Line): ClaudeLine {
  const { bytes } = line;
  if (bytes.length >= WORTH_CUTTING && bytes[0] === OPEN_BRACE) {
    const type = firstType(bytes);
    if (type === "progress" || type === "file-history-snapshot") {
      const ends = readEnds(bytes);
      if (ends !== undefined) return { objects: [ends] };
    } else if (type === undefined || type === "user") {
      const cut = readWithoutResult(bytes);
      if (cut !== undefined) return cut;
    }
  }
  return readJsonLine(bytes, line.ended);
}

/** The top-level type, if it comes before anything nested. */
function firstType(bytes: Buffer): string | undefined {
  const at = bytes.indexOf(TYPE_KEY);
  if (at === -1) return undefined;
  // An earlier brace may be inside a string: then this returns undefined, which only costs time.
  const nested = bytes.indexOf(OPEN_BRACE, 1);
  if (nested !== -1 && nested < at) return undefined;
  const start = at + TYPE_KEY.length;
  const end = bytes.indexOf(QUOTE, start);
  return end === -1 ? undefined : bytes.toString("latin1", start, end);
}

/**
 * The keys before the first nested value and after the last one. They include all envelope keys; a line without
 * `uuid` and `messageId` in both parts has no envelope.
 */
function readEnds(bytes: Buffer): JsonObject | undefined {
  const close = lastNonSpace(bytes);
  if (bytes[close] !== CLOSE_BRACE) return undefined;
  const nested = bytes.indexOf(OPEN_BRACE, 1);
  const key = bytes.lastIndexOf(",", nested);
  const tailAt = bytes.lastIndexOf(CLOSE_BRACE, close - 1);
  if (nested === -1 || key <= 0 || tailAt <= nested) return undefined;
  const head = parseHead(bytes, key);
  const tail = parseTail(bytes, tailAt + 1, close);
  if (!isObject(head) || tail === undefined) return undefined;
  const both: JsonObject = Object.assign(head, tail);
  return typeof both.uuid === "string" || typeof both.messageId === "string" ? both : undefined;
}

function readWithoutResult(bytes: Buffer, head?: LineHead): ClaudeLine | undefined {
  const from = head?.comma ?? 0;
  const at = bytes.indexOf(RESULT_KEY, from);
  if (at === -1) return undefined;
  const close = lastNonSpace(bytes);
  const valueAt = at + RESULT_KEY.length;
  const valueEnd = endOfValue(bytes, valueAt, close);
  if (bytes[close] !== CLOSE_BRACE || valueEnd === undefined) return undefined;
  const object = parseAround(bytes, from, at, valueEnd, close);
  if (typeof object?.uuid !== "string") return undefined;
  return {
    objects: [object],
    head,
    toolUseResult: () => {
      const value = tryParse(bytes.toString("utf8", valueAt, valueEnd));
      if (value !== undefined) return value;
      const whole = tryParse(bytes.toString("utf8"));
      return isObject(whole) ? whole.toolUseResult : undefined;
    },
  };
}

/** Parses the bytes from `from` to the comma at `at`, and those after `end`. */
function parseAround(
  bytes: Buffer,
  from: number,
  at: number,
  end: number,
  close: number,
): JsonObject | undefined {
  const first = bytes[from] ?? OPEN_BRACE;
  bytes[from] = OPEN_BRACE;
  const object =
    bytes[end - 1] === QUOTE
      ? parseBoth(bytes, from, at, end, close)
      : parseJoined(bytes, from, at, end, close);
  bytes[from] = first;
  return object;
}

/** If the key were nested, one brace would not close the part before it, and it would not parse. */
function parseBoth(
  bytes: Buffer,
  from: number,
  at: number,
  end: number,
  close: number,
): JsonObject | undefined {
  const before = parseHead(bytes, at, from);
  const behind = parseTail(bytes, end, close);
  return isObject(before) && behind !== undefined ? Object.assign(before, behind) : undefined;
}

/** Only a few short keys follow a result. */
const MAX_BEHIND = 4_096;
const overwritten: Buffer = Buffer.alloc(MAX_BEHIND);

/**
 * Parses both parts at once if the value ends in a bracket which is the last one of the line but its own: if the key
 * were nested, too few brackets would follow, and it would not parse. The part after the value is moved over it for a
 * moment.
 */
function parseJoined(
  bytes: Buffer,
  from: number,
  at: number,
  end: number,
  close: number,
): JsonObject | undefined {
  const length = close + 1 - end;
  if (length > MAX_BEHIND || (bytes[end] !== COMMA && end !== close)) return undefined;
  bytes.copy(overwritten, 0, at, at + length);
  bytes.copyWithin(at, end, close + 1);
  const object = tryParse(bytes.toString("utf8", from, at + length));
  overwritten.copy(bytes, at, 0, length);
  return isObject(object) ? object : undefined;
}

/** The keys from the brace at `from` to the comma at `comma`. */
function parseHead(bytes: Buffer, comma: number, from = 0): unknown {
  return parseWith(bytes, comma, CLOSE_BRACE, from, comma + 1);
}

/** Keys with plain values between `from` and the closing brace; undefined if it is anything else. */
function parseTail(bytes: Buffer, from: number, close: number): JsonObject | undefined {
  return from === close ? {} : parseFrom(bytes, from, close + 1);
}

/**
 * The end of the value. For objects and arrays it is the last closing bracket before the line's own, because nearly
 * always only plain values follow; if not, `parseTail` still sees only whole keys.
 */
function endOfValue(bytes: Buffer, at: number, close: number): number | undefined {
  const first = bytes[at];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    const brace = bytes.lastIndexOf(CLOSE_BRACE, close - 1);
    const bracket = bytes.lastIndexOf(CLOSE_BRACKET, close - 1);
    const end = Math.max(brace, bracket);
    return end > at ? end + 1 : undefined;
  }
  if (first !== QUOTE) return undefined;
  for (let end = bytes.indexOf(QUOTE, at + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return undefined;
}

function lastNonSpace(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > 0 && (bytes[at] ?? 0) <= 0x20) at--;
  return at;
}

/**
 * Parses a part of the line with a comma temporarily replaced by another byte: joining the brace to the decoded text
 * would copy all of it once more.
 */
export function parseWith(bytes: Buffer, comma: number, brace: number, from: number, to: number): unknown {
  bytes[comma] = brace;
  try {
    return JSON.parse(bytes.toString("utf8", from, to));
  } catch {
    return undefined;
  } finally {
    bytes[comma] = COMMA;
  }
}

/** The keys from the comma at `from` to the brace that ends the line; undefined if it is anything else. */
function parseFrom(bytes: Buffer, from: number, end: number): JsonObject | undefined {
  if (bytes[from] !== COMMA) return undefined;
  const rest = parseWith(bytes, from, OPEN_BRACE, from, end);
  return isObject(rest) ? rest : undefined;
}
