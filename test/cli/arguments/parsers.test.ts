import { describe, expect, test } from "vitest";
import { parseArguments } from "../../../src/cli/arguments/parse-arguments.ts";
import type { FlagTable, ParsedArguments } from "../../../src/cli/command.ts";
import { UserError } from "../../../src/errors.ts";
import fc from "../../support/fc.ts";

const flags: FlagTable = {
  limit: { type: "number", default: 10, description: "how many" },
  context: { type: "number", alias: "C", description: "lines around" },
  quiet: { type: "boolean", alias: "q", description: "ids only" },
  ignore: { type: "boolean", alias: "i", description: "case" },
  refresh: { type: "boolean", default: true, description: "do not look for changes" },
  project: { type: "strings", alias: "p", description: "projects" },
  output: { type: "string", alias: "o", description: "a file" },
  format: { type: "string", choices: ["md", "html"], default: "md", description: "which" },
};
const positionals = [{ name: "word", description: "words", optional: true, many: true }] as const;

type Parser = (argv: readonly string[]) => Promise<ParsedArguments>;

const light: Parser = (argv) => parseArguments("try", { flags, positionals, parser: "light" }, argv);
const heavy: Parser = (argv) => parseArguments("try", { flags, positionals, parser: "yargs" }, argv);
const words: Parser = (argv) =>
  parseArguments("try", { flags, positionals, parser: "light", dashWords: true }, argv);

/** What was typed and is not a default, as one value to compare. */
async function outcome(parser: Parser, argv: readonly string[]): Promise<unknown> {
  try {
    const { flags: values, given, positionals: found, literalFrom } = await parser(argv);
    const typed = Object.fromEntries([...given].sort().map((name) => [name, values[name]]));
    return { typed, values, words: found, literalFrom };
  } catch (error) {
    if (error instanceof UserError) return { refused: error.exitCode };
    throw error;
  }
}

interface Case {
  readonly argv: readonly string[];
  readonly typed?: Readonly<Record<string, unknown>>;
  readonly words?: readonly string[];
  readonly literalFrom?: number;
}

const understood: readonly Case[] = [
  { argv: [] },
  { argv: ["5e12", "0x10", "007", "1.0"], words: ["5e12", "0x10", "007", "1.0"] },
  { argv: ["-5", "-.5", "-"], words: ["-5", "-.5", "-"] },
  { argv: ["--limit", "5"], typed: { limit: 5 } },
  { argv: ["--limit=5", "--limit=7"], typed: { limit: 7 } },
  { argv: ["-C3"], typed: { context: 3 } },
  { argv: ["-C=3"], typed: { context: 3 } },
  { argv: ["-C", "3"], typed: { context: 3 } },
  { argv: ["-qi"], typed: { quiet: true, ignore: true } },
  { argv: ["-qiC3"], typed: { quiet: true, ignore: true, context: 3 } },
  { argv: ["-ofile.md"], typed: { output: "file.md" } },
  { argv: ["-o./a b"], typed: { output: "./a b" } },
  { argv: ["--no-refresh"], typed: { refresh: false } },
  { argv: ["--no-quiet"], typed: { quiet: false } },
  { argv: ["--quiet", "--no-quiet"], typed: { quiet: false } },
  { argv: ["--project", "a", "x", "-p", "b"], typed: { project: ["a", "b"] }, words: ["x"] },
  { argv: ["--project=--json"], typed: { project: ["--json"] } },
  { argv: ["--project=a=b"], typed: { project: ["a=b"] } },
  { argv: ["--quiet", "true", "false"], typed: { quiet: true }, words: ["true", "false"] },
  { argv: ["--format=html"], typed: { format: "html" } },
  { argv: ["a", "--", "--json", "-q", "--"], words: ["a", "--json", "-q", "--"], literalFrom: 1 },
  { argv: ["--output", "-5"], typed: { output: "-5" } },
  { argv: ["", "a"], words: ["", "a"] },
  { argv: ["a=b", "c:d"], words: ["a=b", "c:d"] },
];

const refused: readonly (readonly string[])[] = [
  ["--nonsense"],
  ["--nonsense=1"],
  ["-x"],
  ["-qx"],
  ["--no-limit"],
  ["--no-nonsense"],
  ["--no-quiet=1"],
  ["--limit"],
  ["--limit="],
  ["--limit", "--json"],
  ["--limit", "--", "5"],
  ["--limit", "ten"],
  ["--limit", "-1"],
  ["--limit", "1.5"],
  ["--limit", "1e3"],
  ["--limit=99999999999999999999"],
  ["--output", "-o"],
  ["-o"],
  ["--quiet=true"],
  ["--json=no"],
  ["--format", "pdf"],
  ["--q"],
  ["--_", "x"],
  ["--$0=x"],
  ["---"],
  ["---x"],
  ["--__proto__", "x"],
  ["--constructor"],
  ["--toString=1"],
];

describe.each([
  ["light", light],
  ["yargs", heavy],
])("the %s parser", (_, parser) => {
  test.each(understood)("reads $argv", async ({ argv, typed = {}, words: found = [], literalFrom }) => {
    const result = await outcome(parser, argv);
    expect(result).toMatchObject({ typed, words: found, literalFrom: literalFrom ?? found.length });
  });

  test.each(refused.map((argv) => ({ argv })))("refuses $argv with exit code 2", async ({ argv }) => {
    expect(await outcome(parser, argv)).toEqual({ refused: 2 });
  });

  test("fills in the defaults of what was not typed", async () => {
    expect((await parser([])).flags).toEqual({
      json: false,
      reveal: false,
      color: true,
      help: false,
      limit: 10,
      context: undefined,
      quiet: false,
      ignore: false,
      refresh: true,
      project: [],
      output: undefined,
      format: "md",
    });
  });
});

describe("the light parser with dash words", () => {
  test.each<Case>([
    { argv: ["token", "-refresh"], words: ["token", "-refresh"] },
    { argv: ["-quick", "-x", "-i18n"], words: ["-quick", "-x", "-i18n"] },
    { argv: ["-q", "-qi"], typed: { quiet: true }, words: ["-qi"] },
    { argv: ["-C3", "-C=4"], typed: { context: 4 } },
    { argv: ["-error:timeout"], words: ["-error:timeout"] },
    { argv: ['-"two words"'], words: ['-"two words"'] },
    { argv: ["--limit", "3", "-5"], typed: { limit: 3 }, words: ["-5"] },
    { argv: ["--", "-q"], words: ["-q"], literalFrom: 0 },
  ])("reads $argv", async ({ argv, typed = {}, words: found = [], literalFrom }) => {
    const result = await outcome(words, argv);
    expect(result).toMatchObject({ typed, words: found, literalFrom: literalFrom ?? found.length });
  });

  test.each([{ argv: ["--limti", "3"] }, { argv: ["--project", "-x"] }, { argv: ["--no-verify"] }])(
    "refuses $argv",
    async ({ argv }) => {
      expect(await outcome(words, argv)).toEqual({ refused: 2 });
    },
  );
});

describe("both parsers", () => {
  const name = fc.constantFrom(
    ...Object.keys(flags),
    "json",
    "help",
    "nonsense",
    "q",
    "C",
    "no",
    "__proto__",
    "_",
    "$0",
    "",
  );
  const word = fc.oneof(
    fc.constantFrom(
      "a",
      "5",
      "5e12",
      "-5",
      "-.5",
      "-",
      "true",
      "false",
      "md",
      "",
      "a=b",
      "x y",
      "-1e3",
      "=",
      "é",
    ),
    fc.string({ maxLength: 6 }),
  );
  const letters = fc.string({
    unit: fc.constantFrom("q", "i", "C", "o", "p", "h", "3", "=", "x", ".", "/", "-"),
    minLength: 1,
    maxLength: 4,
  });
  const arg = fc.oneof(
    word,
    name.map((each) => `--${each}`),
    name.map((each) => `--no-${each}`),
    fc.tuple(name, word).map(([each, value]) => `--${each}=${value}`),
    letters.map((group) => `-${group}`),
    fc.constantFrom("--", "---", "----x", "--=x"),
  );

  test("agree on every command line", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(arg, { maxLength: 6 }), async (argv) => {
        const result = await outcome(light, argv);
        expect(await outcome(heavy, argv)).toEqual(result);
        if (typeof result === "object" && result !== null && "words" in result) accepted++;
      }),
      { numRuns: 1500 },
    );
    // Two parsers that refuse everything would agree too.
    expect(accepted).toBeGreaterThan(100);
  });
});
