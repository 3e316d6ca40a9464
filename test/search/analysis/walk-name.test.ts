import { expect, test } from "vitest";
import { joinParts, splitName } from "../../../src/search/analysis/split-name.ts";
import { withUnits } from "../../../src/search/analysis/text-units.ts";
import { createNameWalk, walkName } from "../../../src/search/analysis/walk-name.ts";
import fc from "../../support/fc.ts";

/** Parts and whole of a name; undefined where the walk leaves it to others. */
function walked(
  name: string,
  before = "",
): { readonly parts: readonly string[]; readonly whole: string } | undefined {
  const walk = createNameWalk();
  let isWalked = false;
  withUnits(before + name, (source) => {
    isWalked = walkName(source, before.length, before.length + name.length, walk);
  });
  if (!isWalked) return undefined;
  const parts = Array.from({ length: walk.count }, (_, part) =>
    name.slice(
      (walk.bounds[part * 2] ?? 0) - before.length,
      (walk.bounds[part * 2 + 1] ?? 0) - before.length,
    ),
  );
  return { parts, whole: String.fromCharCode(...walk.whole.subarray(0, walk.wholeLength)) };
}

function split(name: string): ReturnType<typeof walked> {
  const { parts, wholeParts } = splitName(name);
  const whole = wholeParts > 1 ? joinParts(name, parts, wholeParts) : "";
  return {
    parts: parts.map(({ start, end, text }) => text ?? name.slice(start, end)),
    whole: whole.length > 64 ? "" : whole,
  };
}

test("names have the parts and the whole that splitting them gives", () => {
  expect(walked("getUserById")).toEqual({ parts: ["get", "User", "By", "Id"], whole: "getuserbyid" });
  expect(walked("auth/token.ts-120")).toEqual({
    parts: ["auth", "token", "ts", "120"],
    whole: "authtokents",
  });
  expect(walked("10-20", "see ")).toEqual({ parts: ["10", "20"], whole: "10-20" });
});

test("a number with points is one part", () => {
  expect(walked("took2.219s")).toEqual({ parts: ["took2", "219s"], whole: "took2.219s" });
  expect(walked("lib-3.12.3rc1")).toEqual({ parts: ["lib", "3.12.3rc1"], whole: "lib3.12.3rc1" });
  expect(walked("3.12.x")).toEqual({ parts: ["3.12", "x"], whole: "3.12x" });
  for (const name of ["took2.219s", "lib-3.12.3rc1", "3.12.x"]) expect(walked(name)).toEqual(split(name));
  expect(walked("3.12RC")).toBeUndefined();
});

test("what is special is left to others", () => {
  const special = [
    "v1.2",
    "2026-01-02",
    "don't",
    "naïve",
    "deadbeefdeadbeef",
    "GitHub",
    "c++",
    "x".repeat(65),
  ];
  for (const name of special) expect([name, walked(name)]).toEqual([name, undefined]);
});

test("any name that it takes is taken as splitting takes it", () => {
  const piece = fc.constantFrom(
    "get",
    "User",
    "ID",
    "IDs",
    "s",
    "HTTP",
    "v2",
    "v",
    "12",
    "3",
    ".",
    "-",
    "_",
    "/",
    "\\",
    ":",
    "'",
    "go",
    "ts",
    "-12",
    "-12-",
    "a",
    "B",
    "é",
    "0",
    "2026-01-02",
    "T12",
    "deadbeefdeadbeef",
    "JavaScript",
    "iOS",
    "E2BIG",
    "auth0",
    "1.2",
    "V1.2.3",
    "x",
    "+",
    "#",
    "1234567890",
    "abcdefab-1234-1234-1234-abcdefabcdef",
    "Q",
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      const name = pieces.join("");
      const found = walked(name, "some text ");
      if (found !== undefined) expect(found).toEqual(split(name));
    }),
    { numRuns: 2_000 },
  );
});
