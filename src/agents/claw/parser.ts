import { Buffer } from "node:buffer";
import {
  endOfObject,
  isObject,
  type JsonObject,
  readJsonLine,
  skipSpace,
  topLevelKeys,
  tryParse,
} from "../../jsonl/json-line.ts";
import type { Line } from "../../jsonl/lines.ts";
import { arrayAt, objectAt } from "../../jsonl/values.ts";
import type { LineParser, ParserContext } from "../agent.ts";
import { createClawThread, emptyClawThread, type SavedClawThread } from "./thread.ts";

/** A whole-file log is held in memory until its end, up to this size. */
const MAX_WHOLE_FILE = 64 * 1024 * 1024;

const RECORD_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "message",
  "compaction",
  "prompt_history",
]);

/** The state that the parser needs to continue later. */
interface SavedState {
  readonly thread: SavedClawThread;
  readonly isFirst: boolean;
}

/**
 * Reads both forms of log: lines, and one JSON object for the whole file, on one line or on many. Only the end shows
 * whether lines that are not JSON by themselves are one object together.
 */
export function createClawParser(context: ParserContext): LineParser {
  const before: SavedState =
    context.resume === undefined ? { thread: emptyClawThread, isFirst: true } : JSON.parse(context.resume);
  const thread = createClawThread(context, before.thread);
  const held: HeldLine[] = [];
  let heldBytes = 0;
  let { isFirst } = before;

  const takeWhole = (object: JsonObject, line: number): void => {
    thread.record({ ...object, type: "session_meta" }, line);
    const compaction = objectAt(object, "compaction");
    if (compaction !== undefined) thread.record({ ...compaction, type: "compaction" }, line);
    for (const prompt of arrayAt(object, "prompt_history") ?? [])
      if (isObject(prompt)) thread.record({ ...prompt, type: "prompt_history" }, line);
    for (const message of arrayAt(object, "messages") ?? [])
      if (!thread.record({ type: "message", message }, line)) context.emit({ kind: "opaque", line });
  };

  const takeLine = (line: HeldLine): void => {
    const { objects, problem } = readJsonLine(line.bytes, line.ended);
    for (const object of objects) {
      if (arrayAt(object, "messages") !== undefined) takeWhole(object, line.number);
      else if (!thread.record(object, line.number)) context.emit({ kind: "opaque", line: line.number });
    }
    if (problem !== undefined) context.emit({ kind: "opaque", line: line.number, problem });
  };

  const takeHeld = (): void => {
    for (const line of held.splice(0)) takeLine(line);
  };

  const mayBelong = (line: Line): boolean => {
    if (isFirst) return isTorn(line);
    return held.length > 0 && heldBytes + line.bytes.length <= MAX_WHOLE_FILE && !isRecord(line);
  };

  return {
    line(line) {
      const isPart = mayBelong(line);
      isFirst = false;
      if (isPart) {
        const { number, ended } = line;
        held.push({ bytes: Buffer.from(line.bytes), number, ended });
        heldBytes += line.bytes.length;
      } else {
        takeHeld();
        takeLine(line);
      }
    },
    // A possible whole-file log is rewritten, never appended to.
    save: () =>
      held.length > 0 ? undefined : JSON.stringify({ thread: thread.save(), isFirst } satisfies SavedState),
    finish() {
      const whole = held.length === 0 ? undefined : readWholeFile(textOf(held));
      if (whole === undefined) takeHeld();
      else {
        takeWhole(whole.log, 1);
        if (whole.isTorn)
          context.emit({
            kind: "opaque",
            line: held.at(-1)?.number ?? 1,
            problem: "torn: the log is not complete",
          });
      }
      return thread.finish();
    },
  };
}

type HeldLine = Pick<Line, "bytes" | "number" | "ended">;

/** Whether it is the beginning of an object and not a complete one. */
function isTorn(line: Line): boolean {
  const { objects, problem } = readJsonLine(line.bytes, true);
  return objects.length === 0 && problem !== undefined && line.bytes.includes("{");
}

function isRecord(line: Line): boolean {
  if (!line.bytes.includes('"type"')) return false;
  return readJsonLine(line.bytes, true).objects.some((object) => RECORD_TYPES.has(object.type));
}

function textOf(lines: readonly HeldLine[]): string {
  return lines
    .map((line) => line.bytes.toString("utf8"))
    .join("\n")
    .replace(/^\uFEFF/, "");
}

/**
 * Whether this is the start of a whole-file log: `{"messages":[{"blocks":…`. Keys are sorted, so `version` comes
 * after all messages, beyond the head of a long one.
 */
export function isWholeFileLog(text: string): boolean {
  const keys = topLevelKeys(text);
  const messages = keys.get("messages");
  if (messages === undefined || text[messages] !== "[") return false;
  const first = skipSpace(text, messages + 1);
  if (text[first] === "]") return keys.has("version");
  return topLevelKeys(text, first).has("blocks");
}

interface WholeFile {
  readonly log: JsonObject;
  readonly isTorn: boolean;
}

/** Reads a whole-file log; if it is truncated, the messages before the end. */
function readWholeFile(text: string): WholeFile | undefined {
  const whole = tryParse(text);
  if (isObject(whole))
    return arrayAt(whole, "messages") === undefined ? undefined : { log: whole, isTorn: false };
  return isWholeFileLog(text) ? { log: { messages: readMessages(text) }, isTorn: true } : undefined;
}

function readMessages(text: string): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  let at = skipSpace(text, (topLevelKeys(text).get("messages") ?? text.length) + 1);
  while (text[at] === "{") {
    const end = endOfObject(text, at);
    const message = end === -1 ? undefined : tryParse(text.slice(at, end));
    if (!isObject(message)) break;
    messages.push(message);
    at = skipSpace(text, end);
    if (text[at] !== ",") break;
    at = skipSpace(text, at + 1);
  }
  return messages;
}
