import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import type { Command, FlagTable } from "../../src/cli/command.ts";
import { UserError } from "../../src/errors.ts";
import fc from "../support/fc.ts";

type Shape = Pick<Command, "flags" | "positionals" | "dashWords">;

const flags: FlagTable = {
  limit: { type: "number", default: 10, description: "how many" },
  context: { type: "number", alias: "C", description: "lines around" },
  quiet: { type: "boolean", alias: "q", description: "ids only" },
  ignore: { type: "boolean", alias: "i", description: "case" },
  "dry-run": { type: "boolean", alias: "n", otherNames: ["dry"], description: "change nothing" },
  refresh: { type: "boolean", default: true, description: "do not look for changes" },
  project: { type: "strings", alias: "p", description: "projects" },
  output: { type: "string", alias: "o", description: "a file" },
  format: { type: "string", choices: ["md", "html"], default: "md", description: "which" },
};
const anyWords: Shape = {
  flags,
  positionals: [{ name: "word", description: "words", optional: true, many: true }],
};
const withDashWords: Shape = { ...anyWords, dashWords: true };

interface Case {
  readonly argv: readonly string[];
  /** Values of the flags that were typed. */
  readonly typed?: Readonly<Record<string, unknown>>;
  readonly words?: readonly string[];
  readonly literalFrom?: number;
}

function expectParsed(shape: Shape, { argv, typed = {}, words = [], literalFrom }: Case): void {
  const parsed = parseArguments("try", shape, argv);
  expect(Object.fromEntries([...parsed.given].map((name) => [name, parsed.flags[name]]))).toEqual(typed);
  expect([parsed.positionals, parsed.literalFrom]).toEqual([words, literalFrom ?? words.length]);
}

describe("parseArguments()", () => {
  test.each<Case>([
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
    { argv: ["-qiC", "3"], typed: { quiet: true, ignore: true, context: 3 } },
    { argv: ["-ofile.md"], typed: { output: "file.md" } },
    { argv: ["-o./a b"], typed: { output: "./a b" } },
    { argv: ["--no-refresh"], typed: { refresh: false } },
    { argv: ["--no-quiet"], typed: { quiet: false } },
    { argv: ["--quiet", "--no-quiet"], typed: { quiet: false } },
    { argv: ["--dry"], typed: { "dry-run": true } },
    { argv: ["-n", "--no-dry"], typed: { "dry-run": false } },
    { argv: ["--project", "a", "x", "-p", "b"], typed: { project: ["a", "b"] }, words: ["x"] },
    { argv: ["--project=--json"], typed: { project: ["--json"] } },
    { argv: ["--project=a=b"], typed: { project: ["a=b"] } },
    { argv: ["--project=a\nb=c"], typed: { project: ["a\nb=c"] } },
    { argv: ["--quiet", "true", "false"], typed: { quiet: true }, words: ["true", "false"] },
    { argv: ["--format=html"], typed: { format: "html" } },
    { argv: ["a", "--", "--json", "-q", "--"], words: ["a", "--json", "-q", "--"], literalFrom: 1 },
    { argv: ["--output", "-5"], typed: { output: "-5" } },
    { argv: ["", "a"], words: ["", "a"] },
    { argv: ["a=b", "c:d"], words: ["a=b", "c:d"] },
  ])("reads $argv", (line) => expectParsed(anyWords, line));

  test.each<Case>([
    { argv: ["token", "-refresh"], words: ["token", "-refresh"] },
    { argv: ["-quick", "-x", "-i18n"], words: ["-quick", "-x", "-i18n"] },
    { argv: ["-q", "-qi"], typed: { quiet: true }, words: ["-qi"] },
    { argv: ["-C3", "-C=4"], typed: { context: 4 } },
    { argv: ["-project:shop"], words: ["-project:shop"] },
    { argv: ['-"two words"'], words: ['-"two words"'] },
    { argv: ["-a\nb"], words: ["-a\nb"] },
    { argv: ["--limit", "3", "-5"], typed: { limit: 3 }, words: ["-5"] },
    { argv: ["--", "-q"], words: ["-q"], literalFrom: 0 },
  ])("reads $argv with dash words", (line) => expectParsed(withDashWords, line));

  const refused = [
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
    ["--n"],
    ["--_", "x"],
    ["---"],
    ["---x"],
    ["--=x"],
    ["--__proto__", "x"],
    ["--constructor"],
    ["--toString=1"],
  ];
  test.each([
    ...refused.map((argv) => ({ argv, shape: anyWords })),
    ...[["--limti", "3"], ["--project", "-x"], ["--no-verify"]].map((argv) => ({
      argv,
      shape: withDashWords,
    })),
  ])("refuses $argv with exit code 2", ({ argv, shape }) => {
    expect(() => parseArguments("try", shape, argv)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test("fills in the defaults of what was not typed", () => {
    expect(parseArguments("try", anyWords, []).flags).toEqual({
      json: false,
      reveal: false,
      color: true,
      help: false,
      limit: 10,
      context: undefined,
      quiet: false,
      ignore: false,
      "dry-run": false,
      refresh: true,
      project: [],
      output: undefined,
      format: "md",
    });
  });

  test("reads back every line of flags and words that can be written", () => {
    const value = fc.string().filter((text) => text !== "");
    const typed = fc.record(
      {
        limit: fc.nat(),
        context: fc.nat(),
        quiet: fc.boolean(),
        refresh: fc.boolean(),
        project: fc.array(value, { minLength: 1 }),
        output: value,
      },
      { requiredKeys: [] },
    );
    const word = fc.string().filter((text) => !/^-(?![\d.]*$)/.test(text));
    fc.assert(
      fc.property(typed, fc.array(word), fc.array(fc.string()), (given, words, literal) => {
        const written = Object.entries(given).flatMap(([name, values]) =>
          [values].flat().map((each) => {
            if (typeof each === "boolean") return each ? `--${name}` : `--no-${name}`;
            return `--${name}=${each}`;
          }),
        );
        const argv = [...words.slice(0, 2), ...written, ...words.slice(2), "--", ...literal];
        expectParsed(anyWords, {
          argv,
          typed: given,
          words: [...words, ...literal],
          literalFrom: words.length,
        });
      }),
    );
  });

  test("never throws anything but a refusal", () => {
    const name = fc.constantFrom(...Object.keys(flags), "json", "nonsense", "q", "no", "__proto__", "_", "");
    const letters = fc.string({ unit: fc.constantFrom(..."qiCoph3=x./-"), minLength: 1, maxLength: 4 });
    const arg = fc.oneof(
      fc.string({ maxLength: 6 }),
      name.map((each) => `--${each}`),
      name.map((each) => `--no-${each}`),
      fc.tuple(name, fc.string({ maxLength: 3 })).map(([each, text]) => `--${each}=${text}`),
      letters.map((group) => `-${group}`),
      fc.constantFrom("--", "---", "----x", "--=x"),
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(arg, { maxLength: 6 }), fc.boolean(), (argv, dashWords) => {
        try {
          parseArguments("try", { ...anyWords, dashWords }, argv);
          accepted++;
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

const show: Shape = {
  positionals: [{ name: "selector", description: "a session" }],
  flags: {
    turns: { type: "string", placeholder: "A-B", description: "some turns" },
    limit: { type: "number", min: 1, description: "how many" },
    format: { type: "string", choices: ["markdown", "html"], description: "which" },
    refresh: { type: "boolean", default: true, description: "do not look" },
    secret: { type: "boolean", hidden: true, description: "not shown" },
  },
};
const search: Shape = {
  ...show,
  dashWords: true,
  positionals: [{ name: "query", description: "words", many: true }],
};
const completion: Shape = {
  ...show,
  positionals: [{ name: "shell", description: "a shell", choices: ["bash", "zsh", "fish"] }],
};
const archive: Shape = {
  ...show,
  positionals: [
    { name: "first", description: "one" },
    { name: "second", description: "two", optional: true },
  ],
};

/** Message and hint of the refusal; undefined if the line is accepted. */
function refusal(name: string, shape: Shape, argv: readonly string[]): readonly unknown[] | undefined {
  try {
    parseArguments(name, shape, argv);
  } catch (error) {
    if (error instanceof UserError) return [error.message, error.hint];
    throw error;
  }
  return undefined;
}

describe("a refusal", () => {
  test.each([
    [["last", "--turn", "3"], "Unknown flag --turn", "did you mean --turns?"],
    [["last", "--no-refres"], "Unknown flag --no-refres", "did you mean --no-refresh?"],
    [["last", "--zzzzzz=1"], "Unknown flag --zzzzzz", "run `sessions show --help`"],
    [["last", "-z"], "Unknown flag -z", "run `sessions show --help`"],
    [["last", "--secre"], "Unknown flag --secre", "run `sessions show --help`"],
    [["last", "--turns"], "Flag --turns needs a value", "write --turns=A-B"],
    [["last", "--limit", "0"], 'Flag --limit needs a whole number of at least 1, not "0"', undefined],
    [["last", "--format", "htm"], 'Flag --format cannot be "htm"', "did you mean html?"],
    [["last", "--format", "pdf"], 'Flag --format cannot be "pdf"', "it can be markdown, html"],
    [["last", "--refresh=no"], "Flag --refresh takes no value", "write --refresh or --no-refresh"],
    [[], 'Cannot run "show": <selector> is missing', "usage: sessions show <selector> [flags]"],
    [
      ["a", "b"],
      'Cannot run "show": "b" is one argument too many',
      "usage: sessions show <selector> [flags]",
    ],
  ])("of %j says what is wrong and what to do", (argv, message, hint) => {
    expect(refusal("show", show, argv)).toEqual([message, hint]);
  });

  test("says how to search for the text of an unknown flag", () => {
    expect(refusal("search", search, ["--no-verify"])).toEqual([
      "Unknown flag --no-verify",
      "to search for that text: sessions search -- --no-verify",
    ]);
  });

  test("asks for at least one of many arguments", () => {
    expect(refusal("search", search, [])).toEqual([
      'Cannot run "search": <query> is missing',
      "usage: sessions search <query…> [flags]",
    ]);
    expect(parseArguments("search", search, ["a", "b", "c"]).positionals).toEqual(["a", "b", "c"]);
  });

  test("hints at the nearest choice of an argument", () => {
    expect(refusal("completion", completion, ["fich"])).toEqual([
      '<shell> cannot be "fich"',
      "did you mean fish?",
    ]);
    expect(refusal("completion", completion, ["zsh"])).toBeUndefined();
  });

  test("counts required and optional arguments", () => {
    expect(refusal("archive", archive, [])).toContain('Cannot run "archive": <first> is missing');
    expect(refusal("archive", archive, ["a"])).toBeUndefined();
    expect(refusal("archive", archive, ["a", "b"])).toBeUndefined();
    expect(refusal("archive", archive, ["a", "b", "c"])).toContain(
      'Cannot run "archive": "c" is one argument too many',
    );
  });
});
