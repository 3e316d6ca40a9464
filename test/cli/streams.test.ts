import { Buffer } from "node:buffer";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { inputFrom, outputTo } from "../../src/cli/streams.ts";
import type { FileKind, FileStat } from "../../src/fs/disk.ts";
import { systemError } from "../../src/fs/disk-error.ts";

const from = (chunks: readonly (string | Buffer)[]) =>
  inputFrom(() => Readable.from(chunks, { objectMode: true }));

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

describe("inputFrom()", () => {
  test("is not opened before something is read", async () => {
    let opened = 0;
    const input = inputFrom(() => {
      opened++;
      return Readable.from(["text"]);
    });
    expect(opened).toBe(0);
    expect([await input.readText(100), opened]).toEqual(["text", 1]);
  });

  test("cuts off what is too much", async () => {
    expect(await from([Buffer.from("abc"), Buffer.from("def")]).readText(4)).toBe("abcd");
  });

  test("reads no further than to what is whole", async () => {
    const left = new PassThrough();
    left.write('{"a":');
    left.write("1}\n");
    const isWhole = (text: string): boolean => text.trimEnd().endsWith("}");
    expect(await inputFrom(() => left).readText(100, isWhole)).toBe('{"a":1}\n');
  });

  test("splits lines at LF alone, over chunks and inside characters", async () => {
    const bytes = Buffer.from("eins\nzwölf\u2028noch\r\n\nlast");
    const chunks = [...bytes].map((byte) => Buffer.of(byte));
    expect(await all(from(chunks).lines())).toEqual(["eins", "zwölf\u2028noch\r", "", "last"]);
    expect(await all(from(["a\n", "b\n"]).lines())).toEqual(["a", "b"]);
    expect(await all(from([]).lines())).toEqual([]);
  });

  test("cuts off lines that are too long, and goes on with the next", async () => {
    const chunks = ["abcdef", "ghi".repeat(1_000), "\nshort\nlonger", " than that"];
    expect(await all(from(chunks).lines(6))).toEqual(["abcdef", "short", "longer"]);
  });
});

describe("outputTo()", () => {
  /** Takes `room` bytes, three at a time, and then fails. */
  function target(kind: FileKind, room: number, code: string) {
    const direct: Buffer[] = [];
    const streamed = new PassThrough();
    const errors: unknown[] = [];
    let opened = 0;
    let left = room;
    const output = outputTo({
      handle: 1,
      open: () => {
        opened++;
        return streamed;
      },
      disk: {
        fstat: () => ({ kind }) as FileStat,
        write: (_handle, bytes) => {
          if (left === 0) throw systemError(code, "write");
          const taken = Math.min(3, left, bytes.length);
          direct.push(Buffer.from(bytes.subarray(0, taken)));
          left -= taken;
          return taken;
        },
      },
      onError: (error) => errors.push(error),
      hasColor: (isTerminal) => isTerminal,
    });
    const written = () => {
      let rest = "";
      for (let chunk = streamed.read(); chunk !== null; chunk = streamed.read()) rest += String(chunk);
      return [Buffer.concat(direct).toString(), rest];
    };
    return { output, written, errors, opened: () => opened };
  }

  test.each(["file", "pipe", "null"] as const)("a %s gets all bytes, and no stream is opened", (kind) => {
    const { output, written, opened } = target(kind, 100, "EIO");
    output.write("zwölf ");
    output.write("😀 Wörter\n");
    expect(written()).toEqual(["zwölf 😀 Wörter\n", ""]);
    expect([output.isTerminal, output.hasColor, output.columns, opened()]).toEqual([
      false,
      false,
      undefined,
      0,
    ]);
  });

  test("what a full pipe does not take goes on through the stream, in order", () => {
    const { output, written, errors } = target("pipe", 7, "EAGAIN");
    output.write("0123456789");
    output.write("abc");
    expect(written()).toEqual(["0123456", "789abc"]);
    expect(errors).toEqual([]);
  });

  test("reports that the reader has stopped", () => {
    const { output, errors } = target("pipe", 0, "EPIPE");
    output.write("text");
    expect(errors).toMatchObject([{ code: "EPIPE" }]);
  });

  test("anything else is written by its stream", () => {
    const { output, written, opened } = target("other", 100, "EIO");
    output.write("text");
    expect([...written(), opened()]).toEqual(["", "text", 1]);
  });
});
