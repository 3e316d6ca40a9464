import { describe, expect, test } from "vitest";
import { type Key, readKeys } from "../../../src/cli/pick/read-keys.ts";
import fc from "../../support/fc.ts";

const named = (...names: readonly string[]): readonly Key[] => names.map((name) => ({ kind: "named", name }));
const text = (typed: string): Key => ({ kind: "text", text: typed });

describe("readKeys()", () => {
  test.each([
    ["letters, also of other scripts", "héllo 日本", [text("héllo 日本")]],
    ["Enter, Tab and Backspace", "\r\t\x7f\b", named("enter", "tab", "backspace", "backspace")],
    ["Ctrl with a letter", "\x03\x19", named("ctrl-c", "ctrl-y")],
    ["arrows in both modes", "\x1b[A\x1bOB", named("up", "down")],
    [
      "pages and F1 of four kinds of terminals",
      "\x1b[5~\x1b[6~\x1bOP\x1b[11~\x1b[[A",
      named("pageup", "pagedown", "f1", "f1", "f1"),
    ],
    [
      "arrows with Shift, Alt and Ctrl",
      "\x1b[1;2A\x1b[1;3B\x1b[1;5H",
      named("shift-up", "alt-down", "ctrl-home"),
    ],
    ["Alt with a letter", "\x1bH", named("alt-h")],
    ["a key between letters", "a\x1b[Db", [text("a"), ...named("left"), text("b")]],
    ["nothing in sequences that are no key", "\x1b[?1;2c\x1b[12;40R\x1b[I", []],
    ["pasted text as one, line ends included", "\x1b[200~one\ntwo\x1b[C\x1b[201~", [text("one\ntwo\x1b[C")]],
  ])("reads %s", (_, input, keys) => {
    expect(readKeys(input, false)).toEqual({ keys, rest: "" });
  });

  test("waits for the rest of a key, and takes a lone ESC for the key itself if none comes", () => {
    expect(readKeys("x\x1b", false)).toEqual({ keys: [text("x")], rest: "\x1b" });
    expect(readKeys("\x1b[1;", false)).toEqual({ keys: [], rest: "\x1b[1;" });
    expect(readKeys("\x1b", true)).toEqual({ keys: named("escape"), rest: "" });
  });

  test("never takes an unfinished paste for keys", () => {
    const start = "\x1b[200~rm\r";
    expect(readKeys(start, true)).toEqual({ keys: [], rest: start });
  });

  test("reads the same keys however the input is cut", () => {
    const part = fc.constantFrom("a", "é", "日", "\r", "\x1b[A", "\x1b[1;5B", "\x1bOP", "\x1b[5~", "\x19");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.nat(), (parts, at) => {
        const whole = parts.join("");
        const cut = whole.length === 0 ? 0 : at % whole.length;
        const first = readKeys(whole.slice(0, cut), false);
        const second = readKeys(first.rest + whole.slice(cut), false);
        const joined = [...first.keys, ...second.keys].map((key) =>
          key.kind === "text" ? key.text : `<${key.name}>`,
        );
        const uncut = readKeys(whole, false).keys.map((key) =>
          key.kind === "text" ? key.text : `<${key.name}>`,
        );
        expect(joined.join("")).toBe(uncut.join(""));
      }),
    );
  });
});
