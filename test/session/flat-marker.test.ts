import { expect, test } from "vitest";
import { fitsMarker, flatMarker, parseFlatMarker } from "../../src/session/flat-marker.ts";

const content = {
  toolUseId: "toolu_1",
  tool: "Read",
  file: "/home/ana/a.ts",
  kind: "text",
  mediaType: null,
  bytes: 5_000,
  lines: 40,
  number: 1,
} as const;
const marker = flatMarker("session-1", content);

test("parseFlatMarker() reads what flatMarker() wrote", () => {
  const { tool: _tool, file: _file, ...said } = content;
  expect(parseFlatMarker(marker)).toEqual({ ...said, session: "session-1" });
});

test.each([
  ["a text that quotes a marker and goes on", `${marker} and more`],
  ["a text before a marker", `see ${marker}`],
  ["two markers", `${marker}${marker}`],
  ["half of a marker", marker.slice(0, -1)],
])("parseFlatMarker() takes %s for no marker", (_, text) => {
  expect(parseFlatMarker(text)).toBeUndefined();
});

test.each(["bytes", "lines", "number"] as const)("fitsMarker() refuses content with other %s", (key) => {
  const read = parseFlatMarker(marker);
  expect(read !== undefined && fitsMarker(read, content)).toBe(true);
  expect(read !== undefined && fitsMarker(read, { ...content, [key]: content[key] + 1 })).toBe(false);
});
