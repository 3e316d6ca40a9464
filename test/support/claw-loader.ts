/**
 * Loads a log as claw-code does: the whole file if it parses and has messages, else line by line, and anything that
 * it does not know is an error. Written without the program's code.
 */
// biome-ignore lint/suspicious/noExplicitAny: what is checked here is not known yet.
type Json = any;

export interface LoadedClaw {
  readonly sessionId: string | undefined;
  readonly fork: Json;
  readonly compaction:
    | { readonly count: number; readonly removed_message_count: number; readonly summary: string }
    | undefined;
  readonly prompts: number;
  readonly messages: readonly Json[];
}

export function loadClaw(text: string): LoadedClaw {
  const whole = parse(text);
  if (whole !== undefined && Array.isArray(whole.messages)) {
    check(whole.version === 1, "version");
    return {
      sessionId: whole.session_id,
      fork: whole.fork,
      compaction: whole.compaction === undefined ? undefined : compactionOf(whole.compaction),
      prompts: (whole.prompt_history ?? []).length,
      messages: whole.messages.map(messageOf),
    };
  }
  const loaded = { sessionId: undefined, fork: undefined, prompts: 0 } as Json;
  const messages: Json[] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const record = parse(line);
    check(record !== undefined, `line ${JSON.stringify(line.slice(0, 60))}`);
    switch (record.type) {
      case "session_meta":
        check(record.version === 1 && typeof record.session_id === "string", "session_meta");
        check(
          Number.isInteger(record.created_at_ms) && Number.isInteger(record.updated_at_ms),
          "session_meta",
        );
        loaded.sessionId = record.session_id;
        loaded.fork = record.fork;
        break;
      case "compaction":
        loaded.compaction = compactionOf(record);
        break;
      case "prompt_history":
        check(Number.isInteger(record.timestamp_ms) && typeof record.text === "string", "prompt_history");
        loaded.prompts++;
        break;
      case "message":
        messages.push(messageOf(record.message));
        break;
      default:
        throw new Error(`claw-code does not load this: unknown type ${record.type}`);
    }
  }
  return { ...loaded, messages };
}

function parse(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function compactionOf(record: Json): Json {
  check(Number.isInteger(record.count) && record.count > 0, "compaction.count");
  check(Number.isInteger(record.removed_message_count), "compaction.removed_message_count");
  check(typeof record.summary === "string", "compaction.summary");
  return {
    count: record.count,
    removed_message_count: record.removed_message_count,
    summary: record.summary,
  };
}

const TEXTS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["thinking"],
  tool_use: ["id", "name", "input"],
  tool_result: ["tool_use_id", "tool_name", "output"],
};

function messageOf(message: Json): Json {
  check(["system", "user", "assistant", "tool"].includes(message?.role), "role");
  check(Array.isArray(message.blocks), "blocks");
  for (const block of message.blocks) {
    const texts = TEXTS[block.type];
    check(texts !== undefined, `block of type ${block.type}`);
    for (const key of texts ?? []) check(typeof block[key] === "string", `${block.type}.${key}`);
    if (block.type === "tool_result") check(typeof block.is_error === "boolean", "is_error");
  }
  if (message.usage !== undefined) {
    for (const key of [
      "input_tokens",
      "output_tokens",
      "cache_creation_input_tokens",
      "cache_read_input_tokens",
    ])
      check(Number.isInteger(message.usage[key]), `usage.${key}`);
  }
  return message;
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`claw-code does not load this: ${what}`);
}
