import { Buffer } from "node:buffer";
import {
  isProperJson,
  itemsOf,
  type JsonSpan,
  memberAt,
  scanJsonLine,
  stringOf,
} from "../../jsonl/json-spans.ts";
import {
  type BulkyBlock,
  type BulkyFinder,
  type BulkyOptions,
  bulkyOnly,
  type Calls,
  contentBlocks,
  copyBlocks,
  createCalls,
  type Flattening,
  fileIn,
  type ResultPlace,
  textBlock,
} from "../bulky-block.ts";

/** Results of tool calls with their details, and the output of commands that the user ran. */
export const piFlattening: Flattening = { finder: piFinder, places: piPlaces };

const PI_NEEDLES = ['"toolResult"', '"toolCall"', '"bashExecution"', '"tool"'].map((word) =>
  Buffer.from(word),
);

function piFinder({ minBytes, copies }: BulkyOptions): BulkyFinder {
  const calls = createCalls();
  return (bytes) => {
    if (!PI_NEEDLES.some((needle) => bytes.includes(needle))) return [];
    const blocks = scanJsonLine(bytes).flatMap((entry) => {
      if (!isProperJson(bytes, entry)) return [];
      const message = memberAt(entry, "message");
      const role = stringOf(bytes, memberAt(message, "role"));
      if (role === "assistant") noteCalls(bytes, message, calls);
      if (role === "bashExecution") return bashOutput(bytes, entry, message, calls);
      if (role !== "toolResult" && role !== "tool") return [];
      const id = stringOf(bytes, memberAt(message, "toolCallId")) ?? "";
      const tool = stringOf(bytes, memberAt(message, "toolName"));
      const call = { ...calls.of(id), ...(tool === undefined ? {} : { tool }) };
      const details = copies ? copyBlocks(bytes, memberAt(message, "details"), call, minBytes) : [];
      return [...contentBlocks(bytes, memberAt(message, "content"), call, calls.numbersOf(id)), ...details];
    });
    return bulkyOnly(bytes, blocks, minBytes);
  };
}

function noteCalls(bytes: Buffer, message: JsonSpan | undefined, calls: Calls): void {
  for (const block of itemsOf(memberAt(message, "content"))) {
    const id = stringOf(bytes, memberAt(block, "id"));
    if (stringOf(bytes, memberAt(block, "type")) !== "toolCall" || id === undefined) continue;
    const name = stringOf(bytes, memberAt(block, "name")) ?? "";
    calls.note(id, name, fileIn(bytes, memberAt(block, "arguments")));
  }
}

/** A shell command typed by the user has no call: its entry names it. */
function bashOutput(
  bytes: Buffer,
  entry: JsonSpan,
  message: JsonSpan | undefined,
  calls: Calls,
): readonly BulkyBlock[] {
  const output = memberAt(message, "output");
  const toolUseId = stringOf(bytes, memberAt(entry, "id"));
  if (output?.kind !== "string" || toolUseId === undefined) return [];
  const call = { toolUseId, tool: "bash", file: undefined };
  return [textBlock(bytes, output, call, calls.numbersOf(toolUseId)())];
}

function piPlaces(bytes: Buffer): readonly ResultPlace[] {
  return scanJsonLine(bytes).flatMap((entry) => {
    const message = memberAt(entry, "message");
    const role = stringOf(bytes, memberAt(message, "role"));
    const isBash = role === "bashExecution";
    if (!isBash && role !== "toolResult" && role !== "tool") return [];
    const id = isBash ? memberAt(entry, "id") : memberAt(message, "toolCallId");
    const toolUseId = stringOf(bytes, id) ?? "";
    const place = (key: string, isCopy: boolean): ResultPlace[] => {
      const span = memberAt(message, key);
      return span === undefined ? [] : [{ toolUseId, span, isCopy }];
    };
    return isBash ? place("output", false) : [...place("content", false), ...place("details", true)];
  });
}
