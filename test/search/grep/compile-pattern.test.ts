import { describe, expect, test } from "vitest";
import { exitCodes, UserError } from "../../../src/errors.ts";
import { compilePattern } from "../../../src/search/grep/compile-pattern.ts";
import fc from "../../support/fc.ts";

const compile = (text: string, options: { readonly ignoreCase?: boolean; readonly fixed?: boolean } = {}) =>
  compilePattern({ text, ignoreCase: false, fixed: false, ...options });

function refusal(text: string): UserError {
  try {
    compile(text);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error(`${text} was not refused`);
}

describe("compilePattern()", () => {
  test.each<[string, readonly string[]]>([
    ["token", ["token"]],
    ["fo+bar", ["obar"]],
    ["(?:foo|quux)x?", ["foo", "quux"]],
    ["foo|ba", []],
    ["ab", []],
    ["f(?:oo)+barn", ["barn"]],
    ["a{2,3}bcd", ["abcd"]],
    ["x{3}yz", ["xxxyz"]],
    ["\\bfoo\\b.*barn", ["barn"]],
    ["^import$", ["import"]],
    ["a/bcd", ["bcd"]],
    ['say "hello"', ["hello"]],
    ["one\\ntwo three", ["two three"]],
    ["größe", ["größe"]],
    ["日", ["日"]],
    ["[.]git", [".git"]],
    ["\\x66oo", ["foo"]],
    ["\\u{66}oo", ["foo"]],
    ["(?=foo)b.*", []],
    ["(?!foo)barn", ["barn"]],
    ["(foo)\\1", ["foo"]],
    ["foo\\d+bar", ["foo"]],
    ["(?<name>foo)bar", ["foobar"]],
    ["foo?bar", ["bar"]],
    ["[^a]foo", ["foo"]],
    ["\\p{Lu}foo", ["foo"]],
    // Legacy mode, in which \u{66} is 66 times u and \012 a line end.
    ["\\u{66}foo\\-", ["foo-"]],
    ["\\0123foo", ["foo"]],
  ])("knows of %s that every match holds one of %j", (text, literals) => {
    expect(compile(text).literals).toEqual(literals);
  });

  test("has no literal with a letter whose other case is not ASCII", () => {
    // K is also the sign of Kelvin, s the long s.
    expect(compile("disk space", { ignoreCase: true }).literals).toEqual(["pace"]);
    const { source, flags } = compile("disk", { ignoreCase: true });
    expect("di\u017F\u212A").toMatch(new RegExp(source, flags));
  });

  test.each([
    ["[", "x["],
    ["a.b(c", "xa.b(cx"],
    ["$^", "$^"],
    ["C:\\new", "C:\\new"],
  ])("takes %s literally if it is fixed", (text, found) => {
    const { source, flags } = compile(text, { fixed: true });
    expect(found.match(new RegExp(source, flags))).toEqual([text]);
  });

  test.each([
    ["foo{", "foo{"],
    ["a\\-b", "a-b"],
    ["x{,3}", "x{,3}"],
  ])("reads %s, which only older rules allow", (text, found) => {
    const { source, flags } = compile(text);
    expect(found).toMatch(new RegExp(source, flags));
  });

  test.each([
    ["foo(bar", 'this "(" is never closed (character 4)'],
    ["a)b", 'this ")" closes nothing (character 2)'],
    ["x[abc", 'this "[" is never closed (character 2)'],
    ["[z-a]", "this range ends before it begins (character 2)"],
    ["a**", 'this "*" has nothing to repeat (character 3)'],
    ["+a", 'this "+" has nothing to repeat (character 1)'],
    ["a|*", 'this "*" has nothing to repeat (character 3)'],
    ["\\b+", 'this "+" has nothing to repeat (character 3)'],
    ["ab\\", "nothing follows this backslash (character 3)"],
    ["a{3,1}", "these numbers are in the wrong order (character 2)"],
    ["x{2}{3}", "this repetition has nothing to repeat (character 5)"],
    ["(?<n", "there is no such kind of group (character 1)"],
    ["😀(", 'this "(" is never closed (character 2)'],
    ["\\p{Foo}", "invalid property name"],
    ["\\p{L}\\-", "invalid escape"],
    ["(?<a>x)(?<a>y)", "duplicate capture group name"],
  ])("refuses %s and says where: %s", (text, why) => {
    const error = refusal(text);
    expect(error.message).toBe(`Cannot read the pattern "${text}": ${why}`);
    expect(error.exitCode).toBe(exitCodes.wrongUsage);
    expect(error.hint).toBeDefined();
  });

  test("explains syntax of other programs", () => {
    expect(refusal("(?i)foo").hint).toContain("-i");
    expect(refusal("(?P<x>a)").hint).toContain("(?<name>");
  });

  test("refuses an empty pattern", () => {
    expect(refusal("").exitCode).toBe(exitCodes.wrongUsage);
  });

  test.each([
    ["foo", true],
    ["(?:foo|bar)baz?", true],
    ["^\\w\\d\\s$", true],
    ["x{3}", true],
    ["(a+)+$", false],
    ["foo.*bar", false],
    ["(a|ab){40}", false],
    ["(?=(a+)+b)x", false],
    ["(a)\\1", false],
    ["a?".repeat(30), false],
  ])("of %s it is %s that no text can keep the engine busy", (text, isQuick) => {
    expect(compile(text).isQuick).toBe(isQuick);
  });

  const letter = fc.constantFrom(
    "a",
    "b",
    "k",
    "S",
    "é",
    "日",
    " ",
    ".",
    "-",
    '"',
    "/",
    "\\\\",
    "\\n",
    "\\.",
  );
  const { pattern } = fc.letrec<{ pattern: string; branch: string; term: string; atom: string }>((tie) => ({
    pattern: fc.array(tie("branch"), { minLength: 1, maxLength: 3 }).map((branches) => branches.join("|")),
    branch: fc.array(tie("term"), { minLength: 1, maxLength: 6 }).map((terms) => terms.join("")),
    term: fc
      .tuple(tie("atom"), fc.constantFrom("", "", "", "", "?", "*", "+", "{2}", "{1,2}", "??"))
      .map(([atom, times]) => atom + times),
    atom: fc.oneof(
      { depthSize: "small" },
      { weight: 6, arbitrary: letter },
      { weight: 1, arbitrary: fc.constantFrom("[ab]", "[^a]", "\\w", "\\b", "^", "(?:)", "[b]", "(?!a)") },
      { weight: 1, arbitrary: tie("pattern").map((inner) => `(${inner})`) },
    ),
  }));
  const text = fc
    .array(
      fc.constantFrom(
        "a",
        "b",
        "B",
        "k",
        "K",
        "\u212A",
        "s",
        "S",
        "\u017F",
        "é",
        "É",
        "日",
        " ",
        ".",
        "-",
        "\n",
      ),
      {
        maxLength: 40,
      },
    )
    .map((chars) => chars.join(""));

  test("whatever the pattern, no match lacks the texts that it must hold", () => {
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (generated, searched, ignoreCase) => {
        let compiled: ReturnType<typeof compile>;
        try {
          compiled = compile(generated, { ignoreCase });
        } catch (error) {
          // `^*` and its like.
          fc.pre(!(error instanceof UserError));
          throw error;
        }
        const { source, flags, literals } = compiled;
        for (const [match] of searched.matchAll(new RegExp(source, flags))) {
          if (match === "" || literals.length === 0) continue;
          const held = ignoreCase ? match.toLowerCase() : match;
          expect(literals.some((each) => held.includes(ignoreCase ? each.toLowerCase() : each))).toBe(true);
        }
      }),
      { numRuns: 1_500 },
    );
  });
});
