import { describe, expect, test } from "vitest";
import { type Command, defineCommand } from "../../src/cli/command.ts";
import { type CommandRow, commandTable } from "../../src/cli/command-table.ts";
import { createStyle } from "../../src/cli/output/style.ts";
import { run } from "../../src/cli/run.ts";
import { exitCodes, UserError } from "../../src/errors.ts";
import { type MakeWorldOptions, makeWorld } from "../support/make-world.ts";

const echo = (dashWords: boolean): Command =>
  defineCommand({
    description: "Says what it was given.",
    examples: [{ line: "sessions echo a", says: "a" }],
    positionals: [{ name: "word", description: "anything", optional: true, many: true }],
    flags: {
      limit: { type: "number", default: 10, description: "how many" },
      quiet: { type: "boolean", alias: "q", description: "less" },
      format: { type: "string", choices: ["md", "html"], description: "which" },
    },
    dashWords,
    async run({ flags, positionals }, world) {
      const paint = createStyle(world.stdout.hasColor).bold;
      const limit: number = flags.limit;
      const format: "md" | "html" | undefined = flags.format;
      world.stdout.write(
        `${paint(JSON.stringify({ words: positionals, limit, format, quiet: flags.quiet }))}\n`,
      );
      return exitCodes.done;
    },
  });

const failing = (error: unknown): Command =>
  defineCommand({
    description: "Fails.",
    examples: [{ line: "sessions fail", says: "nothing" }],
    positionals: [],
    flags: {},
    run: () => Promise.reject(error),
  });

const row = (name: string, command: Command): CommandRow => ({
  name,
  group: "More",
  summary: `does ${name}`,
  load: async () => ({ command }),
});

const systemError = Object.assign(new Error("ENOSPC: no space left on device, write"), {
  code: "ENOSPC",
  syscall: "write",
  path: "/x/index",
});

const table: readonly CommandRow[] = [
  ...commandTable,
  row("echo", echo(false)),
  row("words", echo(true)),
  row(
    "refuse",
    failing(new UserError("Cannot\x1b[31m do it", { exitCode: exitCodes.refused, hint: "wait for its end" })),
  ),
  row("crash", failing(new TypeError("x is not\x07 a function"))),
  row("full", failing(systemError)),
  row("odd", failing("a text")),
];

async function runIn(argv: readonly string[], options: MakeWorldOptions = {}) {
  const world = makeWorld(options);
  const code = await run(argv, world, table);
  return { code, out: world.out(), err: world.err() };
}

describe("run()", () => {
  test.each([
    [["echo", "5e12", "--limit", "3"], '{"words":["5e12"],"limit":3,"quiet":false}\n'],
    [["echo", "a", "--", "--limit"], '{"words":["a","--limit"],"limit":10,"quiet":false}\n'],
    [["words", "token", "-old", "-q"], '{"words":["token","-old"],"limit":10,"quiet":true}\n'],
    [["--no-color", "echo", "--format=md"], '{"words":[],"limit":10,"format":"md","quiet":false}\n'],
  ])("of %j gives its command what was typed", async (argv, out) => {
    expect(await runIn(argv)).toEqual({ code: 0, out, err: "" });
  });

  test.each([[["--version"]], [["version"]], [["version", "--no-color"]]])(
    "of %j is the version alone",
    async (argv) => {
      const { code, out, err } = await runIn(argv);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    },
  );

  test("takes --json before the command, too", async () => {
    const { out } = await runIn(["--json", "version"]);
    expect(JSON.parse(out)).toEqual({ schemaVersion: 1, version: expect.any(String) });
    expect((await runIn(["--version", "--json"])).out).toBe(out);
  });

  test.each([
    [["ehco"], 'sessions: Unknown command "ehco"\nhint: did you mean `sessions echo`?\n'],
    [
      ["zzzzzzz"],
      'sessions: Unknown command "zzzzzzz"\nhint: to search: `sessions search zzzzzzz`; all commands: `sessions --help`\n',
    ],
    [["--jsn", "echo"], "sessions: Unknown flag --jsn\nhint: did you mean --json?\n"],
    [["echo", "--limti=3"], "sessions: Unknown flag --limti\nhint: did you mean --limit?\n"],
    [
      ["help", "ehco"],
      'sessions: Unknown command "ehco"\nhint: to search: `sessions search ehco`; all commands: `sessions --help`\n',
    ],
    [
      ["echo", "--reveal"],
      "sessions: Cannot reveal secrets: --reveal works only on a terminal\n" +
        "hint: leave out --reveal, or do not redirect the output\n",
    ],
  ])("of %j is refused with a hint", async (argv, err) => {
    expect(await runIn(argv)).toEqual({ code: 2, out: "", err });
  });

  test("reveals on a terminal", async () => {
    expect(await runIn(["echo", "--reveal"], { columns: 80 })).toMatchObject({ code: 0, err: "" });
  });

  test("paints where the terminal does, unless a flag says otherwise", async () => {
    const painted = '\x1b[1m{"words":[],"limit":10,"quiet":false}\x1b[22m\n';
    const plain = '{"words":[],"limit":10,"quiet":false}\n';
    expect((await runIn(["echo"], { hasColor: true })).out).toBe(painted);
    expect((await runIn(["echo", "--no-color"], { hasColor: true })).out).toBe(plain);
    expect((await runIn(["echo", "--color"])).out).toBe(painted);
  });

  test("reports a failure that the user can act upon, with its exit code", async () => {
    expect(await runIn(["refuse"])).toEqual({
      code: 4,
      out: "",
      err: "sessions: Cannot do it\nhint: wait for its end\n",
    });
    expect((await runIn(["refuse"], { hasColor: true })).err).toBe(
      "\x1b[31msessions:\x1b[39m Cannot do it\n\x1b[2mhint:\x1b[22m wait for its end\n",
    );
    expect((await runIn(["refuse", "--no-color"], { hasColor: true })).err).not.toContain("\x1b");
  });

  test("also reports it to programs that requested JSON", async () => {
    const { code, out, err } = await runIn(["refuse", "--json"]);
    expect(code).toBe(4);
    expect(JSON.parse(out)).toEqual({
      schemaVersion: 1,
      error: { message: "Cannot do it", hint: "wait for its end", exitCode: 4 },
    });
    expect(err).toContain("Cannot do it");
    expect(JSON.parse((await runIn(["echo", "--json", "--nonsense"])).out)).toMatchObject({
      error: { exitCode: 2 },
    });
    expect((await runIn(["echo", "--nonsense", "--", "--json"])).out).toBe("");
  });

  test("reports a bug briefly, and where it happened only if asked", async () => {
    expect(await runIn(["crash"])).toEqual({
      code: 70,
      out: "",
      err:
        "sessions: TypeError: x is not a function\n" +
        "hint: this is a bug; SESSIONS_DEBUG=1 shows where it happened\n",
    });
    for (const variables of [{ SESSIONS_DEBUG: "1" }, { DEBUG: "*" }]) {
      const { code, err } = await runIn(["crash"], { variables });
      expect(code).toBe(70);
      expect(err).toMatch(/\n +at .*run\.test\.ts/);
    }
    expect(await runIn(["odd"])).toMatchObject({
      code: 70,
      err: expect.stringContaining("sessions: a text\n"),
    });
  });

  test("takes a full disk for no bug", async () => {
    const { code, err } = await runIn(["full"]);
    expect(code).toBe(5);
    expect(err).toBe(
      'sessions: Cannot write "/x/index": the disk is full\nhint: free some space on that disk and run it again\n',
    );
  });
});

describe("help", () => {
  test.each([[["--help"]], [["-h"]], [["--json", "--help"]]])(
    "of %j lists the commands by group",
    async (argv) => {
      const { code, out } = await runIn(argv);
      expect(code).toBe(0);
      expect(out).toMatch(/^ {2}echo +does echo$/m);
      expect(out).toContain("Usage: sessions <command>");
    },
  );

  test.each([
    [["echo", "--help"]],
    [["echo", "-h"]],
    [["--help", "echo"]],
    [["echo", "-qh"]],
    [["echo", "--nonsense", "--help"]],
  ])("of %j explains one command, whatever else is wrong with the line", async (argv) => {
    const { code, out, err } = await runIn(argv);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      [
        "Usage: sessions echo [word…] [flags]",
        "",
        "Says what it was given.",
        "",
        "Arguments:",
        "  word  anything",
        "",
        "Flags:",
        "      --limit N       how many (default 10)",
        "  -q, --quiet         less",
        "      --format VALUE  which (md, html)",
        "",
        "Global flags:",
        "      --json      print JSON, for programs",
        "      --reveal    show secrets unmasked (only on a terminal)",
        "      --no-color  print without colours",
        "  -h, --help      show this help",
        "",
        "Examples:",
        "  sessions echo a  a",
        "",
      ].join("\n"),
    );
  });

  test("is a word after --", async () => {
    expect((await runIn(["echo", "--", "--help"])).out).toContain('"--help"');
  });

  test("of an unknown command is refused", async () => {
    expect(await runIn(["ehco", "--help"])).toMatchObject({ code: 2, out: "" });
  });

  test("fits the terminal", async () => {
    for (const columns of [50, 80, 200]) {
      for (const argv of [["--help"], ["echo", "--help"], ["help", "help"]]) {
        const { out } = await runIn(argv, { columns });
        for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(Math.min(columns, 100));
      }
    }
  });
});
