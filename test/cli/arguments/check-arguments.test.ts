import { describe, expect, test } from "vitest";
import { parseArguments } from "../../../src/cli/arguments/parse-arguments.ts";
import type { Command } from "../../../src/cli/command.ts";
import { UserError } from "../../../src/errors.ts";

type Shape = Pick<Command, "flags" | "positionals" | "parser" | "dashWords">;

const show: Shape = {
  parser: "yargs",
  positionals: [{ name: "selector", description: "a session" }],
  flags: {
    turns: { type: "string", placeholder: "A-B", description: "some turns" },
    limit: { type: "number", min: 1, description: "how many" },
    format: { type: "string", choices: ["markdown", "html"], description: "which" },
    refresh: { type: "boolean", default: true, description: "do not look" },
    secret: { type: "boolean", hidden: true, description: "not told" },
  },
};
const search: Shape = {
  ...show,
  parser: "light",
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

async function refusal(name: string, shape: Shape, argv: readonly string[]): Promise<unknown> {
  try {
    await parseArguments(name, shape, argv);
  } catch (error) {
    if (error instanceof UserError) return [error.exitCode, error.message, error.hint];
    throw error;
  }
  return undefined;
}

describe.each(["light", "yargs"] as const)("a refusal by the %s parser", (parser) => {
  test.each([
    [["last", "--turn", "3"], "Unknown flag --turn", "did you mean --turns?"],
    [["last", "--no-refres"], "Unknown flag --no-refres", "did you mean --no-refresh?"],
    [["last", "--zzzzzz"], "Unknown flag --zzzzzz", "run `sessions show --help`"],
    [["last", "-z"], "Unknown flag -z", "run `sessions show --help`"],
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
  ])("of %j says what is wrong and what to do", async (argv, message, hint) => {
    expect(await refusal("show", { ...show, parser }, argv)).toEqual([2, message, hint]);
  });
});

describe("checkArguments()", () => {
  test("never hints at a hidden flag", async () => {
    expect(await refusal("show", show, ["last", "--secre"])).toEqual([
      2,
      "Unknown flag --secre",
      "run `sessions show --help`",
    ]);
  });

  test("tells who searches for a flag how to do it", async () => {
    expect(await refusal("search", search, ["--no-verify"])).toEqual([
      2,
      "Unknown flag --no-verify",
      "to look for the text itself: sessions search -- --no-verify",
    ]);
  });

  test("wants at least one of many, and takes all of them", async () => {
    expect(await refusal("search", search, [])).toEqual([
      2,
      'Cannot run "search": <query> is missing',
      "usage: sessions search <query…> [flags]",
    ]);
    expect((await parseArguments("search", search, ["a", "b", "c"])).positionals).toEqual(["a", "b", "c"]);
  });

  test("checks the choices of an argument", async () => {
    expect(await refusal("completion", completion, ["fich"])).toEqual([
      2,
      '<shell> cannot be "fich"',
      "did you mean fish?",
    ]);
    expect(await refusal("completion", completion, ["zsh"])).toBeUndefined();
  });

  test("counts required and optional arguments", async () => {
    expect(await refusal("archive", archive, [])).toContain('Cannot run "archive": <first> is missing');
    expect(await refusal("archive", archive, ["a"])).toBeUndefined();
    expect(await refusal("archive", archive, ["a", "b"])).toBeUndefined();
    expect(await refusal("archive", archive, ["a", "b", "c"])).toContain(
      'Cannot run "archive": "c" is one argument too many',
    );
  });
});
