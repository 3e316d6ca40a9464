import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { MAX_WHOLE_LINE, splitLines } from "../../src/jsonl/lines.ts";
import fc from "../support/fc.ts";

interface Copied {
  readonly text: string;
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  readonly ended: boolean;
  readonly squeezed: number;
}

/** Bytes of a line are valid only until the next one: they are copied here at once. */
function linesOf(
  chunks: Iterable<Uint8Array>,
  start?: { offset: number; number: number },
): readonly Copied[] {
  const lines: Copied[] = [];
  for (const { bytes, ...rest } of splitLines(chunks, start))
    lines.push({ ...rest, text: bytes.toString("latin1") });
  return lines;
}

const textsOf = (text: string): readonly string[] =>
  linesOf([Buffer.from(text)]).map((line) => Buffer.from(line.text, "latin1").toString("utf8"));

describe("splitLines()", () => {
  test.each<[string, string, readonly string[]]>([
    ["nothing", "", []],
    ["one line", "a\n", ["a"]],
    ["a last line without LF", "a\nb", ["a", "b"]],
    ["blank lines", "\n\na\n", ["", "", "a"]],
    ["CRLF: the CR stays, for the reader to trim", "a\r\nb\r\n", ["a\r", "b\r"]],
    ["a CR alone is no line end", "a\rb\n", ["a\rb"]],
    ["U+2028, U+2029 and U+0085 are no line ends", "a\u2028b\u2029c\u0085d\n", ["a\u2028b\u2029c\u0085d"]],
    ["vertical tab and form feed are no line ends", "a\vb\fc\n", ["a\vb\fc"]],
    ["a byte order mark stays", "\ufeffa\n", ["\ufeffa"]],
    ["NUL bytes stay", "\0\0a\0\n\0", ["\0\0a\0", "\0"]],
  ])("%s", (_, text, expected) => {
    expect(textsOf(text)).toEqual(expected);
  });

  test("says where each line is and whether a LF ends it", () => {
    expect(linesOf([Buffer.from("ab\n\nc")])).toEqual([
      { text: "ab", number: 1, offset: 0, length: 2, ended: true, squeezed: 0 },
      { text: "", number: 2, offset: 3, length: 0, ended: true, squeezed: 0 },
      { text: "c", number: 3, offset: 4, length: 1, ended: false, squeezed: 0 },
    ]);
  });

  test("counts on from where it starts", () => {
    expect(linesOf([Buffer.from("x\n")], { offset: 100, number: 7 })).toEqual([
      { text: "x", number: 7, offset: 100, length: 1, ended: true, squeezed: 0 },
    ]);
  });

  test("returns the same lines wherever one border between chunks falls", () => {
    const bytes = Buffer.from('\ufeff{"a":"é\u2028😀"}\r\n\n\0\0{"b":1}\n{"torn');
    const whole = linesOf([bytes]);
    for (let at = 0; at <= bytes.length; at++)
      expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  });

  test("returns the same lines for any chunks, and they cover every byte", () => {
    const piece = fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constant(Uint8Array.of(0x0a)));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat({ max: 30 })), (pieces, sizes) => {
        const bytes = Buffer.concat(pieces);
        const lines = linesOf([bytes]);
        expect(linesOf(inChunks(bytes, sizes))).toEqual(lines);
        const covered = lines.map((line) => line.text + (line.ended ? "\n" : "")).join("");
        expect(covered).toBe(bytes.toString("latin1"));
      }),
    );
  });

  test("copies what outlives a chunk, because readers use their memory again", () => {
    const chunk = Buffer.alloc(4);
    function* reader(): Generator<Uint8Array> {
      for (const text of ["abcd", "ef\ng", "hi\nj"]) {
        chunk.write(text);
        yield chunk;
      }
    }
    expect(linesOf(reader()).map((line) => line.text)).toEqual(["abcdef", "ghi", "j"]);
  });

  test("squeezes a line by its length alone, whatever the chunks", () => {
    const long = Buffer.from(
      `{"type":"user","data":"${"x".repeat(MAX_WHOLE_LINE + 3_000_000)}","id":"last"}\n{"next":1}\n`,
    );
    const whole = linesOf([long]);
    const [first, second] = whole;
    expect(JSON.parse(first?.text ?? "")).toMatchObject({ type: "user", id: "last" });
    expect(first?.length).toBe(long.indexOf(0x0a));
    expect(first?.squeezed).toBeGreaterThan(MAX_WHOLE_LINE);
    expect(first?.squeezed).toBe((first?.length ?? 0) - (first?.text.length ?? 0));
    expect(second).toMatchObject({
      text: '{"next":1}',
      number: 2,
      offset: (first?.length ?? 0) + 1,
      squeezed: 0,
    });
    expect(linesOf(inChunks(long, [65_536]))).toEqual(whole);
    expect(linesOf(inChunks(long, [5_000_000, 1]))).toEqual(whole);
  });

  test("leaves a line of exactly the limit whole", () => {
    const line = Buffer.alloc(MAX_WHOLE_LINE, 0x78);
    const [only] = linesOf([line.subarray(0, 1_000), line.subarray(1_000)]);
    expect(only).toMatchObject({ length: MAX_WHOLE_LINE, squeezed: 0, ended: false });
    expect(only?.text.length).toBe(MAX_WHOLE_LINE);
  });
});

/** Chunks of the sizes in turn, one byte at least. */
function* inChunks(bytes: Buffer, sizes: readonly number[]): Generator<Uint8Array> {
  let from = 0;
  for (let i = 0; from < bytes.length; i++) {
    const size = Math.max(1, sizes[i % Math.max(1, sizes.length)] ?? 1);
    yield bytes.subarray(from, from + size);
    from += size;
  }
}
