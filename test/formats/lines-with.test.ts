import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { linesWith } from "../../src/formats/lines-with.ts";

function found(text: string, signs: readonly string[] | undefined): readonly string[] {
  const block = Buffer.from(text);
  const find = linesWith(
    block,
    signs?.map((sign) => Buffer.from(sign)),
  );
  const lines: string[] = [];
  for (let start = find(0); start !== -1; ) {
    const lf = block.indexOf("\n", start);
    const end = lf === -1 ? block.length : lf;
    lines.push(block.toString("utf8", start, end));
    start = find(end + 1);
  }
  return lines;
}

test("linesWith() finds every line that has a sign, and no other", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  const sign = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(line), fc.array(sign), fc.boolean(), (lines, signs, isEnded) => {
      const text = lines.join("\n") + (isEnded ? "\n" : "");
      const wanted = lines.filter((each) => signs.some((mark) => each.includes(mark)));
      expect(found(text, signs)).toEqual(wanted);
    }),
  );
});

test("linesWith() finds all lines where no signs are known", () => {
  expect(found("one\n\ntwo\n", undefined)).toEqual(["one", "", "two"]);
  expect(found("one\ntwo", undefined)).toEqual(["one", "two"]);
});
