import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { streamChat, streamGemini, streamMessages, streamResponses } from "./model-streams.ts";

/** What an agent asked the model. */
export interface ModelRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The conversation as the API has it: `messages`, `input` of OpenAI's responses, or Google's `contents`. */
  readonly messages: readonly unknown[];
  /** Everything that was said since the model's last reply, tool results included. */
  readonly asked: string;
  readonly isAfterTool: boolean;
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
}

/** What the model says, or the tool that it calls. */
export interface ModelReply {
  readonly text?: string;
  readonly call?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
  /** The call may follow the result of another. */
  readonly isFollowUp?: boolean;
  /** How long it says that the conversation was; 10 if absent. */
  readonly promptTokens?: number;
}

/** What it replies to what it is asked. A rule that calls a tool answers no tool's result, unless it is a follow-up. */
export interface ModelRule {
  readonly when: RegExp;
  /** undefined: the next rule is asked. */
  readonly reply: ModelReply | ((request: ModelRequest) => ModelReply | undefined);
}

export interface FakeModel {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Every request so far that asked for a reply. */
  readonly requests: readonly ModelRequest[];
  /** Adds a rule that counts before those that are there. */
  rule(when: ModelRule["when"], reply: ModelRule["reply"]): void;
  close(): Promise<void>;
}

/**
 * Answers on loopback as a model would, so that real agents can run in a test: Anthropic's messages, OpenAI's responses
 * and chat completions, Google's generateContent, streamed. It replies "Answer number N …" unless a rule says otherwise, and a summary if it is
 * asked for one.
 */
export async function startFakeModel(): Promise<FakeModel> {
  const requests: ModelRequest[] = [];
  const rules: ModelRule[] = [
    {
      when: /create a detailed summary|CONTEXT CHECKPOINT COMPACTION/i,
      reply: { text: "<summary>A summary by the model.</summary>" },
    },
  ];
  const replyTo = (request: ModelRequest): ModelReply => {
    for (const { when, reply } of rules) {
      if (!when.test(request.asked)) continue;
      const given = typeof reply === "function" ? reply(request) : reply;
      if (given === undefined) continue;
      if (given.call === undefined || !request.isAfterTool || given.isFollowUp === true) return given;
    }
    return { text: `Answer number ${request.number} about the flux capacitor` };
  };
  const server = createServer((incoming, response) => {
    void answer(incoming, response, requests, replyTo);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    rule: (when, reply) => void rules.unshift({ when, reply }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  requests: ModelRequest[],
  replyTo: (request: ModelRequest) => ModelReply,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = incoming.url ?? "/";
  const json = (value: object): void => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(value));
  };
  if (/count_?tokens/i.test(path)) return json({ input_tokens: 100, totalTokens: 100 });
  if (path.split("?")[0]?.endsWith("/models"))
    return json({ object: "list", data: [{ id: "fake", object: "model" }] });
  const stream = [
    { end: /\/v1\/messages(?:\?|$)/, send: streamMessages },
    { end: /\/responses(?:\?|$)/, send: streamResponses },
    { end: /\/chat\/completions(?:\?|$)/, send: streamChat },
    { end: /:(?:streamG|g)enerateContent(?:\?|$)/, send: streamGemini },
  ].find(({ end }) => end.test(path));
  if (stream === undefined || chunks.length === 0) {
    response.statusCode = 404;
    return json({ error: { message: `nothing is at ${path}` } });
  }
  const request = readRequest(requests.length + 1, path, JSON.parse(Buffer.concat(chunks).toString()));
  requests.push(request);
  return stream.send(response, request, replyTo(request));
}

function readRequest(number: number, path: string, body: Record<string, unknown>): ModelRequest {
  const messages = listOf(body.messages ?? body.input ?? body.contents);
  const asked = messages.slice(messages.findLastIndex(isOfModel) + 1);
  const said = JSON.stringify(asked);
  return {
    number,
    path,
    body,
    messages,
    asked: textsOf(asked).join("\n"),
    isAfterTool:
      /"type":"(?:tool_result|function_call_output|custom_tool_call_output)"|"role":"tool"|"functionResponse":/.test(
        said,
      ),
    tools: listOf(body.tools).flatMap(toolNames),
  };
}

function isOfModel(message: unknown): boolean {
  if (!isRecord(message)) return false;
  return (
    message.role === "assistant" ||
    message.role === "model" ||
    ["reasoning", "function_call", "custom_tool_call"].includes(String(message.type))
  );
}

/** A tool, the function of one, or a namespace of them. */
function toolNames(tool: unknown): readonly string[] {
  if (!isRecord(tool)) return [];
  if (Array.isArray(tool.functionDeclarations)) return tool.functionDeclarations.flatMap(toolNames);
  if (Array.isArray(tool.tools)) {
    const names = tool.tools.flatMap(toolNames);
    return names.map((name) => (typeof tool.name === "string" ? `${tool.name}${name}` : name));
  }
  const named = isRecord(tool.function) ? tool.function : tool;
  return typeof named.name === "string" ? [named.name] : [];
}

/** What people, the model and tools said in a request, in order; without what agents put beside it. */
export function talkIn({ messages }: Pick<ModelRequest, "messages">): readonly string[] {
  return messages
    .filter((message) => !isRecord(message) || !["system", "developer"].includes(String(message.role)))
    .flatMap(textsOf)
    .map((text) => text.trim())
    .filter((text) => text !== "" && !/^<(?:[a-z]+[-_ ])+[a-z]+>/.test(text));
}

/** Every text of a message, wherever its API puts it. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isRecord(value)) return [];
  const { text, content, output, parts, functionResponse, response } = value;
  return [text, content, output, parts, functionResponse, response].flatMap((part) =>
    part === undefined ? [] : textsOf(part),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
