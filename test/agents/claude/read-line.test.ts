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

const padding = "x".repeat(1_500);
const envelope = {
  parentUuid: "p",
  isSidechain: false,
  cwd: "/home/ana",
  sessionId: "s",
  version: "2.1.0",
  gitBranch: "main",
};

describe("readClaudeLine()", () => {
  test.each<[string, unknown]>([
    ["an object", { stdout: padding, stderr: "" }],
    ["an array", [{ type: "text", text: padding }]],
    ["a string", `Error: ${padding}`],
    ["a string that ends in a backslash and quotes", `${padding}\\"\\`],
    ["an object that holds the same key", { toolUseResult: { a: padding } }],
    ["an empty array", []],
  ])("leaves out a toolUseResult that is %s, and returns it", (_, toolUseResult) => {
    const message = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: padding }] };
    const whole = {
      ...envelope,
      type: "user",
      message,
      uuid: "u",
      toolUseResult,
      sourceToolAssistantUUID: "a",
    };
    const read = readClaudeLine(lineOf(JSON.stringify(whole)));
    const { toolUseResult: _result, ...rest } = whole;
    expect({ ...read.objects[0], toolUseResult: undefined }).toEqual({ ...rest, toolUseResult: undefined });
    expect(read.toolUseResult === undefined ? read.objects[0]?.toolUseResult : read.toolUseResult()).toEqual(
      toolUseResult,
    );
  });

  test("does not take a key inside the message for the line's own", () => {
    const message = { role: "user", content: [{ type: "x", a: 1, toolUseResult: { b: padding } }] };
    const whole = { ...envelope, type: "user", message, uuid: "u" };
    expect(readClaudeLine(lineOf(JSON.stringify(whole))).objects).toEqual([whole]);
  });

  const progress = {
    ...envelope,
    type: "progress",
    data: { type: "bash_progress", text: padding },
    uuid: "first",
    timestamp: "2026-01-02T03:04:05.678Z",
  };
  const result = {
    ...envelope,
    type: "user",
    message: { role: "user", content: padding },
    uuid: "first",
    toolUseResult: { stdout: padding },
    timestamp: "2026-01-02T03:04:05.678Z",
  };
  const snapshot = { type: "file-history-snapshot", messageId: "first", snapshot: { text: padding, of: {} } };
  const asked = {
    ...envelope,
    type: "user",
    message: { role: "user", content: "and then?" },
    uuid: "second",
  };

  test.each<[string, object]>([
    ["progress", progress],
    ["a result", result],
    ["a snapshot", snapshot],
  ])("loses nothing of a line that follows %s without a LF", (_, before) => {
    for (const parentUuid of ["p", null]) {
      const behind = { ...asked, parentUuid };
      for (const heads of [undefined, createHeadMemory()]) {
        readClaudeLine(lineOf(JSON.stringify(before)), heads);
        const glued = readClaudeLine(lineOf(JSON.stringify(before) + JSON.stringify(behind)), heads);
        expect(glued.objects).toEqual([before, behind]);
        const torn = readClaudeLine(
          lineOf(JSON.stringify(before).slice(0, 1_400) + JSON.stringify(behind)),
          heads,
        );
        expect(torn).toEqual({ objects: [behind], problem: "not JSON" });
      }
    }
  });

  test("takes nothing that is nested in a torn line for a line", () => {
    const nested = JSON.stringify({ ...envelope, data: { parentUuid: "p", text: padding } });
    expect(readClaudeLine(lineOf(nested.slice(0, -1)))).toEqual({ objects: [], problem: "not JSON" });
    const both = JSON.stringify(asked) + JSON.stringify(asked).slice(0, -1);
    expect(readClaudeLine(lineOf(both))).toEqual({ objects: [asked], problem: "not JSON" });
  });

  test("reads of a progress line only what links it", () => {
    const data = {
      type: "agent_progress",
      message: { uuid: "inner", text: padding, nested: { deep: [{}] } },
    };
    const whole = {
      ...envelope,
      type: "progress",
      data,
      toolUseID: "t",
      uuid: "u",
      timestamp: "2026-01-01T00:00:00Z",
    };
    const [object] = readClaudeLine(lineOf(JSON.stringify(whole))).objects;
    expect(object).toEqual({
      ...envelope,
      type: "progress",
      toolUseID: "t",
      uuid: "u",
      timestamp: "2026-01-01T00:00:00Z",
    });
  });

  test.each([
    ["braces in the folder", { ...envelope, cwd: "/home/{ana}/}x{" }],
    ["a nested value in front", { origin: { kind: "human" }, ...envelope }],
  ])("is right with %s", (_, head) => {
    const whole = { ...head, type: "progress", data: { text: padding }, uuid: "u" };
    const [object] = readClaudeLine(lineOf(JSON.stringify(whole))).objects;
    expect(object).toMatchObject({ parentUuid: "p", cwd: head.cwd, type: "progress", uuid: "u" });
  });

  test("agrees with JSON.parse on whatever it does read", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const keys = fc.dictionary(
      fc.constantFrom("cwd", "uuid", "parentUuid", "a", "b", "message", "data", "origin"),
      json,
      { maxKeys: 6 },
    );
    fc.assert(
      fc.property(
        keys,
        fc.constantFrom("user", "progress", "assistant", "file-history-snapshot"),
        keys,
        json,
        keys,
        (before, type, middle, result, after) => {
          const text = JSON.stringify({
            ...before,
            type,
            ...middle,
            filler: padding,
            toolUseResult: result,
            ...after,
          });
          const whole: unknown = JSON.parse(text);
          const { objects, problem } = readClaudeLine(lineOf(text));
          expect(problem).toBeUndefined();
          expect(objects).toHaveLength(1);
          expect(whole).toMatchObject(objects[0] ?? {});
        },
      ),
      { numRuns: 500 },
    );
  });
});
