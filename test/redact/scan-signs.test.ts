import { describe, expect, it } from "vitest";
import { createSignScanner, type Sign, unitsOf } from "../../src/redact/scan-signs.ts";
import fc from "../support/fc.ts";

const SIGNS = ["=", ":", "：", "-----", "wd", "wd -", "word", "$ ", "❯ ", "requirepass "] as const;

/** Where each sign is seen; every one of them is worth a look again right after itself. */
function seenIn(text: string, step: (sign: string) => number = () => 0): readonly string[] {
  const seen: string[] = [];
  const signs = SIGNS.map(
    (sign): Sign => ({
      sign,
      find: (_, at) => {
        seen.push(`${sign}@${at}`);
        return at + step(sign);
      },
    }),
  );
  createSignScanner(signs)(text, [], unitsOf(text));
  return seen.sort();
}

function allIn(text: string): readonly string[] {
  return SIGNS.flatMap((sign) =>
    Array.from(text, (_, at) => at)
      .filter((at) => text.startsWith(sign, at))
      .map((at) => `${sign}@${at}`),
  ).sort();
}

const piece = fc.oneof(
  fc.constantFrom(...SIGNS, "passwd", "htpasswd -b", "------", " ", "w", "-", "é"),
  fc.string({ maxLength: 5 }),
);

describe("createSignScanner()", () => {
  it("stops at every sign, wherever it is", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        // Without pairs of surrogates, places are counted alike by both.
        const text = pieces.join("").replace(/[\ud800-\udfff]/g, "");
        expect(seenIn(text)).toEqual(allIn(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("goes on where a finder says, for its own sign only", () => {
    expect(seenIn("a=b=c:d=e", (sign) => (sign === "=" ? 4 : 0))).toEqual([":@5", "=@1", "=@7"]);
  });

  it("stops at a sign of one character only before what may follow it", () => {
    const seen: number[] = [];
    const sign: Sign = { sign: "$", before: "12", find: (_, at) => at + Math.min(0, seen.push(at)) };
    const text = "$1 $x $2 $";
    createSignScanner([sign])(text, [], unitsOf(text));
    expect(seen).toEqual([0, 6]);
  });

  it("starts again with every text", () => {
    const seen: number[] = [];
    const find: Sign["find"] = (text, at) => {
      seen.push(at);
      return text.length;
    };
    const scan = createSignScanner([{ sign: "=", find }]);
    for (const text of ["a=b=c", "=="]) scan(text, [], unitsOf(text));
    expect(seen).toEqual([1, 0]);
  });
});
