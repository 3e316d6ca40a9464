import { Buffer } from "node:buffer";
import type { Disk, Handle } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import { once } from "../fs/once.ts";
import type { Input, Output } from "./world.ts";

type WriteStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
type ReadStream = AsyncIterable<Buffer | string> & { readonly isTTY?: boolean };

export interface OutputTarget {
  /** The file descriptor. */
  readonly handle: Handle;
  /** The runtime's stream to it; loading that takes as long as a small command. */
  readonly open: () => WriteStream;
  /** Writes bytes past the stream; absent if that is not possible here. */
  readonly disk?: Pick<Disk, "fstat" | "write">;
  readonly onError: (error: unknown) => void;
  readonly hasColor: (isTerminal: boolean) => boolean;
}

/** Writes to files and pipes directly; only a terminal needs a stream. */
export function outputTo({ handle, open, disk, onError, hasColor }: OutputTarget): Output {
  const stream = once(() => {
    const opened = open();
    opened.on("error", onError);
    return opened;
  });
  let direct = disk !== undefined && isPlain(disk, handle) ? disk : undefined;
  const isTerminal = direct === undefined && stream().isTTY === true;
  return {
    write: (text) => {
      if (direct === undefined) {
        stream().write(text);
        return;
      }
      let rest: Uint8Array = Buffer.from(text);
      try {
        while (rest.length > 0) rest = rest.subarray(direct.write(handle, rest));
      } catch (error) {
        if (errorCode(error) !== "EAGAIN") return onError(error);
        // A full non-blocking pipe: the stream goes on when there is room.
        direct = undefined;
        stream().write(rest);
      }
    },
    isTerminal,
    get columns() {
      // Some terminals report that they have no columns.
      return isTerminal ? stream().columns || undefined : undefined;
    },
    hasColor: hasColor(isTerminal),
  };
}

function isPlain(disk: Pick<Disk, "fstat">, handle: Handle): boolean {
  try {
    const { kind } = disk.fstat(handle);
    return kind === "file" || kind === "pipe" || kind === "null";
  } catch {
    // Closed before this program was started.
    return false;
  }
}

/** The stream is opened only when something is read: an open stdin keeps the process alive. */
export function inputFrom(open: () => ReadStream): Input {
  return {
    get isTerminal() {
      return open().isTTY === true;
    },
    async readText(maxBytes, isWhole) {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of open()) {
        const bytes = Buffer.from(chunk);
        chunks.push(bytes.subarray(0, maxBytes - length));
        length += bytes.length;
        if (length >= maxBytes || isWhole?.(Buffer.concat(chunks).toString("utf8")) === true) break;
      }
      return Buffer.concat(chunks).toString("utf8");
    },
    async *lines(maxChars = Number.POSITIVE_INFINITY) {
      const decoder = new TextDecoder();
      let line = "";
      for await (const chunk of open()) {
        const [first = "", ...others] = decoder.decode(Buffer.from(chunk), { stream: true }).split("\n");
        if (line.length <= maxChars) line += first;
        for (const next of others) {
          yield line.slice(0, maxChars);
          line = next;
        }
      }
      line += decoder.decode();
      if (line !== "") yield line.slice(0, maxChars);
    },
  };
}
