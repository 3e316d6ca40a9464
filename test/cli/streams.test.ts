import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { inputFrom } from "../../src/cli/streams.ts";

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

  test("splits lines at LF alone, over chunks and inside characters", async () => {
    const bytes = Buffer.from("eins\nzwölf\u2028noch\r\n\nlast");
    const chunks = [...bytes].map((byte) => Buffer.of(byte));
    expect(await all(from(chunks).lines())).toEqual(["eins", "zwölf\u2028noch\r", "", "last"]);
    expect(await all(from(["a\n", "b\n"]).lines())).toEqual(["a", "b"]);
    expect(await all(from([]).lines())).toEqual([]);
  });
});
