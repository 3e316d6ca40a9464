import { Buffer } from "node:buffer";
import type { SessionFile } from "../../agents/agent.ts";
import { agentNamed } from "../../agents/agents.ts";
import type { ByteSource } from "../../agents/byte-source.ts";
import { decodeLine, endOfObject, isObject, tryParse } from "../../jsonl/json-line.ts";
import { type Line, splitLines } from "../../jsonl/lines.ts";
import { objectAt, timeAt } from "../../jsonl/values.ts";
import type { AgentName } from "../../session/entry.ts";
import type { TextRole } from "../../session/text-role.ts";
import type { ByteFilter } from "./byte-filter.ts";
import { decodePiece, jsonPieces } from "./json-pieces.ts";
import { createTextReader, type ReadTexts } from "./line-texts.ts";

/** The texts of one line, or of one part, of a file. */
export interface PlacedTexts {
  readonly line: number;
  readonly at: number | null;
  /** Belongs to a sub-agent that writes to the main log. */
  readonly isSidechain: boolean;
  /** The file is plain text, so lines of the text are lines of the file. */
  readonly isPlain: boolean;
  readonly texts: readonly PlacedText[];
  /** Bytes left out because the line is too long. */
  readonly skippedBytes: number;
}

export interface PlacedText {
  readonly role: TextRole;
  readonly text: string;
  /** The data that the text is a string of, or a line of broken JSON; undefined for prose and plain output. */
  readonly within?: object | string | undefined;
}

/** Longer files are searched in parts. */
const WHOLE_BYTES = 16 * 1024 * 1024;

/** Yields the decoded texts of a file, in order, without lines that can't match. Throws what its source throws. */
export function* textsOfFile(
  source: ByteSource,
  agent: AgentName,
  file: SessionFile,
  filter: ByteFilter | undefined,
): Generator<PlacedTexts> {
  const readTexts = createTextReader(agentNamed(agent).textRules);
  if (file.path.endsWith(".json") && file.size <= WHOLE_BYTES) {
    const text = source.text(file.path, WHOLE_BYTES);
    const value = text === undefined ? undefined : tryParse(text.replace(/^\uFEFF/, ""));
    if (text !== undefined && value !== undefined) {
      yield* textsOfWhole(text, value, file, readTexts);
      return;
    }
  }
  if (file.role === "spilled") yield* plainTexts(source.chunks(file.path));
  else
    for (const line of splitLines(source.chunks(file.path)))
      if (filter === undefined || line.squeezed > 0 || filter.mayMatch(line.bytes))
        yield textsOfLine(line, readTexts);
}

function textsOfLine(line: Line, readTexts: ReadTexts): PlacedTexts {
  const decoded = decodeLine(line.bytes);
  const { values, rest } = readLineValues(decoded);
  const texts: PlacedText[] = [];
  let isComplete = true;
  for (const value of values)
    if (!readTexts(value, (role, text, within) => void texts.push({ role, text, within })))
      isComplete = false;
  const broken = isComplete ? rest : decoded;
  for (const text of looseStrings(broken)) texts.push({ role: "note", text, within: broken });
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

/** Yields the texts of a file that is one JSON value over many lines, each with the line it is on. */
function* textsOfWhole(
  json: string,
  value: unknown,
  file: SessionFile,
  readTexts: ReadTexts,
): Generator<PlacedTexts> {
  const texts: PlacedText[] = [];
  readTexts(value, (role, text, within) => {
    texts.push({ role: role === "note" ? roleOfFile(file) : role, text, within });
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

/** Yields tool output that was spilled to a file, in parts that end at a line end. */
function* plainTexts(chunks: Iterable<Uint8Array>): Generator<PlacedTexts> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const textsOfPart = (bytes: Buffer): PlacedTexts => ({
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
    yield textsOfPart(part);
    line += part.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);
    parts = [Buffer.from(bytes.subarray(end))];
    length = bytes.length - end;
  }
  if (length > 0) yield textsOfPart(Buffer.concat(parts));
}

export function lineEndsIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Text between strings in JSON. */
const NO_TEXT = /^(?:[\s,:{}[\]\d.+-]|[eE]|true|false|null)*$/;
const KEY = /^[A-Za-z_$][\w$.-]*$/;

/**
 * Returns the texts of a line of broken JSON, decoded as far as possible: everything between two quotes. If the
 * start of the line is missing, it is unknown what is inside a string, so the text outside quotes is returned too.
 */
function looseStrings(text: string): readonly string[] {
  const found: string[] = [];
  for (const { start, end } of jsonPieces(text)) {
    const piece = text.slice(start, end);
    const isKey = KEY.test(piece) && /^"\s*:/.test(text.slice(end, end + 8));
    if (!isKey && !NO_TEXT.test(piece)) found.push(decodePiece(piece));
  }
  return found;
}

interface LineValues {
  /** Nearly always one; several if lines were glued together. */
  readonly values: readonly unknown[];
  /** The part that is not JSON. */
  readonly rest: string;
}

/** Reads the JSON values on a line, of any type; the log formats have only objects. */
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
