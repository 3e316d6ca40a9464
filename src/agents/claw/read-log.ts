import { Buffer } from "node:buffer";
import type { SummaryBlock, SummaryMessage } from "../../extract/session-messages.ts";
import { isObject, type JsonObject, tryParse } from "../../jsonl/json-line.ts";
import { type JsonObjectSpan, type JsonSpan, memberAt, scanJsonLine } from "../../jsonl/json-spans.ts";
import { rawLines } from "../../jsonl/lines.ts";
import { numberAt, objectAt, stringAt } from "../../jsonl/values.ts";
import type { ClawSized } from "./compact.ts";
import { type ClawMessage, isContinuation, messageText, readClawMessage } from "./message.ts";

/** A log of claw-code with the places that a compaction changes. */
export interface ClawLog {
  readonly form: "whole" | "lines";
  readonly bytes: Buffer;
  readonly messages: readonly LoggedMessage[];
  /** The number of its compactions, and where that is written: the value, or the line with its end. */
  readonly compactions: number;
  readonly compaction: Place | undefined;
  /** Where the record of a compaction belongs if there is none yet. */
  readonly compactionAt: number;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** `from` and `to`: the object in a whole file, the line with its end among lines. */
export interface LoggedMessage extends Place {
  readonly message: ClawMessage;
}

/** The reason why claw-code itself would not load a log. */
export class UnreadableClawLog extends Error {}

/** Reads a log as strictly as claw-code does: an unknown line is an error. */
export function readClawLog(chunks: Iterable<Uint8Array>): ClawLog {
  const parts: Buffer[] = [];
  // A chunk is valid until the next is requested.
  for (const chunk of chunks) parts.push(Buffer.from(chunk));
  const bytes = Buffer.concat(parts);
  const whole = wholeFile(bytes);
  return whole === undefined ? readLines(bytes) : readWhole(bytes, whole);
}

/** A file is one object if all of it parses and it has messages. */
export function wholeFile(bytes: Buffer): JsonObjectSpan | undefined {
  const [span, ...more] = scanJsonLine(bytes);
  if (span?.kind !== "object" || more.length > 0) return undefined;
  return memberAt(span, "messages")?.kind === "array" ? span : undefined;
}

function readWhole(bytes: Buffer, span: JsonObjectSpan): ClawLog {
  const list = memberAt(span, "messages");
  const items: readonly JsonSpan[] = list?.kind === "array" ? list.items : [];
  const compaction = memberAt(span, "compaction");
  return {
    form: "whole",
    bytes,
    messages: items.map((item, at) =>
      messageAt(bytes, { from: item.start, to: item.end }, `message ${at + 1}`),
    ),
    compactions:
      compaction === undefined ? 0 : countOf(parseAt(bytes, { from: compaction.start, to: compaction.end })),
    compaction: compaction === undefined ? undefined : { from: compaction.start, to: compaction.end },
    compactionAt: span.start + 1,
  };
}

function readLines(bytes: Buffer): ClawLog {
  const messages: LoggedMessage[] = [];
  let compactions = 0;
  let compaction: Place | undefined;
  let compactionAt = 0;
  let number = 0;
  for (const line of rawLines([bytes])) {
    number++;
    const place = { from: line.offset, to: line.offset + line.bytes.length + (line.ended ? 1 : 0) };
    if (line.bytes.toString("utf8").trim() === "") continue;
    const object = parseAt(bytes, place);
    const where = `line ${number}`;
    switch (isObject(object) ? object.type : undefined) {
      case "session_meta":
        compactionAt = place.to;
        break;
      case "compaction":
        compactions = countOf(object);
        compaction = place;
        break;
      case "prompt_history":
        break;
      case "message":
        messages.push({
          ...place,
          message: readMessage(isObject(object) ? object.message : undefined, where),
        });
        break;
      default:
        throw new UnreadableClawLog(`${where} is not one that claw-code knows`);
    }
  }
  return { form: "lines", bytes, messages, compactions, compaction, compactionAt };
}

function parseAt(bytes: Buffer, { from, to }: Place): unknown {
  return tryParse(bytes.toString("utf8", from, to).replace(/^\uFEFF/, ""));
}

function messageAt(bytes: Buffer, place: Place, where: string): LoggedMessage {
  return { ...place, message: readMessage(parseAt(bytes, place), where) };
}

function readMessage(value: unknown, where: string): ClawMessage {
  const message = readClawMessage(value);
  if (message === undefined) throw new UnreadableClawLog(`${where} is not a message that claw-code can read`);
  return message;
}

function countOf(compaction: unknown): number {
  return isObject(compaction) ? (numberAt(compaction, "count") ?? 0) : 0;
}

export function clawSizeOf(message: ClawMessage): ClawSized {
  return {
    tokens: message.blocks.reduce((sum, block) => sum + blockTokens(block), 0),
    inputTokens: numberAt(objectAt({ usage: message.usage }, "usage"), "input_tokens") ?? 0,
    beginsWithResult: message.blocks[0]?.type === "tool_result",
    hasCall: message.blocks.some((block) => block.type === "tool_use"),
    isSummary: message.role === "system" && isContinuation(messageText(message)),
  };
}

/** Four bytes per token, and one token for the block. */
function blockTokens(block: JsonObject): number {
  const bytes = (key: string): number => Buffer.byteLength(stringAt(block, key) ?? "");
  switch (block.type) {
    case "text":
      return Math.floor(bytes("text") / 4) + 1;
    case "thinking":
      return Math.floor(bytes("thinking") / 4) + Math.floor(bytes("signature") / 4) + 1;
    case "tool_use":
      return Math.floor((bytes("name") + bytes("input")) / 4) + 1;
    case "tool_result":
      return Math.floor((bytes("tool_name") + bytes("output")) / 4) + 1;
    default:
      return 0;
  }
}

/** A message in the form that summaries read. */
export function summaryMessage({ role, blocks }: ClawMessage): SummaryMessage {
  return { role: ROLES.find((known) => known === role) ?? "system", blocks: blocks.flatMap(summaryBlock) };
}

const ROLES = ["system", "user", "assistant", "tool"] as const;

function summaryBlock(block: JsonObject): readonly SummaryBlock[] {
  const text = (key: string): string => stringAt(block, key) ?? "";
  switch (block.type) {
    case "text":
      return [{ kind: "text", text: text("text") }];
    case "thinking":
      return [{ kind: "thinking", chars: [...text("thinking")].length }];
    case "tool_use":
      return [{ kind: "call", name: text("name"), input: text("input") }];
    case "tool_result":
      return [
        { kind: "result", name: text("tool_name"), output: text("output"), isError: block.is_error === true },
      ];
    default:
      return [];
  }
}
