import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import { type FlagTable, globalFlags } from "../../src/cli/command.ts";
import { commandGroups, commandTable, defaultCommand } from "../../src/cli/command-table.ts";

const commands = await Promise.all(
  commandTable.map(async (row) => ({ name: row.name, row, command: (await row.load()).command })),
);

/** The words of a command line in simple quotes; what follows a pipe or an `&&` is another program's. */
function wordsOf(line: string): readonly string[] {
  const own = /^((?:'[^']*'|"[^"]*"|[^'"|&>])*)/.exec(line)?.[1] ?? "";
  const words = own.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

test("the table has commands, each once, and the one that runs alone", () => {
  const names = commandTable.map((row) => row.name);
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain(defaultCommand);
});

describe.each(commands)("$name", ({ name, row, command }) => {
  test("has a summary of one line and a group that help shows", () => {
    expect(row.summary).toMatch(/^[^\n.A-Z][^\n]{5,66}[^.]$/);
    expect(commandGroups).toContain(row.group);
  });

  test("has a description in sentences", () => {
    expect(command.description).toMatch(/^[A-Z`][\s\S]+\.$/);
  });

  test.each(command.examples)("understands its example $line", ({ line }) => {
    const words = wordsOf(line).filter((word) => !/^[A-Z_]+=/.test(word));
    // `sessions` alone is the default command.
    expect([words[0], words[1] ?? defaultCommand]).toEqual(["sessions", name]);
    expect(() => parseArguments(name, command, words.slice(2))).not.toThrow();
  });

  test("has unambiguous flags that can be typed", () => {
    const all: FlagTable = { ...command.flags, ...globalFlags };
    expect(Object.keys(all)).toHaveLength(
      Object.keys(command.flags).length + Object.keys(globalFlags).length,
    );
    const names = Object.entries(all).flatMap(([key, { otherNames = [] }]) => [key, ...otherNames]);
    const letters = Object.values(all).flatMap(({ alias }) => alias ?? []);
    expect(new Set([...names, ...letters]).size).toBe(names.length + letters.length);
    for (const letter of letters) expect(letter).toMatch(/^[A-Za-z]$/);
    for (const [key, flag] of Object.entries(command.flags)) {
      expect(key).toMatch(/^(?!no-)[a-z][a-z-]+$/);
      expect(flag.description).toMatch(/^[^\n]+[^.\n]$/);
      if (flag.type === "string" && flag.choices !== undefined && flag.default !== undefined) {
        expect(flag.choices).toContain(flag.default);
      }
      if (flag.type === "number" && flag.default !== undefined) {
        expect(flag.default).toBeGreaterThanOrEqual(flag.min ?? 0);
      }
    }
  });

  test("calls its dry run --dry-run, -n and --dry", () => {
    const dry = Object.entries(command.flags).filter(([key, { alias }]) => /dry/.test(key) || alias === "n");
    for (const [key, { alias, otherNames }] of dry) {
      expect([key, alias, otherNames]).toEqual(["dry-run", "n", ["dry"]]);
    }
  });

  test("takes its required arguments first and many at the end only", () => {
    const optional = command.positionals.map((positional) => positional.optional === true);
    expect(optional).toEqual([...optional].sort((a, b) => Number(a) - Number(b)));
    expect(command.positionals.slice(0, -1).some((positional) => positional.many === true)).toBe(false);
  });
});
