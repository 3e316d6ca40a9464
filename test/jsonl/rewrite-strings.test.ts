import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { type KeyPath, rewriteStrings } from "../../src/jsonl/rewrite-strings.ts";
import fc from "../support/fc.ts";

interface Asked {
  readonly at?: readonly KeyPath[];
  readonly lines?: boolean;
  /** Bytes of each chunk. */
  readonly chunk?: number;
  readonly replace?: (value: string) => string | undefined;
}

function rewrite(text: string | Buffer, asked: Asked = {}): string {
  const bytes = Buffer.from(text);
  const size = asked.chunk ?? bytes.length + 1;
  function* chunks(): Generator<Uint8Array> {
    // One buffer for all, as readers have it.
    const buffer = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) {
      const got = bytes.copy(buffer, 0, at, at + size);
      yield buffer.subarray(0, got);
    }
  }
  const parts = [
    ...(function* () {
      for (const part of rewriteStrings(chunks(), {
        at: asked.at ?? [["cwd"]],
        lines: asked.lines ?? true,
        replace: asked.replace ?? ((value) => (value === "/old" ? "/new" : undefined)),
      }))
        yield Buffer.from(part);
    })(),
  ];
  return Buffer.concat(parts).toString("latin1");
}

describe("rewriteStrings()", () => {
  it.each([
    ["the key at the top", '{"cwd":"/old"}', '{"cwd":"/new"}'],
    ["space around it", '{ "a" : 1 , "cwd" : "/old" }', '{ "a" : 1 , "cwd" : "/new" }'],
    [
      "not deeper down",
      '{"x":{"cwd":"/old"},"y":[{"cwd":"/old"}]}',
      '{"x":{"cwd":"/old"},"y":[{"cwd":"/old"}]}',
    ],
    [
      "behind nested values",
      '{"x":{"cwd":"/old","z":[1,{"q":"}"}]},"cwd":"/old"}',
      '{"x":{"cwd":"/old","z":[1,{"q":"}"}]},"cwd":"/new"}',
    ],
    ["not a value that says cwd", '{"a":"cwd","b":"/old"}', '{"a":"cwd","b":"/old"}'],
    ["not in text that looks like it", '{"t":"{\\"cwd\\":\\"/old\\"}"}', '{"t":"{\\"cwd\\":\\"/old\\"}"}'],
    ["an escaped spelling", '{"c\\u0077d":"\\/old"}', '{"c\\u0077d":"/new"}'],
    ["glued lines", '{"cwd":"/old"}{"cwd":"/old"}', '{"cwd":"/new"}{"cwd":"/new"}'],
    ["the line behind a torn one", '{"cwd":"/ol\n{"cwd":"/old"}\n', '{"cwd":"/ol\n{"cwd":"/new"}\n'],
    ["the line behind too many braces", '}}}]\n{"cwd":"/old"}\n', '}}}]\n{"cwd":"/new"}\n'],
    ["not where the value is no string", '{"cwd":["/old"],"x":"/old"}', '{"cwd":["/old"],"x":"/old"}'],
    ["not a top-level list", '["cwd","/old"]', '["cwd","/old"]'],
    ["a torn end", '{"a":1,"cwd":"/old', '{"a":1,"cwd":"/old'],
    ["nothing", "", ""],
  ])("finds %s", (_, text, expected) => {
    for (const chunk of [1, 2, 3, 7, 1_000]) expect(rewrite(text, { chunk })).toBe(expected);
  });

  it("finds keys inside of keys", () => {
    const text = '{"cwd":"/old","payload":{"x":{"cwd":"/old"},"cwd":"/old"},"other":{"cwd":"/old"}}\n';
    expect(rewrite(text, { at: [["payload", "cwd"]] })).toBe(
      '{"cwd":"/old","payload":{"x":{"cwd":"/old"},"cwd":"/new"},"other":{"cwd":"/old"}}\n',
    );
  });

  it("reads a value over many lines where the file is one value", () => {
    const text = '{\n  "a": [\n    1\n  ],\n  "cwd": "/old"\n}\n';
    expect(rewrite(text, { lines: false })).toBe(text.replace("/old", "/new"));
  });

  it("passes a value on that is too long to be a path", () => {
    const text = `{"cwd":"${"/old".repeat(30_000)}","b":1}\n{"cwd":"/old"}\n`;
    expect(rewrite(text, { chunk: 1_000 })).toBe(
      `{"cwd":"${"/old".repeat(30_000)}","b":1}\n{"cwd":"/new"}\n`,
    );
  });

  it("changes no byte of anything where nothing is to be replaced", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        (bytes, chunk, lines) => {
          const same = rewrite(Buffer.from(bytes), { chunk, lines, replace: () => undefined });
          expect(same).toBe(Buffer.from(bytes).toString("latin1"));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("does to any JSON lines what a parser would, and leaves the rest of each byte for byte", () => {
    const line = fc.record(
      {
        a: fc.jsonValue({ maxDepth: 2 }),
        cwd: fc.oneof(fc.constantFrom("/old", "/older"), fc.jsonValue({ maxDepth: 1 })),
        z: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), fc.integer({ min: 1, max: 30 }), (lines, chunk) => {
        const text = lines.map((each) => `${JSON.stringify(each)}\n`).join("");
        const moved = lines.map((each) => (each.cwd === "/old" ? { ...each, cwd: "/new" } : each));
        const expected = moved.map((each) => `${JSON.stringify(each)}\n`).join("");
        expect(rewrite(text, { chunk })).toBe(Buffer.from(expected).toString("latin1"));
      }),
      { numRuns: 300 },
    );
  });
});
