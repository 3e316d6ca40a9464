import { Buffer } from "node:buffer";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { insideOf } from "../../src/fs/places.ts";
import { isTempName } from "../../src/fs/replace-file.ts";
import { safeName } from "../../src/fs/safe-name.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import fc from "../support/fc.ts";

describe("safeName()", () => {
  it.each([
    ["fix the token refresh", "fix-the-token-refresh"],
    ["0a1b2c3d-4e5f", "0a1b2c3d-4e5f"],
    ["Größe prüfen", "Größe-prüfen"],
    ["日本語のタイトル", "日本語のタイトル"],
    ["/home/u/project", "home-u-project"],
    ["../../etc/passwd", "etc-passwd"],
    ["..", "_"],
    [".", "_"],
    ["", "_"],
    ["   ", "_"],
    ["🚀🚀", "_"],
    ["🚀 Deploy", "Deploy"],
    [".hidden", "hidden"],
    ["-rf", "rf"],
    ["a\0b\nc\td", "a-b-c-d"],
    ['a\\b:c*d?e"f<g>h|i', "a-b-c-d-e-f-g-h-i"],
    ["a／b", "a-b"],
    ["a‥b", "a.b"],
    ["ends with dots...", "ends-with-dots"],
    ["a...b", "a.b"],
    ["CON", "_CON"],
    ["nul.txt", "_nul.txt"],
    ["com1", "_com1"],
    ["COM¹", "_COM1"],
    ["lpt9.tar.gz", "_lpt9.tar.gz"],
    ["console", "console"],
    ["\u202eevil\u202c.md", "evil.md"],
    ["a\u200bb\ufeffc", "abc"],
    ["a\u3164b", "ab"],
    ["a\uffa0b", "ab"],
    ["e\u0301", "é"],
    ["\u0301e", "e"],
    ["\ud800x", "x"],
    ["$(rm -rf ~)`id`;&|", "rm-rf-id"],
    ["__proto__", "__proto__"],
  ])("%j is %j", (text, name) => {
    expect(safeName(text)).toBe(name);
  });

  it("cuts between characters, and looks for reserved names after the cut", () => {
    expect(safeName("x".repeat(500))).toBe("x".repeat(80));
    expect(safeName("ä".repeat(500), 5)).toBe("ää");
    expect(safeName("𝔘".repeat(2) + "語".repeat(50), 7)).toBe("UU語");
    expect(safeName("console", 3)).toBe("_co");
    expect(safeName("ab.cd", 3)).toBe("ab");
  });

  it("makes one harmless component of any text at all, and the same again of that", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc
        .array(
          fc.constantFrom(
            ...Array.from("./\\-~ \0\n:*"),
            "..",
            "con",
            "NUL",
            "\u202e",
            "／",
            "e\u0301",
            "\u3164",
            "\ud800",
          ),
          { maxLength: 30 },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 120 }), (given, maxBytes) => {
        const name = safeName(given, maxBytes);
        expect(name).not.toBe("");
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(maxBytes);
        expect(name).toMatch(/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u);
        expect(name).not.toMatch(/[.-]$|\.\./);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
        expect(name).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(name.normalize("NFKC")).toBe(name);
        expect(isTempName(name)).toBe(false);
        expect(insideOf("/a", join("/a", name))).toBe(true);
        expect(safeName(name, maxBytes)).toBe(name);
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives names that the disk takes and gives back", () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (given) => {
        const name = safeName(given);
        fs.writeFileSync(join(folder, name), "");
        expect(fs.readdirSync(folder)).toEqual([name]);
        fs.rmSync(join(folder, name));
      }),
    );
  });
});
