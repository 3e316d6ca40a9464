import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { createHeadMemory } from "../../../src/agents/claude/line-head.ts";
import { readClaudeLine } from "../../../src/agents/claude/read-line.ts";
import type { Line } from "../../../src/jsonl/lines.ts";
import fc from "../../support/fc.ts";

function lineOf(text: string): Line {
  const bytes = Buffer.from(text);
  return { bytes, number: 1, offset: 0, length: bytes.length, ended: true, squeezed: 0 };
}

const parent = "0b0c5c6e-7a53-4a0c-9f0e-1d2c3b4a5968";
const head = {
  isSidechain: false,
  userType: "external",
  cwd: "/home/ana/shop",
  sessionId: "s",
  version: "2.1.0",
  gitBranch: "main",
};
const reply = { role: "assistant", content: [{ type: "text", text: "done {" }] };
const answer = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content: "→ x".repeat(400) }],
};

/** What a memory of heads makes of lines, put together again; and whether it knew a head. */
function readAll(lines: readonly object[]): readonly { readonly all: object; readonly isKnown: boolean }[] {
  const heads = createHeadMemory();
  return lines.map((each) => {
    const line = lineOf(JSON.stringify(each));
    const before = Buffer.from(line.bytes);
    const { objects, head: found } = readClaudeLine(line, heads);
    expect(line.bytes.equals(before)).toBe(true);
    if (found === undefined) return { all: objects[0] ?? {}, isKnown: false };
    return { all: { parentUuid: heads.parent(), ...found.keys, ...objects[0] }, isKnown: true };
  });
}

describe("createHeadMemory()", () => {
  test("returns what is before the message, on the first line and on those like it", () => {
    const lines = [
      { parentUuid: parent, ...head, message: reply, type: "assistant", uuid: "a" },
      { parentUuid: parent.replaceAll("a", "b"), ...head, type: "user", message: answer, uuid: "b" },
      { parentUuid: parent, ...head, message: reply, type: "assistant", uuid: "c" },
      { parentUuid: parent, ...head, gitBranch: "next", message: reply, type: "assistant", uuid: "d" },
    ];
    expect(readAll(lines)).toEqual(lines.map((all) => ({ all, isKnown: true })));
  });

  test.each([
    ["a root", { parentUuid: null, ...head }],
    ["a parent that is no uuid", { parentUuid: `${"x".repeat(20)}","y":"${"x".repeat(9)}`, ...head }],
    ["a key that readers look for behind it", { parentUuid: parent, ...head, isMeta: true }],
    ["another key in front", { uuid: "u", parentUuid: parent, ...head }],
  ])("leaves %s to whom reads the whole line", (_, begins) => {
    const line = { ...begins, message: reply, type: "assistant", uuid: "u" };
    expect(readAll([line, line])).toEqual([
      { all: line, isKnown: false },
      { all: line, isKnown: false },
    ]);
  });

  test("does not take a head inside of another value for the line's own", () => {
    const text = `{"p":{"abcde":"${"x".repeat(36)}",${JSON.stringify(head).slice(1, -1)},"message":{}},"uuid":"u"}`;
    const known = { parentUuid: parent, ...head, message: {}, uuid: "u" };
    const heads = createHeadMemory();
    readClaudeLine(lineOf(JSON.stringify(known)), heads);
    expect(readClaudeLine(lineOf(text), heads)).toEqual({ objects: [JSON.parse(text)] });
  });

  test("a line that is torn or glued is read as without it", () => {
    const whole = JSON.stringify({ parentUuid: parent, ...head, message: reply, uuid: "u" });
    const heads = createHeadMemory();
    readClaudeLine(lineOf(whole), heads);
    for (const text of [whole.slice(0, -9), whole + whole, `${whole}\0\0`])
      expect(readClaudeLine(lineOf(text), heads).objects.length).toBe(
        readClaudeLine(lineOf(text)).objects.length,
      );
  });

  test("says the same as the whole line, for any values", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom("{", "}", '"', "\\", ","),
    );
    const lines = fc.array(
      fc.record({
        cwd: fc.oneof(fc.constant("/a"), text),
        gitBranch: fc.oneof(fc.constant("main"), text),
        type: fc.constantFrom("user", "assistant", "system"),
        message: fc.oneof(fc.constant(reply), fc.constant(answer), fc.dictionary(text, fc.jsonValue())),
        toolUseResult: fc.oneof(fc.jsonValue(), fc.constant({ stdout: "y".repeat(1_200) })),
        behind: fc.dictionary(fc.constantFrom("slug", "requestId", "origin"), text),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(lines, (given) => {
        const wholes = given.map(({ cwd, gitBranch, type, message, toolUseResult, behind }) => ({
          parentUuid: parent,
          ...head,
          cwd,
          gitBranch,
          type,
          message,
          uuid: "u",
          toolUseResult,
          ...behind,
        }));
        const without = wholes.map((whole) => readClaudeLine(lineOf(JSON.stringify(whole))).objects[0]);
        expect(readAll(wholes).map(({ all }) => ({ ...all, toolUseResult: undefined }))).toEqual(
          without.map((all) => ({ ...all, toolUseResult: undefined })),
        );
      }),
      { numRuns: 400 },
    );
  });
});
