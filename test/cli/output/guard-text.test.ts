import { expect, test } from "vitest";
import { guardText } from "../../../src/cli/output/sanitize.ts";
import { createStyle } from "../../../src/cli/output/style.ts";

const style = createStyle(true);

test.each(Object.entries(style))("guardText() lets the style %s pass", (_name, paint) => {
  expect(guardText(`a ${paint("b")} c\n`)).toBe(`a ${paint("b")} c\n`);
});

test.each([
  ["the clipboard", "\x1b]52;c;aGk=\x07x", "x"],
  ["the title", "\x1b]0;t\x1b\\x", "x"],
  ["the screen", "\x1b[2J\x1b[Hx", "x"],
  ["hidden text", "\x1b[8mx\x1b[0m", "x"],
  ["C1", "\x9b31mx\x9d0;t\x9c", "x"],
  ["a sequence around one of ours", `\x1b${style.red("x")}`, style.red("x")],
  ["the direction", "\u202ex", "x"],
])("guardText() takes out what would change %s", (_what, text, clean) => {
  expect(guardText(text)).toBe(clean);
});

test("guardText() lets a line of progress be drawn", () => {
  expect(guardText("\r\x1b[KIndexing 1 of 2 files")).toBe("\r\x1b[KIndexing 1 of 2 files");
});
