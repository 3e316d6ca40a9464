import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../src/agents/byte-source.ts";
import { readSession } from "../../src/agents/read-session.ts";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import { defaultTextLimits } from "../../src/session/text-budget.ts";

/** Writes messages as an agent logs them. Each has the message before it as its parent, if the agent knows parents. */
interface LogWriter {
  readonly head: readonly object[];
  request(text: string, id: number): object;
  reply(text: string, id: number): object;
  ask(question: string, id: number): object;
  /** A call that ticks off the agent's own list, and its result. */
  tick(id: number): readonly object[];
  /** undefined if the agent logs no interrupts. */
  readonly interrupt?: (id: number) => object;
}

const at = (id: number): string => `2026-05-04T09:00:0${id}.000Z`;

const claudeLine = (id: number, type: string, message: object): object => ({
  type,
  uuid: `u${id}`,
  parentUuid: id === 1 ? null : `u${id - 1}`,
  sessionId: "s",
  cwd: "/w",
  timestamp: at(id),
  message: { role: type, ...message },
});
const piLine = (id: number, message: object): object => ({
  type: "message",
  id: `e${id}`,
  parentId: id === 1 ? null : `e${id - 1}`,
  timestamp: at(id),
  message,
});
const codexLine = (id: number, type: string, payload: object): object => ({
  timestamp: at(id),
  type,
  payload,
});
const clawLine = (role: string, ...blocks: readonly object[]): object => ({
  type: "message",
  message: { role, blocks },
});

const geminiLine = (id: number, type: string, content: unknown, more: object = {}): object => ({
  id: `m${id}`,
  timestamp: at(id),
  type,
  content,
  ...more,
});
const geminiCall = (id: number, name: string, args: object, isDone: boolean): object =>
  geminiLine(id, "gemini", "", {
    toolCalls: [
      {
        id: "c1",
        name,
        args,
        ...(isDone ? { result: [{ functionResponse: { id: "c1", name, response: { output: "ok" } } }] } : {}),
        status: isDone ? "success" : "executing",
      },
    ],
  });
const copilotLine = (id: number, type: string, data: object): object => ({
  type,
  data,
  id: `e${id}`,
  timestamp: at(id),
  parentId: id === 0 ? null : `e${id - 1}`,
});
const copilotCall = (id: number, name: string, given: object): object =>
  copilotLine(id, "assistant.message", {
    messageId: `m${id}`,
    content: "",
    toolRequests: [{ toolCallId: "c1", name, arguments: given, type: "function" }],
  });

const agents: Readonly<Record<string, LogWriter>> = {
  claude: {
    head: [],
    request: (text, id) => claudeLine(id, "user", { content: text }),
    reply: (text, id) => claudeLine(id, "assistant", { id: `m${id}`, content: [{ type: "text", text }] }),
    ask: (question, id) =>
      claudeLine(id, "assistant", {
        id: `m${id}`,
        content: [
          { type: "tool_use", id: "c1", name: "AskUserQuestion", input: { questions: [{ question }] } },
        ],
      }),
    tick: (id) => [
      claudeLine(id, "assistant", {
        id: `m${id}`,
        content: [
          {
            type: "tool_use",
            id: "c1",
            name: "TodoWrite",
            input: { todos: [{ content: "Fix it", status: "completed" }] },
          },
        ],
      }),
      claudeLine(id + 1, "user", { content: [{ type: "tool_result", tool_use_id: "c1", content: "ok" }] }),
    ],
    interrupt: (id) =>
      claudeLine(id, "user", { content: [{ type: "text", text: "[Request interrupted by user]" }] }),
  },
  pi: {
    head: [{ type: "session", version: 3, id: "s", timestamp: at(0), cwd: "/w" }],
    request: (text, id) => piLine(id, { role: "user", content: text }),
    reply: (text, id) => piLine(id, { role: "assistant", content: [{ type: "text", text }] }),
    ask: (question, id) =>
      piLine(id, {
        role: "assistant",
        content: [{ type: "toolCall", id: "c1", name: "question", arguments: { question, options: [] } }],
      }),
    tick: (id) => [
      piLine(id, {
        role: "assistant",
        content: [{ type: "toolCall", id: "c1", name: "todo", arguments: { action: "toggle", id: 1 } }],
      }),
      piLine(id + 1, {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "todo",
        content: [{ type: "text", text: "ok" }],
        details: { todos: [{ id: 1, text: "Fix it", done: true }] },
      }),
    ],
    interrupt: (id) => piLine(id, { role: "assistant", content: [], stopReason: "aborted" }),
  },
  claw: {
    head: [
      {
        type: "session_meta",
        session_id: "session-1775386832313-0",
        created_at_ms: 1,
        updated_at_ms: 2,
        version: 1,
      },
    ],
    request: (text) => clawLine("user", { type: "text", text }),
    reply: (text) => clawLine("assistant", { type: "text", text }),
    ask: (question) =>
      clawLine("assistant", {
        type: "tool_use",
        id: "c1",
        name: "AskUserQuestion",
        input: JSON.stringify({ question }),
      }),
    tick: () => [
      clawLine("assistant", {
        type: "tool_use",
        id: "c1",
        name: "TodoWrite",
        input: JSON.stringify({ todos: [{ content: "Fix it", status: "completed" }] }),
      }),
      clawLine("tool", {
        type: "tool_result",
        tool_use_id: "c1",
        tool_name: "TodoWrite",
        output: "ok",
        is_error: false,
      }),
    ],
  },
  codex: {
    head: [
      codexLine(0, "session_meta", { id: "s", timestamp: at(0), cwd: "/w", originator: "codex_cli_rs" }),
    ],
    request: (text, id) =>
      codexLine(id, "response_item", {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text }],
      }),
    reply: (text, id) =>
      codexLine(id, "response_item", {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text }],
      }),
    ask: (question, id) =>
      codexLine(id, "response_item", {
        type: "function_call",
        name: "request_user_input",
        call_id: "c1",
        arguments: JSON.stringify({ questions: [{ id: "q", question }] }),
      }),
    tick: (id) => [
      codexLine(id, "response_item", {
        type: "function_call",
        name: "update_plan",
        call_id: "c1",
        arguments: JSON.stringify({ plan: [{ step: "Fix it", status: "completed" }] }),
      }),
      codexLine(id + 1, "response_item", { type: "function_call_output", call_id: "c1", output: "ok" }),
    ],
    interrupt: (id) => codexLine(id, "event_msg", { type: "turn_aborted", reason: "interrupted" }),
  },
  gemini: {
    head: [{ sessionId: "s", projectHash: "64ab", startTime: at(0), lastUpdated: at(0), kind: "main" }],
    request: (text, id) => geminiLine(id, "user", [{ text }]),
    reply: (text, id) => geminiLine(id, "gemini", text),
    ask: (question, id) => geminiCall(id, "ask_user", { questions: [{ question }] }, false),
    tick: (id) => [
      geminiCall(id, "write_todos", { todos: [{ description: "Fix it", status: "completed" }] }, true),
    ],
  },
  copilot: {
    head: [copilotLine(0, "session.start", { sessionId: "s", version: 1, context: { cwd: "/w" } })],
    request: (text, id) => copilotLine(id, "user.message", { content: text, messageId: `m${id}` }),
    reply: (text, id) =>
      copilotLine(id, "assistant.message", { messageId: `m${id}`, content: text, toolRequests: [] }),
    ask: (question, id) => copilotCall(id, "ask_user", { question }),
    tick: (id) => [
      copilotCall(id, "sql", {
        query: "INSERT INTO todos (id, title, status) VALUES ('a', 'Fix it', 'done')",
      }),
      copilotLine(id + 1, "tool.execution_complete", {
        toolCallId: "c1",
        success: true,
        result: { content: "1 row" },
      }),
    ],
  },
};

/** Open work in a log of these lines, each as `source: text`. Nothing of inputs is kept, as after a compaction. */
function openIn(agent: string, lines: readonly object[]): readonly string[] {
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const source: ByteSource = {
    chunks: () => [bytes],
    text: () => bytes.toString(),
    head: () => bytes,
    explain: String,
  };
  const files = {
    agent,
    id: "s",
    files: [{ role: "main" as const, path: "/w/s.jsonl", size: bytes.length, mtimeMs: 0, inode: 1 }],
  };
  const session = readSession(source, files, { ...defaultTextLimits, inputChars: 0, outputChars: 0 });
  return extractDigest(session).pending.map(({ source: from, text }) => `${from}: ${text}`);
}

describe.each(Object.entries(agents))("the end of a log of %s", (agent, writer) => {
  const { head, request, reply, ask, tick } = writer;
  const start = [...head, request("Fix the import", 1)];

  test("has next steps and offers of the last reply", () => {
    const text = "It works.\n\n**Next steps:**\n- Add a test\n\nWant me to commit?";
    expect(
      openIn(agent, [...start, reply("Next: look at it", 2), request("And?", 3), reply(text, 4)]),
    ).toEqual(["next: Add a test", "next: Want me to commit?"]);
  });

  test("has a question of a tool that nobody answered", () => {
    expect(openIn(agent, [...start, reply("Let me ask.", 2), ask("Which file?", 3)])).toEqual([
      "question: Which file?",
    ]);
  });

  test("is its last words, if the agent only ticks off its own list after them", () => {
    expect(openIn(agent, [...start, reply("All done.", 2), ...tick(3)])).toEqual([]);
    expect(openIn(agent, [...start, reply("Want me to commit?", 2), ...tick(3)])).toEqual([
      "next: Want me to commit?",
    ]);
  });

  test("has a request that was never answered", () => {
    expect(openIn(agent, [...start, reply("Done.", 2), request("And the export", 3)])).toEqual([
      "interrupted: And the export",
    ]);
  });
});

test.each(Object.entries(agents).filter(([, { interrupt }]) => interrupt !== undefined))(
  "a log of %s says that a request was interrupted",
  (agent, { head, request, reply, interrupt }) => {
    const stop = interrupt?.(3) ?? {};
    const log = [...head, request("Fix the import", 1), reply("Let me look at the parser.", 2), stop];
    expect(openIn(agent, log)).toEqual([
      "interrupted: Fix the import; stopped at: Let me look at the parser.",
    ]);
  },
);
