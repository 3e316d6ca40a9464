import type { ServerResponse } from "node:http";
import type { ModelReply, ModelRequest } from "./fake-model.ts";

/*
 * One reply in the words of four APIs, as server-sent events: just enough of each for the agents to accept it.
 */

type Send = (event: string | undefined, data: object | string) => void;

function eventsOf(response: ServerResponse): Send {
  response.setHeader("content-type", "text/event-stream");
  return (event, data) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
  };
}

/** Anthropic's messages. */
export function streamMessages(response: ServerResponse, request: ModelRequest, reply: ModelReply): void {
  const { number, body } = request;
  const blocks = [
    ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
    ...(reply.call === undefined
      ? []
      : [{ type: "tool_use", id: `toolu_fake${number}`, name: reply.call.tool, input: reply.call.input }]),
  ];
  const stopReason = reply.call === undefined ? "end_turn" : "tool_use";
  const message = {
    id: `msg_fake${number}`,
    type: "message",
    role: "assistant",
    model: body.model,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  if (body.stream !== true) {
    const whole = { ...message, content: blocks, stop_reason: stopReason };
    response.setHeader("content-type", "application/json").end(JSON.stringify(whole));
    return;
  }
  const events = eventsOf(response);
  const send = (type: string, data: object): void => events(type, { type, ...data });
  send("message_start", { message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of blocks.entries()) {
    const isText = "text" in block;
    const start = isText ? { type: "text", text: "" } : { ...block, input: {} };
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    send("content_block_start", { index, content_block: start });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { output_tokens: 5 },
  });
  send("message_stop", {});
  response.end();
}

/** OpenAI's responses. */
export function streamResponses(response: ServerResponse, request: ModelRequest, reply: ModelReply): void {
  const { number } = request;
  const items = [
    ...(reply.text === undefined
      ? []
      : [
          {
            type: "message",
            id: `msg_fake${number}`,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: reply.text, annotations: [] }],
          },
        ]),
    ...(reply.call === undefined
      ? []
      : [
          {
            type: "function_call",
            id: `fc_fake${number}`,
            call_id: `call_fake${number}`,
            ...functionName(request, reply.call.tool),
            arguments: JSON.stringify(reply.call.input),
            status: "completed",
          },
        ]),
  ];
  const events = eventsOf(response);
  const send = (type: string, data: object): void => events(type, { type, ...data });
  const id = `resp_fake${number}`;
  send("response.created", { response: { id, object: "response", status: "in_progress", output: [] } });
  for (const [index, item] of items.entries()) {
    const [content] = "content" in item ? item.content : [];
    send("response.output_item.added", {
      output_index: index,
      item: "content" in item ? { ...item, content: [] } : item,
    });
    if (content !== undefined) {
      const place = { item_id: item.id, output_index: index, content_index: 0 };
      send("response.output_text.delta", { ...place, delta: content.text });
    }
    send("response.output_item.done", { output_index: index, item });
  }
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  send("response.completed", {
    response: { id, object: "response", status: "completed", output: items, usage },
  });
  response.end();
}

/** A tool that is in a namespace is called by both names. */
function functionName(
  { body }: ModelRequest,
  tool: string,
): { readonly name: string; readonly namespace?: string } {
  const groups = Array.isArray(body.tools) ? body.tools : [];
  const group = groups.find((each) => Array.isArray(each?.tools) && tool.startsWith(String(each.name)));
  return group === undefined
    ? { name: tool }
    : { name: tool.slice(group.name.length), namespace: group.name };
}

/** OpenAI's chat completions. */
export function streamChat(
  response: ServerResponse,
  { number, body }: ModelRequest,
  reply: ModelReply,
): void {
  const events = eventsOf(response);
  const base = { id: `chat_fake${number}`, object: "chat.completion.chunk", created: 1, model: body.model };
  const call = reply.call && {
    index: 0,
    id: `call_fake${number}`,
    type: "function",
    function: { name: reply.call.tool, arguments: JSON.stringify(reply.call.input) },
  };
  const delta = {
    role: "assistant",
    ...(reply.text === undefined ? {} : { content: reply.text }),
    ...(call === undefined ? {} : { tool_calls: [call] }),
  };
  events(undefined, { ...base, choices: [{ index: 0, delta, finish_reason: null }] });
  const prompt = reply.promptTokens ?? 10;
  const usage = { prompt_tokens: prompt, completion_tokens: 5, total_tokens: prompt + 5 };
  const finish = call === undefined ? "stop" : "tool_calls";
  events(undefined, { ...base, choices: [{ index: 0, delta: {}, finish_reason: finish }], usage });
  events(undefined, "[DONE]");
  response.end();
}

/** Google's generateContent, streamed or not. */
export function streamGemini(response: ServerResponse, request: ModelRequest, reply: ModelReply): void {
  const prompt = reply.promptTokens ?? 10;
  const call = reply.call && {
    functionCall: { id: `call_fake${request.number}`, name: reply.call.tool, args: reply.call.input },
  };
  const answer = {
    candidates: [
      {
        content: {
          role: "model",
          parts: [...(reply.text === undefined ? [] : [{ text: reply.text }]), ...(call ? [call] : [])],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: 5, totalTokenCount: prompt + 5 },
    modelVersion: "fake",
  };
  if (!request.path.includes("streamGenerateContent")) {
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    return;
  }
  eventsOf(response)(undefined, answer);
  response.end();
}
