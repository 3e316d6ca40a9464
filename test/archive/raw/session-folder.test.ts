import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { folderNameOf, hashOfName, sessionFolder } from "../../../src/archive/raw/generations.ts";
import fc from "../../support/fc.ts";

const hostile = [
  "..",
  ".",
  "../../etc/passwd",
  "/absolute",
  "a\0b",
  "line\nbreak",
  "con",
  "NUL.txt",
  "Aux",
  "x".repeat(300),
  "-rf",
  ".hidden",
  "trailing.",
  "ａ／ｂ",
  "é".normalize("NFD"),
  "",
  " ",
  "a/b\\c:d",
  "\u202egnp.exe",
];

const anyId = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom(...hostile),
  fc.stringMatching(/^[A-Za-z0-9._/\\-]{0,40}$/),
);

describe("folderNameOf()", () => {
  it("leaves ids as agents make them alone", () => {
    for (const id of [
      "0b7c1d7e-5a0c-4f0e-9d3f-3f6f1c2e4a5b",
      "session-1775386832313-0",
      "019b2c6e-7f00-7aaa-8bbb-1234567890ab",
    ]) {
      expect(folderNameOf({ agent: "claude", id, copy: null })).toBe(id);
    }
  });

  it("makes one harmless component of any id", () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const name = folderNameOf({ agent: "pi", id, copy: null });
        expect(name).toMatch(/^[^/\\\0\n]+$/);
        expect(name).not.toMatch(/^\.|^-|[. ]$/);
        expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100);
        const folder = sessionFolder("/store/raw", { agent: "pi", id, copy: null });
        expect(dirname(resolve(folder))).toBe(join("/store/raw", "pi"));
        expect(basename(folder)).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  it("gives different folders to different ids, also on disks that fold case", () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        fc.pre(a !== b);
        const fold = (id: string): string =>
          folderNameOf({ agent: "pi", id, copy: null }).normalize("NFC").toLowerCase();
        expect(fold(a)).not.toBe(fold(b));
      }),
      { numRuns: 500 },
    );
    const names = ["abc", "Abc", "ABC", "abC"].map((id) =>
      folderNameOf({ agent: "pi", id, copy: null }).toLowerCase(),
    );
    expect(new Set(names).size).toBe(4);
  });

  it("is not led astray by an id that looks like a made name", () => {
    const made = folderNameOf({ agent: "pi", id: "A b", copy: null });
    expect(folderNameOf({ agent: "pi", id: made, copy: null })).not.toBe(made);
  });
});

describe("hashOfName()", () => {
  it("keeps sessions of two agents with one id apart", () => {
    expect(hashOfName({ agent: "pi", id: "x", copy: null }, 8)).not.toBe(
      hashOfName({ agent: "claw", id: "x", copy: null }, 8),
    );
    expect(hashOfName({ agent: "pi", id: "x", copy: null }, 8)).toMatch(/^[0-9a-f]{8}$/);
  });
});
