import { Buffer } from "node:buffer";
import type { Input, Output } from "./world.ts";

type WriteStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
type ReadStream = AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };

export function outputTo(stream: WriteStream, hasColor: boolean): Output {
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true ? stream.columns : undefined;
    },
    hasColor,
  };
}

/** The stream is opened only when something is read: an opened stdin keeps the process alive. */
export function inputFrom(open: () => ReadStream): Input {
  return {
    get isTerminal() {
      return open().isTTY === true;
    },
    async readText(maxBytes) {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of open()) {
        const bytes = Buffer.from(chunk);
        chunks.push(bytes.subarray(0, maxBytes - length));
        length += bytes.length;
        if (length >= maxBytes) break;
      }
      return Buffer.concat(chunks).toString("utf8");
    },
    async *lines() {
      const decoder = new TextDecoder();
      let rest = "";
      for await (const chunk of open()) {
        const lines = (rest + decoder.decode(Buffer.from(chunk), { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
      rest += decoder.decode();
      if (rest !== "") yield rest;
    },
  };
}
