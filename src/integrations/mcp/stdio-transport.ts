import {
  deserializeMessage,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
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

/**
 * Carries messages over stdin and stdout, one per line. The SDK's own transport drops requests that are not answered when
 * stdin ends, as in `echo … | sessions mcp`; this one answers them first. A line that is no message is skipped.
 */
export function stdioTransport({ lines, write }: StdioStreams): StdioTransport {
  const open = new Set<RequestId>();
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
      write(`${encodeJson(message)}\n`);
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) settle(message.id);
    },
    async close() {
      isEnded = true;
      transport.onclose?.();
      close();
    },
  };
  const settle = (id: RequestId | undefined): void => {
    if (id !== undefined) open.delete(id);
    if (isEnded && open.size === 0) void transport.close();
  };
  const receive = (message: JSONRPCMessage): void => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    // A request that was cancelled is not answered.
    const isCancelled = isJSONRPCNotification(message) && message.method === "notifications/cancelled";
    if (isCancelled) settle(message.params?.requestId as RequestId | undefined);
    transport.onmessage?.(message);
  };
  const listen = async (): Promise<void> => {
    try {
      for await (const line of lines) {
        if (line.trim() === "") continue;
        try {
          receive(deserializeMessage(line));
        } catch (error) {
          transport.onerror?.(new Error("Skipped a line that is no message", { cause: error }));
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
