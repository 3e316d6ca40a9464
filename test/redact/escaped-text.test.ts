import { describe, expect, it, test } from "vitest";
import { maskDeep } from "../../src/redact/mask.ts";
import { createRedactor, redact } from "../../src/redact/redact.ts";
import fc from "../support/fc.ts";
import { loadSampleSet } from "../support/secret-samples.ts";

const secret = ["Sup3r", "S3cret", "Pw"].join("");
const command = `x\nmysql -uroot -p${secret}`;

describe("redact() of text with escapes", () => {
  test.each([
    ["a value of JSON", JSON.stringify({ command })],
    ["JSON with an end that is missing", JSON.stringify({ command, rest: "abc" }).slice(0, -9)],
    ["JSON in JSON", JSON.stringify({ log: JSON.stringify({ command }) })],
    ["JSON in JSON in JSON", JSON.stringify([JSON.stringify([JSON.stringify({ command })])])],
    ["lines of JSON", `${JSON.stringify({ a: 1 })}\n${JSON.stringify({ command })}\n`],
    ["a key", JSON.stringify({ [command]: 1 })],
    ["letters that are escaped", String.raw`{"command":"x\u000a\u006dysql -uroot -p${secret}"}`],
    ["a tab", JSON.stringify({ command: command.replace("\n", "\t") })],
    ["a literal in a program", `print('${command.replace("\n", "\\n")}')`],
    ["quotes of other text before it", `5" wide, ${JSON.stringify({ command })}`],
  ])("masks the secret in %s", (_where, text) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain("[masked");
  });

  it("keeps what is around the secret, and JSON that can be read", () => {
    const value = { command: `${command}\necho "done"\\`, more: ["é\n\u0001", 1] };
    expect(JSON.parse(redact(JSON.stringify(value)))).toEqual({
      ...value,
      command: value.command.replace(secret, "[masked: password]"),
    });
  });

  it("masks what the user has a pattern for by the value, too", () => {
    const mine = createRedactor({ extra: ["(?<=\\n)case \\d+"] });
    expect(mine.redact(JSON.stringify("a\ncase 4711"))).toBe('"a\\n[masked: custom]"');
  });

  it("masks in JSON all that it masks in the value alone", () => {
    const samples = loadSampleSet("dev").withSecrets.filter(({ secrets }) => secrets.length === 1);
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.boolean(), (sample, isNested) => {
        const [place] = sample.secrets;
        const hidden = sample.text.slice(place?.start, place?.end);
        fc.pre(!redact(`first\n${sample.text}`).includes(hidden));
        const json = JSON.stringify({ content: `first\n${sample.text}` });
        const masked = redact(isNested ? JSON.stringify({ json }) : json);
        const inside: unknown = isNested ? JSON.parse(masked).json : masked;
        expect(JSON.parse(String(inside)).content).not.toContain(hidden);
      }),
      { numRuns: 500 },
    );
  });
});

describe("maskDeep()", () => {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

  it("masks keys: tools are counted by their names", () => {
    const tools = { Bash: 2, [`mcp__a__${token}`]: 1, [`mcp__a__${token.replace("a1", "b2")}`]: 3 };
    const masked = maskDeep({ tools }, redact);
    expect(JSON.stringify(masked)).not.toContain(token.slice(8));
    expect(Object.values(masked.tools)).toEqual([2, 1, 3]);
  });

  it("returns what holds no secret as it is", () => {
    const value = { tools: { Bash: 2, "mcp__a__b-c": 1 }, list: [{ path: "/a/b" }] };
    expect(maskDeep(value, redact)).toBe(value);
  });
});

describe("redact() of text with what is not seen", () => {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

  test.each([
    ["a space of no width", "\u200b"],
    ["a mark of direction", "\u202e"],
    ["a colour", "\x1b[31m"],
    ["NUL", "\0"],
    ["a control of C1", "\x84"],
  ])("masks a secret that %s parts in two", (_what, parts) => {
    const text = `use ${token.slice(0, 20)}${parts}${token.slice(20)} now`;
    expect(redact(text)).toBe("use [masked: github-token ghp_…] now");
  });
});
