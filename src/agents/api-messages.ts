import { type JsonObject, readJsonLine } from "../jsonl/json-line.ts";
import type { RawLine } from "../jsonl/lines.ts";
import { stringAt } from "../jsonl/values.ts";
import type { AgentName } from "../session/entry.ts";
import { actionsOf } from "./actions.ts";
import type { ApiMessage } from "./agent-actions.ts";

/** The part of a log that the agent would load: numbers of lines, and ids of the calls on them. */
export interface LoadedParts {
  readonly lines: ReadonlySet<number>;
  readonly calls: ReadonlySet<string>;
}

/**
 * The conversation that an agent would send, as precisely as a log allows. Thinking is left out, because the API
 * drops it. Empty for agents that do not support this.
 */
export function apiMessages(
  agent: AgentName,
  lines: Iterable<RawLine>,
  loaded: LoadedParts,
): readonly ApiMessage[] {
  const { apiMessage } = actionsOf(agent);
  if (apiMessage === undefined) return [];
  const said: ApiMessage[] = [];
  let number = 0;
  for (const { bytes, ended } of lines) {
    number++;
    for (const object of readJsonLine(bytes, ended).objects) {
      const one = apiMessage(object);
      if (one === undefined) continue;
      const isLine = loaded.lines.has(number);
      const blocks = one.content.filter((block) => {
        const call = callOf(block);
        return call === undefined ? isLine : loaded.calls.has(call);
      });
      said.push({ role: one.role, content: blocks });
    }
  }
  return merged(withPairs(said));
}

function callOf(block: JsonObject): string | undefined {
  return stringAt(block, block.type === "tool_use" ? "id" : "tool_use_id");
}

/** The API accepts a call only with its result, and each only once. */
function withPairs(said: readonly ApiMessage[]): readonly ApiMessage[] {
  const ids = (type: string): ReadonlySet<string> =>
    new Set(
      said.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === type ? (callOf(block) ?? []) : [])),
      ),
    );
  const uses = ids("tool_use");
  const results = ids("tool_result");
  const seen = new Set<string>();
  return said.map(({ role, content }) => ({
    role,
    content: content.filter((block) => {
      const call = callOf(block);
      if (call === undefined) return true;
      const key = `${String(block.type)} ${call}`;
      const isWanted = uses.has(call) && results.has(call) && !seen.has(key);
      seen.add(key);
      return isWanted;
    }),
  }));
}

/** Joins lines of one message, and consecutive messages of the same side. The user begins. */
function merged(said: readonly ApiMessage[]): readonly ApiMessage[] {
  const messages: { role: ApiMessage["role"]; content: JsonObject[] }[] = [];
  for (const { role, content } of said) {
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === role) for (const block of content) last.content.push(block);
    else messages.push({ role, content: [...content] });
  }
  if (messages[0]?.role === "assistant")
    messages.unshift({ role: "user", content: [{ type: "text", text: "…" }] });
  return messages;
}
