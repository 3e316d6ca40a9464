import { Buffer } from "node:buffer";
import {
  isProperJson,
  itemsOf,
  type JsonSpan,
  memberAt,
  scanJsonLine,
  stringOf,
} from "../jsonl/json-spans.ts";
import type { AgentName } from "../session/entry.ts";
import {
  type BulkyBlock,
  type BulkyFinder,
  type BulkyOptions,
  bulkyOnly,
  type CallOfResult,
  contentBlocks,
  copyBlocks,
  textBlock,
} from "./bulky-block.ts";
import { toolLines } from "./claude/tool-parts.ts";

/** One row per agent whose logs can be flattened. */
const table: Partial<Record<AgentName, (options: BulkyOptions) => BulkyFinder>> = {
  claude: claudeFinder,
  pi: piFinder,
};

export function bulkyFinderOf(agent: AgentName): ((options: BulkyOptions) => BulkyFinder) | undefined {
  return table[agent];
}

/** Remembers calls by their ids, and counts the blocks of each. */
interface Calls {
  note(id: string, tool: string, file: string | undefined): void;
  of(id: string): CallOfResult;
  /** Numbers the blocks of a call, from 1, in the order of the log. */
  numbersOf(id: string): () => number;
}

function createCalls(): Calls {
  const known = new Map<string, CallOfResult>();
  const counts = new Map<string, number>();
  return {
    note: (toolUseId, tool, file) => void known.set(toolUseId, { toolUseId, tool, file }),
    of: (toolUseId) => known.get(toolUseId) ?? { toolUseId, tool: "", file: undefined },
    numbersOf: (id) => () => {
      const number = (counts.get(id) ?? 0) + 1;
      counts.set(id, number);
      return number;
    },
  };
}

function fileIn(bytes: Buffer, input: JsonSpan | undefined): string | undefined {
  for (const key of ["file_path", "notebook_path", "path"]) {
    const file = stringOf(bytes, memberAt(input, key));
    if (file !== undefined) return file;
  }
  return undefined;
}

function claudeFinder({ minBytes, copies }: BulkyOptions): BulkyFinder {
  const calls = createCalls();
  return (bytes) => {
    const blocks: BulkyBlock[] = [];
    for (const { parts, copy } of toolLines(bytes)) {
      let first: CallOfResult | undefined;
      for (const part of parts) {
        if (part.kind === "use") calls.note(part.id, part.tool, fileIn(bytes, part.input));
        else {
          const call = calls.of(part.id);
          first ??= call;
          const found = contentBlocks(bytes, part.content, call, calls.numbersOf(part.id));
          for (const block of found) blocks.push(block);
        }
      }
      if (copies && first !== undefined)
        for (const block of copyBlocks(bytes, copy, first, minBytes)) blocks.push(block);
    }
    return bulkyOnly(bytes, blocks, minBytes);
  };
}

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

/** A shell line of the user's own has no call: its entry names it. */
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
