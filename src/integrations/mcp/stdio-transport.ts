import {
  deserializeMessage,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { encodeJson } from "../../redact/clean-text.ts";

export interface StdioStreams {
  /** The lines of stdin as they come in. */
  readonly lines: AsyncIterable<string>;
  readonly write: (text: string) => void;
}

export interface StdioTransport extends Transport {
  /** Resolves when the client has gone and every request is answered. */
  readonly closed: Promise<void>;
}

/** Requests that came in one line, and their answers so far. */
interface Batch {
  readonly open: Set<RequestId>;
  readonly answers: object[];
}

const INVALID = {
  jsonrpc: "2.0",
  id: null,
  error: { code: ProtocolErrorCode.InvalidRequest, message: "This is not a JSON-RPC 2.0 message" },
};

function readRequestId(value: unknown): RequestId | undefined {
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

function asMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/**
 * Carries messages over stdin and stdout, one per line. The SDK's own transport drops requests that are not answered
 * when stdin ends, as in `echo … | sessions mcp`; this one answers them first. A line that is not a message is
 * skipped. A batch, which is part of the revision of 2025-03-26 but not of the SDK, is answered in one line.
 */
export function stdioTransport({ lines, write }: StdioStreams): StdioTransport {
  const open = new Set<RequestId>();
  const batches = new Map<RequestId, Batch>();
  let isEnded = false;
  let close: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const transport: StdioTransport = {
    closed,
    async start() {
      void listen();
    },
    async send(message) {
      const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
      const id = isAnswer ? message.id : undefined;
      const batch = id === undefined ? undefined : batches.get(id);
      if (batch === undefined || id === undefined) write(`${encodeJson(message)}\n`);
      else answerInBatch(batch, id, message);
      if (isAnswer) settle(id);
    },
    async close() {
      isEnded = true;
      transport.onclose?.();
      close();
    },
  };
  /** Writes the answers to a batch when the last one is ready; a cancelled request has none. */
  const answerInBatch = (batch: Batch, id: RequestId, message: JSONRPCMessage | undefined): void => {
    if (message !== undefined) batch.answers.push(message);
    batches.delete(id);
    batch.open.delete(id);
    if (batch.open.size === 0 && batch.answers.length > 0) write(`${encodeJson(batch.answers)}\n`);
  };
  const receiveBatch = (messages: readonly unknown[]): void => {
    const read = messages.map(asMessage);
    const requests = read.filter((message) => message !== undefined).filter(isJSONRPCRequest);
    const broken = read.filter((message) => message === undefined).map(() => INVALID);
    const batch: Batch = { open: new Set(requests.map(({ id }) => id)), answers: broken };
    for (const id of batch.open) batches.set(id, batch);
    if (messages.length === 0) write(`${encodeJson(INVALID)}\n`);
    else if (requests.length === 0 && broken.length > 0) write(`${encodeJson(broken)}\n`);
    for (const message of read) if (message !== undefined) receive(message);
  };
  const settle = (id: RequestId | undefined): void => {
    if (id !== undefined) open.delete(id);
    if (isEnded && open.size === 0) void transport.close();
  };
  const receive = (message: JSONRPCMessage): void => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    // A request that was cancelled is not answered.
    const isCancelled = isJSONRPCNotification(message) && message.method === "notifications/cancelled";
    if (isCancelled) {
      const id = readRequestId(message.params?.requestId);
      const batch = id === undefined ? undefined : batches.get(id);
      if (batch !== undefined && id !== undefined) answerInBatch(batch, id, undefined);
      settle(id);
    }
    transport.onmessage?.(message);
  };
  const listen = async (): Promise<void> => {
    try {
      for await (const line of lines) {
        if (line.trim() === "") continue;
        try {
          const messages: unknown = line.trimStart().startsWith("[") ? JSON.parse(line) : undefined;
          if (Array.isArray(messages)) receiveBatch(messages);
          else receive(deserializeMessage(line));
        } catch (error) {
          transport.onerror?.(new Error("Skipped a line that is not a message", { cause: error }));
        }
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    isEnded = true;
    settle(undefined);
  };
  return transport;
}
