import { describe, expect, test } from "vitest";
import { sanitize } from "../../../src/cli/output/sanitize.ts";
import fc from "../../support/fc.ts";

describe("sanitize()", () => {
  test.each([
    ["plain text – ü 日 👨‍👩‍👧", "plain text – ü 日 👨‍👩‍👧", "leaves what is harmless"],
    ["\x1b[31mred\x1b[0m", "red", "removes colours"],
    ["\x1b[2J\x1b[1;1Hgone", "gone", "removes cursor movement"],
    ["\x1b]0;title\x07text", "text", "removes an OSC ended by BEL"],
    ["\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", "removes an OSC ended by ST"],
    ["\x1bPq#0\x1b\\after", "after", "removes a device control string"],
    ["\x9b31mred\x9d0;t\x9cx", "redx", "removes the 8-bit forms"],
    ["\x1b]0;torn", "", "removes a torn sequence"],
    ["\x1b]0;torn\nnext", " next", "removes a torn sequence only to the end of its line"],
    ["\x1b\x1b[[31mx", "31mx", "leaves no escape behind, however they are nested"],
    ["\x1b(Btext\x1b7", "text", "removes two- and three-character sequences"],
    ["a\x00b\x08c\x7f", "abc", "removes control characters"],
    ["a\tb\nc\r\nd", "a b c d", "makes one line of several"],
    ["10%\r20%", "10% 20%", "takes a lone CR for a line end"],
    ["a\u2028b\u0085c", "a b c", "knows the other line ends"],
    ["file\u202egpj.exe", "filegpj.exe", "removes what turns the direction of text"],
    ["a\u2066b\u2069\u200f\u061cc", "abc", "removes isolates and marks"],
    ["a\u{e0041}\u{e0042}b", "ab", "removes invisible tags"],
    ["\ufeffa", "a", "removes a byte order mark"],
    ["a\ud800b", "a\ufffdb", "replaces half a surrogate pair"],
  ])("of %j is %j: %s", (text, expected) => {
    expect(sanitize(text)).toBe(expected);
  });

  test("keeps lines and tabs where asked", () => {
    expect(sanitize("a\tb\r\n\x1b[1mc\x1b[0m\n", "lines")).toBe("a\tb\nc\n");
  });

  test("leaves nothing that a terminal obeys, whatever comes in", () => {
    const unit = fc.oneof(
      fc.constantFrom(
        "\x1b",
        "[",
        "]",
        "P",
        "\\",
        "\x07",
        "\x9b",
        "\x9c",
        "m",
        "3",
        ";",
        "\n",
        "\r",
        "\u202e",
      ),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const clean = sanitize(text);
        expect(clean).not.toMatch(/[\p{Control}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u);
        expect(sanitize(clean)).toBe(clean);
        expect(sanitize(text, "lines")).toMatch(/^[\t\n\P{Control}]*$/u);
      }),
      { numRuns: 2000 },
    );
  });
});
