import { isObject, type JsonObject, readJsonLine } from "../jsonl/json-line.ts";
import type { RawLine } from "../jsonl/lines.ts";
import { arrayAt, objectAt, stringAt } from "../jsonl/values.ts";
import type { AgentName } from "../session/entry.ts";

/** A message as the token-count API takes it. */
export interface ApiMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** What of a log the agent would load: numbers of lines, and ids of the calls on them. */
export interface LoadedParts {
  readonly lines: ReadonlySet<number>;
  readonly calls: ReadonlySet<string>;
}

interface Said {
  readonly role: ApiMessage["role"];
  readonly blocks: readonly JsonObject[];
}

/** The conversation that an agent would send, as near to it as a log tells. Thinking is left out: the API drops it. */
export function apiMessages(
  agent: AgentName,
  lines: Iterable<RawLine>,
  loaded: LoadedParts,
): readonly ApiMessage[] {
  const said: Said[] = [];
  let number = 0;
  for (const { bytes, ended } of lines) {
    number++;
    for (const object of readJsonLine(bytes, ended).objects) {
      const one = agent === "pi" ? piSaid(object) : claudeSaid(object);
      if (one === undefined) continue;
      const isLine = loaded.lines.has(number);
      const blocks = one.blocks.filter((block) => {
        const call = callOf(block);
        return call === undefined ? isLine : loaded.calls.has(call);
      });
      said.push({ role: one.role, blocks });
    }
  }
  return merged(withPairs(said));
}

function claudeSaid(object: JsonObject): Said | undefined {
  const { type } = object;
  if ((type !== "user" && type !== "assistant") || object.isSidechain === true) return undefined;
  const content = objectAt(object, "message")?.content;
  return { role: type, blocks: blocksOf(content) };
}

function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block): JsonObject[] => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    if (!isObject(block)) return [];
    switch (block.type) {
      case "text":
        return stringAt(block, "text") === "" ? [] : [{ type: "text", text: block.text }];
      case "image":
      case "document":
        return [{ type: block.type, source: block.source }];
      case "tool_use":
        return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }];
      case "tool_result":
        return [{ type: "tool_result", tool_use_id: block.tool_use_id, content: block.content }];
      default:
        return [];
    }
  });
}

function piSaid(object: JsonObject): Said | undefined {
  const message = objectAt(object, "message");
  if (object.type === "compaction" || object.type === "branch_summary") {
    return { role: "user", blocks: blocksOf(stringAt(object, "summary")) };
  }
  switch (message?.role) {
    case "user":
      return { role: "user", blocks: piBlocks(message.content) };
    case "assistant":
      return { role: "assistant", blocks: piBlocks(message.content) };
    case "toolResult":
      return {
        role: "user",
        blocks: [
          { type: "tool_result", tool_use_id: message.toolCallId, content: piBlocks(message.content) },
        ],
      };
    case "bashExecution": {
      const text = `${stringAt(message, "command") ?? ""}\n${stringAt(message, "output") ?? ""}`;
      return { role: "user", blocks: [{ type: "text", text }] };
    }
    default:
      return undefined;
  }
}

function piBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return blocksOf(content);
  return (arrayAt({ content }, "content") ?? []).flatMap((block): JsonObject[] => {
    if (!isObject(block)) return [];
    if (block.type === "text") return [{ type: "text", text: block.text }];
    if (block.type === "image") {
      return [{ type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } }];
    }
    return block.type === "toolCall"
      ? [{ type: "tool_use", id: block.id, name: block.name, input: block.arguments ?? {} }]
      : [];
  });
}

function callOf(block: JsonObject): string | undefined {
  return stringAt(block, block.type === "tool_use" ? "id" : "tool_use_id");
}

/** The API takes a call only with its result, and each once. */
function withPairs(said: readonly Said[]): readonly Said[] {
  const ids = (type: string): ReadonlySet<string> =>
    new Set(
      said.flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.type === type ? (callOf(block) ?? []) : [])),
      ),
    );
  const uses = ids("tool_use");
  const results = ids("tool_result");
  const seen = new Set<string>();
  return said.map(({ role, blocks }) => ({
    role,
    blocks: blocks.filter((block) => {
      const call = callOf(block);
      if (call === undefined) return true;
      const key = `${String(block.type)} ${call}`;
      const isWanted = uses.has(call) && results.has(call) && !seen.has(key);
      seen.add(key);
      return isWanted;
    }),
  }));
}

/** Lines of one message, and several of the same side, are one. The user begins. */
function merged(said: readonly Said[]): readonly ApiMessage[] {
  const messages: { role: ApiMessage["role"]; content: JsonObject[] }[] = [];
  for (const { role, blocks } of said) {
    if (blocks.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === role) for (const block of blocks) last.content.push(block);
    else messages.push({ role, content: [...blocks] });
  }
  if (messages[0]?.role === "assistant")
    messages.unshift({ role: "user", content: [{ type: "text", text: "…" }] });
  return messages;
}
