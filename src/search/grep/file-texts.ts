import { Buffer } from "node:buffer";
import type { SessionFile } from "../../agents/agent.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import { decodeLine, endOfObject, isObject, tryParse } from "../../jsonl/json-line.ts";
import { type Line, splitLines } from "../../jsonl/lines.ts";
import { objectAt, timeAt } from "../../jsonl/values.ts";
import type { ByteFilter } from "./byte-filter.ts";
import { type TextRole, textsOfValue } from "./text-role.ts";

/** The texts that stand at one place of a file. */
export interface PlacedTexts {
  readonly line: number;
  readonly at: number | null;
  /** It belongs to a sub-agent that has no log of its own. */
  readonly isSidechain: boolean;
  /** The file is the text: its lines are those of the file. */
  readonly isPlain: boolean;
  readonly texts: readonly PlacedText[];
  /** Bytes that were too many to be searched. */
  readonly skippedBytes: number;
}

export interface PlacedText {
  readonly role: TextRole;
  readonly text: string;
}

/** Longer, a file is searched in parts. */
const WHOLE_BYTES = 16 * 1024 * 1024;

/** The decoded texts of a file, in order; of lines that can't match, none. Throws what its source throws. */
export function* textsOfFile(
  source: ByteSource,
  file: SessionFile,
  filter: ByteFilter | undefined,
): Generator<PlacedTexts> {
  if (file.path.endsWith(".json") && file.size <= WHOLE_BYTES) {
    const text = source.text(file.path, WHOLE_BYTES);
    const value = text === undefined ? undefined : tryParse(text.replace(/^\uFEFF/, ""));
    if (text !== undefined && value !== undefined) {
      yield* textsOfWhole(text, value, file);
      return;
    }
  }
  if (file.role === "spilled") yield* plainTexts(source.chunks(file.path));
  else
    for (const line of splitLines(source.chunks(file.path)))
      if (filter === undefined || line.squeezed > 0 || filter.mayMatch(line.bytes)) yield textsOfLine(line);
}

function textsOfLine(line: Line): PlacedTexts {
  const decoded = decodeLine(line.bytes);
  const { values, rest } = readLineValues(decoded);
  const texts: PlacedText[] = [];
  const give = (role: TextRole, text: string): void => void texts.push({ role, text });
  let isWhole = true;
  for (const value of values) if (!textsOfValue(value, give)) isWhole = false;
  for (const text of looseStrings(isWhole ? rest : decoded)) give("note", text);
  const [first] = values;
  return {
    line: line.number,
    at: timeOf(first),
    isSidechain: isObject(first) && first.isSidechain === true,
    isPlain: false,
    texts,
    skippedBytes: line.squeezed,
  };
}

function timeOf(value: unknown): number | null {
  if (!isObject(value)) return null;
  return (
    timeAt(value, "timestamp") ??
    timeAt(value, "timestamp_ms") ??
    timeAt(objectAt(value, "message"), "timestamp") ??
    null
  );
}

/** One JSON value over many lines: a text stands where its JSON does. */
function* textsOfWhole(json: string, value: unknown, file: SessionFile): Generator<PlacedTexts> {
  const texts: PlacedText[] = [];
  textsOfValue(value, (role, text) => {
    texts.push({ role: role === "note" ? roleOfFile(file) : role, text });
  });
  let from = 0;
  let line = 1;
  for (const each of texts) {
    const found = json.indexOf(JSON.stringify(each.text), from);
    if (found !== -1) {
      line += lineEndsIn(json, from, found);
      from = found;
    }
    yield { line, at: null, isSidechain: false, isPlain: false, texts: [each], skippedBytes: 0 };
  }
}

function roleOfFile({ role }: SessionFile): TextRole {
  return role === "spilled" ? "output" : role === "title" ? "title" : "note";
}

/** Output that has a file of its own, in parts that end with a line. */
function* plainTexts(chunks: Iterable<Uint8Array>): Generator<PlacedTexts> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (bytes: Buffer): PlacedTexts => ({
    line,
    at: null,
    isSidechain: false,
    isPlain: true,
    skippedBytes: 0,
    texts: [{ role: "output", text: bytes.toString("utf8") }],
  });
  for (const chunk of chunks) {
    parts.push(Buffer.from(chunk));
    length += chunk.length;
    if (length < WHOLE_BYTES) continue;
    const bytes = Buffer.concat(parts);
    const end = bytes.lastIndexOf(0x0a) + 1 || bytes.length;
    const part = bytes.subarray(0, end);
    yield take(part);
    line += part.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);
    parts = [Buffer.from(bytes.subarray(end))];
    length = bytes.length - end;
  }
  if (length > 0) yield take(Buffer.concat(parts));
}

export function lineEndsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What stands between strings in JSON. */
const NO_TEXT = /^(?:[\s,:{}[\]\d.+-]|[eE]|true|false|null)*$/;
const KEY = /^[A-Za-z_$][\w$.-]*$/;

/**
 * The texts of a line that is broken JSON, decoded as far as that goes: all that stands between two quotes.
 * Of a line that lacks its beginning nobody can tell what is inside a string, so both sides are given.
 */
function looseStrings(text: string): readonly string[] {
  const found: string[] = [];
  let from = 0;
  while (from <= text.length) {
    const end = endOfPiece(text, from);
    const piece = text.slice(from, end);
    const isKey = KEY.test(piece) && /^"\s*:/.test(text.slice(end, end + 8));
    if (!isKey && !NO_TEXT.test(piece)) found.push(decode(piece));
    from = end + 1;
  }
  return found;
}

/** The next quote that is not escaped, else the end. */
function endOfPiece(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([nrtbf])|(["\\/]))/g;
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Not by JSON.parse: an escape may be cut off, or be one that JSON does not know. */
function decode(piece: string): string {
  return piece.replace(ESCAPE, (whole, hex?: string, control?: string, plain?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return plain ?? CONTROLS[control ?? ""] ?? whole;
  });
}

interface LineValues {
  /** Nearly always one; several where lines were glued together. */
  readonly values: readonly unknown[];
  /** What is no JSON. */
  readonly rest: string;
}

/** The JSON values on a line, whatever they are; the formats know objects alone. */
function readLineValues(text: string): LineValues {
  if (text === "") return { values: [], rest: "" };
  const whole = tryParse(text);
  if (whole !== undefined) return { values: [whole], rest: "" };
  const values: unknown[] = [];
  let from = 0;
  while (text.charCodeAt(from) === 0x7b) {
    const end = endOfObject(text, from);
    const value = end === -1 ? undefined : tryParse(text.slice(from, end));
    if (value === undefined) break;
    values.push(value);
    from = end;
    while (from < text.length && text.charCodeAt(from) <= 0x20) from++;
  }
  return { values, rest: text.slice(from) };
}
