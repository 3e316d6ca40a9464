import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { guardLock, guardProgress, writeGuardStamp } from "../../src/archive/guard-stamp.ts";
import { progressLine } from "../../src/cli/output/progress.ts";
import { truncate } from "../../src/cli/output/text-width.ts";
import { run } from "../../src/cli/run.ts";
import { tryLock } from "../../src/fs/lock.ts";
import { libraryIn } from "../support/library-in.ts";
import { makeLibrary } from "../support/make-library.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { serveHistory } from "../support/web/serve-history.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const AT = "2026-07-20T10:00:00.000Z";

interface Line {
  readonly role: "user" | "assistant";
  readonly content: unknown;
}

/** Writes a Claude Code log of one session and returns its path. */
function writeLog(world: TestWorld, id: string, lines: readonly Line[]): string {
  const folder = join(world.home, ".claude/projects/-shop");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  const records = lines.map(({ role, content }, index) => ({
    type: role,
    uuid: `${id}-${index}`,
    parentUuid: index === 0 ? null : `${id}-${index - 1}`,
    sessionId: id,
    cwd: world.folder,
    version: "2.1.0",
    timestamp: AT,
    message: { role, content },
  }));
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  utimesSync(path, new Date(AT), new Date(AT));
  return path;
}

const FIRST = "be2220da-0000-4000-8000-000000000001";
const SECOND = "be2220da-0000-4000-8000-000000000002";

/** What a command prints, in the same home as `before`. */
async function ask(
  before: TestWorld,
  argv: readonly string[],
  columns?: number,
): Promise<{ code: number; out: string; err: string }> {
  const { home, folder, variables } = before;
  const world = {
    ...makeWorld({ nowMs: NOW, ...(columns === undefined ? {} : { columns }) }),
    home,
    folder,
    variables,
  };
  const code = await run(argv, world);
  return { code, out: world.out(), err: world.err() };
}

function oneSession(lines: readonly Line[] = [{ role: "user", content: "Add a cart to the shop" }]): {
  world: TestWorld;
  log: string;
} {
  const world = makeWorld({ nowMs: NOW });
  return { world, log: writeLog(world, FIRST, lines) };
}

describe("a session whose log is gone", () => {
  test("is shown with what to do first, and resume says the same", async () => {
    const { world, log } = oneSession();
    expect((await ask(world, ["archive"])).code).toBe(0);
    rmSync(log);
    const shown = await ask(world, ["show", FIRST]);
    expect(shown.out).toContain(`its log is gone; first: sessions restore ${FIRST}`);
    expect((await ask(world, ["resume", FIRST])).err).toContain(
      `its log is gone; first: sessions restore ${FIRST}`,
    );
    const exec = await ask(world, ["resume", FIRST, "--exec"]);
    expect(exec.code).toBe(1);
    expect(exec.err).toContain(`sessions restore ${FIRST}`);
  });

  test("is named by the path of its log in what to do first if its id has copies", async () => {
    const { world, log } = oneSession();
    const copy = join(world.home, ".claude/projects/-work-copy", `${FIRST}.jsonl`);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(log, copy);
    expect((await ask(world, ["archive"])).code).toBe(0);
    rmSync(log);
    const restores = async (...[word = "", path = ""]: readonly string[]): Promise<void> => {
      const first = `its log is gone; first: sessions restore ${path}\n`;
      expect((await ask(world, ["show", word])).out).toContain(first);
      expect((await ask(world, ["resume", word])).err).toContain(first);
      expect((await ask(world, ["resume", word, "--exec"])).err).toContain(
        `first: \`sessions restore ${path}\``,
      );
      expect((await ask(world, ["restore", path, "--dry-run"])).code).toBe(0);
    };
    await restores(log, log);
    rmSync(copy);
    await restores(copy, copy);
    await restores(log, log);
  });

  test("and was never archived is not resumed", async () => {
    const { world, log } = oneSession();
    const folder = dirname(log);
    const line = { type: "user", uuid: "u1", isSidechain: true, agentId: "a1", sessionId: FIRST };
    const message = { role: "user", content: "Look for carts" };
    writeFileSync(join(folder, "agent-a1.jsonl"), `${JSON.stringify({ ...line, message })}\n`);
    rmSync(log);
    const shown = await ask(world, ["show", FIRST]);
    expect(shown.out).toContain("its log is gone and was not archived\n");
    expect(shown.out).not.toContain("claude --resume");
    const { code, out, err } = await ask(world, ["resume", FIRST]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("its log is gone and was not archived");
    expect((await ask(world, ["resume", FIRST, "--exec"])).code).toBe(1);
  });

  test("that was forgotten says how it comes back", async () => {
    const { world } = oneSession();
    expect((await ask(world, ["archive"])).code).toBe(0);
    expect((await ask(world, ["forget", FIRST, "--yes"])).code).toBe(0);
    const { code, err } = await ask(world, ["show", FIRST.slice(0, 8)]);
    expect(code).toBe(1);
    expect(err).toContain("it was forgotten");
    expect(err).toContain(`sessions forget ${FIRST} --undo`);
  });
});

describe("selectors", () => {
  test("of two characters ask for four", async () => {
    const { world } = oneSession();
    const { code, err } = await ask(world, ["show", "be"]);
    expect(code).toBe(2);
    expect(err).toContain("type at least 4 characters");
  });

  test("that match several sessions list their titles", async () => {
    const { world } = oneSession();
    writeLog(world, SECOND, [{ role: "user", content: "Remove the old checkout" }]);
    const { code, err } = await ask(world, ["show", "be2220da"]);
    expect(code).toBe(2);
    expect(err).toContain("Add a cart to the shop");
    expect(err).toContain("Remove the old checkout");
    expect((await ask(world, ["archive"])).code).toBe(0);
    const kept = await ask(world, ["restore", "be2220da"]);
    expect(kept.code).toBe(2);
    expect(kept.err).toContain(`${FIRST} · 2026-07-20_Add-a-cart-to-the-shop`);
  });

  test("on a machine without logs say that what is listed is an example", async () => {
    const world = makeWorld({ nowMs: NOW });
    expect(await run(["compact", "87f01b2f"], world)).toBe(1);
    expect(world.err()).toContain("an example history");
  });

  test.each([
    [["show", "last"]],
    [["show", "last 3"]],
    [["show", "current"]],
    [["show", "last", "--json"]],
    [["resume", "last"]],
    [["export", "current"]],
    [["summary", "last"]],
    [["retrieve", "last", "toolu_1"]],
    [["archive", "last", "3"]],
    [["verify", "last"]],
    [["restore", "last"]],
    [["compact", "last", "--dry-run"]],
    [["flatten", "last", "2", "--dry-run"]],
    [["unflatten", "current", "--dry-run"]],
    [["forget", "last", "--yes"]],
  ])("in a folder without sessions %j says so, and looks for no such word in titles", async (argv) => {
    const { world } = oneSession([{ role: "user", content: "Check the last change of the current cart" }]);
    expect((await ask(world, ["archive"])).code).toBe(0);
    const { code, out, err } = await ask({ ...world, folder: "/nowhere" }, argv);
    expect(code).toBe(1);
    const said = argv.includes("--json") ? out : err;
    expect(said).toMatch(/Cannot find an? (?:archived )?session of this folder: \/nowhere/);
    expect(said).toContain("--everywhere");
    const everywhere = await ask({ ...world, folder: "/nowhere" }, ["show", "last", "--everywhere"]);
    expect(everywhere.out).toContain("Check the last change");
  });

  test("that are nearly `last` suggest it; `last 2` may be quoted", async () => {
    const { world } = oneSession();
    writeLog(world, SECOND, [{ role: "user", content: "Remove the old checkout" }]);
    expect((await ask(world, ["show", "lst"])).err).toContain("did you mean `last`?");
    expect((await ask(world, ["show", "curent"])).err).toContain("did you mean `current`?");
    expect((await ask(world, ["show", "test"])).err).not.toContain("did you mean");
    const { archived } = JSON.parse((await ask(world, ["archive", "last 2", "--json"])).out);
    expect(archived).toHaveLength(2);
  });

  test("on a machine without sessions `last --everywhere` says that there are none", async () => {
    const world = makeWorld({ nowMs: NOW });
    expect(await run(["compact", "last", "--everywhere"], world)).toBe(1);
    expect(world.err()).toContain("no agent has sessions here yet");
  });

  test("in the example history `last` needs no folder", async () => {
    const world = makeWorld({ nowMs: NOW });
    expect(await run(["show", "last"], world)).toBe(0);
  });
});

describe("words that are no command", () => {
  test.each([
    ["be2220da", "sessions show be2220da"],
    ["how do I retry uploads", 'sessions search "how do I retry uploads"'],
    ["find", "sessions search"],
    ["ls", "sessions list"],
    ["last", "sessions show last"],
    ["cost", "sessions stats"],
    ["costs", "sessions stats"],
    ["usage", "sessions stats"],
    ["import", "sessions restore"],
    ["serch", "sessions search"],
    ["session", "did you mean `sessions`?"],
  ])("%j suggests %j", async (word, hint) => {
    const world = makeWorld({ nowMs: NOW });
    expect(await run([word], world)).toBe(2);
    expect(world.err()).toContain(hint);
  });

  test.each([
    [["session", "find", "x"], "did you mean `sessions search`?"],
    [["session", "list"], "did you mean `sessions list`?"],
    [["sessions", "anything"], "did you mean `sessions search`?"],
    [["session", "constructor"], "did you mean `sessions search`?"],
  ])("the program's own name in %j suggests the command after it", async (argv, hint) => {
    const world = makeWorld({ nowMs: NOW });
    expect(await run(argv, world)).toBe(2);
    expect(world.err()).toContain(hint);
  });
});

test.each([
  [["search"], "q".repeat(50_000)],
  [["show"], "q".repeat(50_000)],
  [["show"], "some words ".repeat(5_000)],
  [["restore"], "q".repeat(50_000)],
  [["list", "--since"], "q".repeat(50_000)],
  [[], "q".repeat(50_000)],
])("%j with a very long word does not print all of it", async (argv, word) => {
  const { world } = oneSession();
  const { code, err } = await ask(world, [...argv, word]);
  expect(code).toBeGreaterThan(0);
  expect(err).toContain(word.slice(0, 50));
  expect(err).toContain("…");
  expect(err.length).toBeLessThan(1_000);
});

describe("-n with a number", () => {
  test.each([
    [["list", "-n", "5"], "did you mean --limit 5?"],
    [["list", "-n5"], "did you mean --limit 5?"],
    [["pending", "-n"], "did you mean --limit N?"],
    [["files", "auth.ts", "-n", "2"], "did you mean --limit 2?"],
  ])("in %j suggests --limit", async (argv, hint) => {
    const world = makeWorld({ nowMs: NOW });
    expect(await run(argv, world)).toBe(2);
    expect(world.err()).toContain(hint);
  });

  test.each([
    [["token", "-n", "3"], "`-n 3` is searched for as text; to show at most 3: --limit 3\n"],
    [["token", "-n3"], '`-n3` leaves out sessions with "n3"; to show at most 3: --limit 3\n'],
  ])("is a word of search, which says so on a terminal: %j", async (words, note) => {
    const world = makeWorld({ nowMs: NOW, columns: 100 });
    await run(["search", ...words], world);
    expect(world.err()).toContain(note);
    for (const [argv, columns] of [
      [words, undefined],
      [[...words, "--limit", "2"], 100],
      [["token", "--", ...words], 100],
      [[words.join(" ")], 100],
    ] as const) {
      const silent = makeWorld({ nowMs: NOW, ...(columns === undefined ? {} : { columns }) });
      await run(["search", ...argv], silent);
      expect(silent.err()).not.toContain("--limit");
    }
  });
});

test("retention with a number suggests to set it", async () => {
  const world = makeWorld({ nowMs: NOW });
  expect(await run(["retention", "90"], world)).toBe(2);
  expect(world.err()).toContain("did you mean `sessions retention set 90`?");
});

const fits = (text: string, columns: number): boolean =>
  text.split("\n").every((line) => line.length <= columns);

/** A path, an id or a command to copy is never broken: such lines may be wider. */
const mayOverflow = (line: string): boolean => /^(?:resume:|cd )|^ *\S*\/\S*:?$/.test(line);

/** A home with what makes lines long: a worktree, a compaction, a year, paths, models without a price, long ids. */
function wideHome(): TestWorld {
  const { world } = oneSession();
  const text =
    "Remove the old checkout from @packages/coding-agent/docs/refactor.md, and all that it needs, from its tests";
  const todos = [{ content: "Paint the shed", status: "pending", activeForm: "Painting" }];
  const todo = { type: "tool_use", id: "t1", name: "TodoWrite", input: { todos } };
  const id = "c7d81f60-0000-4000-8000-000000000001";
  const log = writeLog(world, id, [
    { role: "user", content: text },
    { role: "user", content: `${text} again` },
    { role: "assistant", content: [todo] },
  ]);
  const [first = "", second = "", third = ""] = readFileSync(log, "utf8").trim().split("\n");
  const line = { uuid: "c1", parentUuid: null, sessionId: id, timestamp: AT };
  const compaction = [
    {
      ...line,
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      logicalParentUuid: `${id}-0`,
    },
    {
      ...line,
      uuid: "c2",
      parentUuid: "c1",
      type: "user",
      isCompactSummary: true,
      message: {
        role: "user",
        content: "This session is being continued from a previous conversation. The shed.",
      },
    },
  ].map((each) => JSON.stringify(each));
  const place = join(world.folder, ".claude/worktrees/a-conversation-search-with-a-long-name");
  const model = { model: "a-model-of-nobody-with-a-long-name", usage: { input_tokens: 5, output_tokens: 5 } };
  writeFileSync(
    log,
    `${[first, ...compaction, second.replace(`"${id}-0"`, '"c2"'), third.replace('"role":"assistant"', `"role":"assistant",${JSON.stringify(model).slice(1, -1)}`)].join("\n")}\n`
      .replaceAll(JSON.stringify(world.folder), JSON.stringify(place))
      .replaceAll("2026-07-20", "2025-07-20"),
  );
  utimesSync(log, new Date(AT), new Date(AT));
  writeLog(world, "a-session-with-an-id-of-its-own", [
    { role: "user", content: "Look at the checkout" },
    {
      role: "assistant",
      content: [{ ...todo, input: { todos: [{ ...todos[0], content: "Oil the gate" }] } }],
    },
  ]);
  return world;
}

describe.each([50, 80])("on a terminal of %i columns", (columns) => {
  test("no line is wider, and no date or path is broken", async () => {
    const world = wideHome();
    const id = "c7d81f60";
    for (const argv of [
      [],
      ["list"],
      ["search", "checkout"],
      ["search", "zanzibar"],
      ["search", "--since", "nonsense", "x"],
      ["grep", "checkout"],
      ["grep", "checkout", "--limit", "1"],
      ["grep", "zanzibar"],
      ["files", "*"],
      ["retention"],
      ["pending", "--everywhere"],
      ["projects"],
      ["stats"],
      ["show", id],
      ["show", "--tree", id],
      ["show", "--full", id],
      ["show", "--context", id],
      ["compact", "--dry-run", id],
      ["flatten", "--dry-run", "--min-size", "64", id],
      ["archive", "--dry-run"],
      ["archive"],
      ["verify"],
      ["index"],
      ["forget", "--dry-run", id],
      ["remote", "list"],
      ["help"],
      ["help", "show"],
    ]) {
      const { out, err } = await ask(world, argv, columns);
      const wide = `${out}${err}`.split("\n").filter((line) => line.length > columns && !mayOverflow(line));
      expect([argv, wide]).toEqual([argv, []]);
    }
    for (const argv of [
      ["search", "checkout"],
      ["grep", "checkout"],
    ]) {
      const { out } = await ask(world, argv, columns);
      expect([argv, out]).toEqual([argv, expect.stringMatching(/ 20 Jul 2025$/m)]);
    }
    const { out } = await ask(world, ["search", "refactor"], columns);
    expect(out).toContain("@packages/coding-agent/docs/refactor.md");
    expect((await ask(world, ["help"], columns)).out).not.toContain("…");
  });

  test("errors fit", async () => {
    const { world } = oneSession();
    writeLog(world, SECOND, [
      { role: "user", content: "Remove the old checkout, and all that it needs, from it" },
    ]);
    expect(fits((await ask(world, ["show", "be2220da"], columns)).err, columns)).toBe(true);
  });
});

test("show --tree has a date only where the day changes", async () => {
  const { world, log } = oneSession([
    { role: "user", content: "Add a cart" },
    { role: "user", content: "Now remove the old page" },
    { role: "user", content: "Test it" },
  ]);
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, [...lines.slice(0, 2), lines[2]?.replaceAll("2026-07-20", "2026-07-21"), ""].join("\n"));
  const tree = (await ask(world, ["show", "--tree", FIRST], 80)).out;
  expect(tree).toContain(
    "  1  2026-07-20 10:00  Add a cart\n" +
      "  2             10:00  Now remove the old page\n" +
      "  3  2026-07-21 10:00  Test it\n",
  );
  expect((await ask(world, ["show", "--tree", FIRST], 50)).out).toContain(
    "\n  2  10:00  Now remove the old page\n",
  );
});

test("retention shows the project as it is if there is room, and cuts the title", async () => {
  const { world, log } = oneSession([{ role: "user", content: "Add a cart to the shop ".repeat(9) }]);
  const folder = JSON.stringify(join(world.folder, "claude-code-log-of-last-year"));
  writeFileSync(log, readFileSync(log, "utf8").replaceAll(JSON.stringify(world.folder), folder));
  utimesSync(log, new Date(AT), new Date(AT));
  expect((await ask(world, ["retention"], 120)).out).toMatch(
    /^be2220da {2}claude-code-log-of-last-year {2}Add/m,
  );
});

test("stats over a few weeks has no empty line for months", async () => {
  const { world } = oneSession();
  const { out } = await ask(world, ["stats"]);
  expect(out).toMatch(/\nMon /);
  expect(out).not.toMatch(/\n *\n *\nMon /);
});

describe("sessions list", () => {
  test("says that --offset is past the end, and hints at the next page", async () => {
    const { world } = oneSession();
    writeLog(world, SECOND, [{ role: "user", content: "Remove the old checkout" }]);
    const past = await ask(world, ["list", "--offset", "9"]);
    expect(past.out).toBe("");
    expect(past.err).toContain("No more: 2 sessions match, and --offset 9 skips all of them.");
    expect((await ask(world, ["list", "--limit", "1"], 80)).err).toContain("1 more: --offset 1");
  });

  test("cuts titles to 80 characters, between words; show has the whole", async () => {
    const title =
      "Add a cart to the shop that keeps what was in it for as long as the visitor is not logged in";
    const { world } = oneSession([{ role: "user", content: title }]);
    expect((await ask(world, ["list"])).out).toContain(
      "keeps what was in it for as long as the visitor is…\n",
    );
    expect((await ask(world, ["show", FIRST])).out).toContain(title);
  });
});

describe("sessions export", () => {
  test("refuses an extension that is no format", async () => {
    const { world } = oneSession();
    const { code, err } = await ask(world, ["export", FIRST, "-o", join(world.home, "x.pdf")]);
    expect(code).toBe(2);
    expect(err).toContain(".pdf is not a format");
    expect((await ask(world, ["export", FIRST, "-o", join(world.home, "x.htm")])).code).toBe(0);
  });
});

describe("sessions show", () => {
  const question = {
    role: "assistant",
    content: [{ type: "tool_use", id: "t1", name: "AskUserQuestion", input: { questions: [] } }],
  } as const;
  const answer = {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: 'User has answered your questions: "Which shop?"="The old one". You can now continue.',
      },
    ],
  } as const;

  test("shows a decision as question → answer", async () => {
    const { world } = oneSession([{ role: "user", content: "Add a cart to the shop" }, question, answer]);
    expect((await ask(world, ["show", FIRST])).out).toContain("1: Which shop? → The old one\n");
  });

  test("shows what the agent asked before a decision, and no proposals of the agent", async () => {
    const reply = (text: string): Line => ({ role: "assistant", content: [{ type: "text", text }] });
    const { world } = oneSession([
      { role: "user", content: "Add a cart to the shop" },
      reply("There are two ways.\n\nWhich one do you prefer? A is simpler."),
      {
        role: "user",
        content: "Let's go with A. We should use cookies because the visitor is not logged in.",
      },
      reply("I'd go with one cookie for all shops."),
      { role: "user", content: "Should we go with two instead?" },
      reply("I'll go with two cookies — thoughts?"),
      { role: "user", content: "Fine. They chose to keep the old one." },
      reply("I decided to keep one cookie per shop."),
    ]);
    const { decisions } = JSON.parse((await ask(world, ["show", FIRST, "--json"])).out);
    expect(decisions).toEqual([
      { turn: 2, text: "Which one do you prefer? → Let's go with A." },
      { turn: 2, text: "We should use cookies because the visitor is not logged in." },
      { turn: 4, text: "I decided to keep one cookie per shop." },
    ]);
  });

  test("shows a date once, and breaks no line inside a word", async () => {
    const { world } = oneSession([
      { role: "user", content: "Add a cart to the shop" },
      { role: "user", content: "Now remove the old checkout page" },
    ]);
    for (const columns of [50, 80, 120]) {
      const { out } = await ask(world, ["show", FIRST], columns);
      // Once in the head, once above the requests.
      expect(out.match(/2026-07-20/g)).toHaveLength(2);
      const [head = ""] = out.split("\nresume:");
      expect(head.split("\n").every((line) => line.length <= columns)).toBe(true);
      expect(head.replaceAll("\n", " ")).toContain("2026-07-20 10:00 – 10:00");
    }
  });

  test("lists a shell line of the user under commands, not under requests", async () => {
    const { world } = oneSession([
      { role: "user", content: "<bash-input>npm run lint</bash-input>" },
      { role: "user", content: "Fix the lint errors" },
    ]);
    const { out } = await ask(world, ["show", FIRST]);
    expect(out.startsWith("Fix the lint errors\n")).toBe(true);
    expect(out).toMatch(/Requests\n +2 .*Fix the lint errors\n/);
    expect(out).toMatch(/Commands\n +1 .*npm run lint\n/);
  });
});

describe("sessions files", () => {
  const use = (name: string, path: string): Line => ({
    role: "assistant",
    content: [{ type: "tool_use", id: `${name}-${path}`, name, input: { file_path: path } }],
  });

  test("lists the sessions of one file, the last one first", async () => {
    const { world } = oneSession([{ role: "user", content: "Add a cart" }, use("Read", "/shop/cart.ts")]);
    const log = writeLog(world, SECOND, [
      { role: "user", content: "Remove the old checkout" },
      use("Write", "/shop/cart.ts"),
    ]);
    writeFileSync(log, readFileSync(log, "utf8").replaceAll(AT, "2026-07-21T10:00:00.000Z"));
    const { out } = await ask(world, ["files", "cart.ts"]);
    expect(out.match(/cart\.ts/g)).toHaveLength(1);
    expect(out).toMatch(/^\/shop\/cart\.ts\nwritten 1 time, read 1 time in 2 sessions\n/);
    expect(out.indexOf(`${SECOND}  21 Jul  project      1        Remove`)).toBeGreaterThan(0);
    expect(out.indexOf(FIRST)).toBeGreaterThan(out.indexOf(SECOND));
    const page = await ask(world, ["files", "cart.ts", "--limit", "1"]);
    expect(page.out).toContain("read 1 time in 2 sessions");
    expect(page.out).not.toContain(FIRST);
    expect(page.err).toContain("1 more session: --offset 1");
  });

  test("counts completely, and pages by file, if several match", async () => {
    const { world } = oneSession([
      { role: "user", content: "Add a cart" },
      use("Read", "/shop/a.ts"),
      use("Read", "/shop/b.ts"),
    ]);
    writeLog(world, SECOND, [{ role: "user", content: "Look" }, use("Read", "/shop/a.ts")]);
    const all = await ask(world, ["files", "*.ts"]);
    expect(all.err).toContain("`sessions files PATH`");
    const pages = [0, 1].map(async (offset) =>
      ask(world, ["files", "*.ts", "--limit", "1", "--offset", String(offset)]),
    );
    const [first = "", second = ""] = (await Promise.all(pages)).map(({ out }) => out.split("\n")[1]);
    expect(first).toMatch(/^\/shop\/[ab]\.ts /);
    expect(second).toMatch(/^\/shop\/[ab]\.ts /);
    expect(first).not.toBe(second);
    expect([first, second].find((line) => line.startsWith("/shop/a.ts"))).toMatch(/ 2 +2 +be2220da/);
    expect((await pages[0])?.err).toContain("1 more file: --offset 1");
  });

  test("says of a file that texts only mention that it is mentioned", async () => {
    const { world } = oneSession([{ role: "user", content: "What is in lib/cart.ts?" }]);
    const { out } = await ask(world, ["files", "cart.ts"]);
    expect(out).toMatch(/^lib\/cart\.ts\nmentioned in 1 session\n/);
    expect(out).toMatch(/ mentioned {2}What is in/);
  });

  test("counts a mention for the file that other sessions of the project read", async () => {
    const { world } = oneSession([{ role: "user", content: "What is in lib/cart.ts?" }]);
    const path = `${world.folder}/src/lib/cart.ts`;
    writeLog(world, SECOND, [{ role: "user", content: "Look" }, use("Read", path)]);
    for (const name of ["cart.ts", path]) {
      const { out } = await ask(world, ["files", name]);
      expect(out).toContain("read 1 time in 2 sessions\n");
      expect(out).toMatch(/ mentioned {2}What is in/);
    }
  });

  test.each([50, 80, 120])("keeps to %d columns", async (columns) => {
    const world = makeWorld({ nowMs: NOW });
    const long = "a/path/that/is/long/enough/for/any/terminal/that/is/not/wider/than/a/hundred/columns/or/so";
    const files = ["a.ts", "b.ts"].map((name) => `${world.folder}/${long}/${name}`);
    writeLog(world, "01a1d062-eeb8-710f-a6c8-6e1854581398", [
      {
        role: "user",
        content: "Which of all these files has the rounding of prices in it, and do you think?",
      },
      ...files.map((file) => use("Read", file)),
    ]);
    writeLog(world, SECOND, [{ role: "user", content: `Look at lib/c.ts and ${files[0]}` }]);
    for (const name of ["*.ts", "a.ts", "c.ts"]) {
      const { out } = await ask(world, ["files", name], columns);
      expect(out).toContain(name.replace("*", "b"));
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });
});

describe("sessions files on a terminal", () => {
  test("shows paths from their project on if they do not fit, and tells projects apart", async () => {
    const world = makeWorld({ nowMs: NOW });
    const end = "packages/server/source/handlers/checkout.ts";
    for (const [index, owner] of ["ana", "ben"].entries()) {
      const shop = `/home/${owner}/Work/repositories/of-the-company/${owner}-fork/shop`;
      const read = {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Read", input: { file_path: `${shop}/${end}` } }],
      } as const;
      const log = writeLog(world, index === 0 ? FIRST : SECOND, [
        { role: "user", content: "Add a cart to the shop" },
        read,
      ]);
      writeFileSync(
        log,
        readFileSync(log, "utf8").replaceAll(JSON.stringify(world.folder), JSON.stringify(shop)),
      );
    }
    const { out } = await ask(world, ["files", "checkout.ts"], 100);
    expect(out).toContain("ana-fork/shop/…/server/source/handlers/checkout.ts ");
    expect(out).toContain("ben-fork/shop/…/server/source/handlers/checkout.ts ");
    const narrow = (await ask(world, ["files", "checkout.ts"], 80)).out;
    expect(narrow).toContain("ana-fork/shop/…/checkout.ts ");
    expect(narrow).toContain("ben-fork/shop/…/checkout.ts ");
    expect((await ask(world, ["files", "checkout.ts"])).out).toContain("/home/ana/Work/repositories/");
  });

  test("puts the file first that was touched last", async () => {
    const { world } = oneSession();
    const read = (file: string): Line => ({
      role: "assistant",
      content: [{ type: "tool_use", id: file, name: "Read", input: { file_path: `/shop/${file}` } }],
    });
    const log = writeLog(world, SECOND, [{ role: "user", content: "Look" }, read("a.ts"), read("b.ts")]);
    const [first = "", second = "", third = ""] = readFileSync(log, "utf8").split("\n");
    const later = third.replace(AT, "2026-07-20T11:00:00.000Z");
    writeFileSync(log, `${[first, second, later].join("\n")}\n`);
    const { out } = await ask(world, ["files", "*.ts"]);
    expect(out.indexOf("/shop/b.ts")).toBeLessThan(out.indexOf("/shop/a.ts"));
    expect(out).toContain("/shop/a.ts");
  });
});

describe("sessions grep", () => {
  test("names the session and each turn once, and no path", async () => {
    const { world } = oneSession([{ role: "user", content: "Add a cart\nand another cart" }]);
    const { out } = await ask(world, ["grep", "cart"]);
    expect(out.match(/be2220da/g)).toHaveLength(1);
    expect(out.match(/turn 1/g)).toHaveLength(1);
    expect(out).not.toContain(".jsonl");
  });
});

describe("sessions doctor", () => {
  test("names a few sessions that are not archived, and counts many", async () => {
    const { world } = oneSession();
    const retention = async (columns?: number): Promise<string> =>
      (await ask(world, ["doctor"], columns)).out;
    expect(await retention()).toMatch(/retention +1 session that .* is not archived/);
    expect(await retention()).toContain(`${FIRST} · Add a cart to the shop\n`);
    for (let number = 10; number < 20; number++)
      writeLog(world, `${number}000000-0000-4000-8000-000000000001`, [{ role: "user", content: "Look" }]);
    const many = await retention();
    expect(many).toMatch(/retention +11 sessions that .* are not archived/);
    expect(many).toContain("`sessions retention` lists those that go first\n");
    expect(many).not.toContain(FIRST);
    // A path is never broken.
    const narrow = (await retention(50)).split("\n").filter((line) => !line.includes("/"));
    expect(narrow.length).toBeGreaterThan(20);
    expect(fits(narrow.join("\n"), 50)).toBe(true);
  });

  test("does not raise the alarm about what is being archived in the background", async () => {
    const { world } = oneSession();
    const running = { ...world, isRunning: () => true };
    const library = libraryIn(world.home);
    const guard = guardLock(library);
    mkdirSync(dirname(guard), { recursive: true });
    writeGuardStamp(library, { startedAt: 0, nextAt: 0, skipped: {}, progress: { done: 42, total: 395 } });
    const attempt = tryLock(library.disk, guard, world.processes);
    const before = world.out().length;
    expect(await run(["doctor", "--json"], running)).toBe(3);
    const { checks } = JSON.parse(world.out().slice(before));
    const working = "archiving in the background: 42 of 395";
    for (const [name, what] of [
      ["retention", "1 session that Claude Code deletes within 30 days is not archived yet (its default)"],
      ["sessions", "1 session not archived yet"],
    ])
      expect(checks).toContainEqual({
        name,
        state: "note",
        what: `${what}; ${working}`,
        fix: null,
        details: [],
      });
    await run(["retention"], running);
    expect(world.out()).toContain("none of them archived yet:\n");
    expect(world.out()).toContain(`${working}\n`);
    expect(world.out()).not.toContain("sessions archive keeps");
    if (attempt.kind !== "held") attempt.lock.release();
  });

  test("lists unreadable lines below their note", async () => {
    const { world, log } = oneSession();
    writeFileSync(log, "{not JSON\n", { flag: "a" });
    const { out, err } = await ask(world, ["doctor"], 120);
    expect(err).not.toContain("not JSON");
    expect(out).toMatch(/1 line can't be read\n +~\/\S+jsonl:2: not JSON\n +fix: /);
  });

  test("notes unreadable lines, which can't be repaired", async () => {
    const { world, log } = oneSession();
    writeFileSync(log, "{not JSON\n", { flag: "a" });
    const { out } = await ask(world, ["doctor", "--json"]);
    const { checks } = JSON.parse(out);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "logs", state: "note", what: "1 line can't be read" }),
    );
  });
});

test("an unknown key of config.json is noted once on a terminal, and not for programs", async () => {
  const { world } = oneSession();
  const config = join(world.home, ".sessions/config.json");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, '{"serach":{"limit":5}}');
  const note = `${config} has an unknown key: serach`;
  for (const argv of [["list"], ["search", "cart"], []]) {
    const { err } = await ask(world, argv, 400);
    expect([argv, err.split(note).length]).toEqual([argv, 2]);
  }
  expect((await ask(world, ["list", "--json"], 400)).err).not.toContain("serach");
  expect((await ask(world, ["doctor"], 400)).err).not.toContain("serach");
  expect((await ask(world, ["list"])).err).not.toContain("serach");
});

test("progress has no time left in the first three seconds", () => {
  const state = { files: 1, filesTotal: 9, bytes: 1_000, bytesTotal: 1_000_000 };
  expect(progressLine("Indexing", state, 2_900)).not.toContain("left");
  expect(progressLine("Indexing", state, 3_000)).toContain("left");
});

test("truncate() cuts between words", () => {
  expect(truncate("add retries to the uploader", 17)).toBe("add retries to…");
  expect(truncate("Donaudampfschifffahrt", 8)).toBe("Donauda…");
});

test("the guard says how far it is while it runs", () => {
  const processes = makeWorld().processes;
  const library = makeLibrary({ running: [processes.pid] });
  const stamp = { startedAt: 0, nextAt: 0, skipped: {}, progress: { done: 83, total: 725 } };
  writeGuardStamp(library, stamp);
  // A run that was killed left its note, but no lock.
  expect(guardProgress(library)).toBeUndefined();
  const attempt = tryLock(library.disk, join(library.places.logs, "guard.lock"), processes);
  expect(guardProgress(library)).toEqual({ done: 83, total: 725 });
  if (attempt.kind !== "held") attempt.lock.release();
});

test("the overview counts as much open work as is listed, though many sessions left the same", async () => {
  const { world } = oneSession();
  const todo = {
    role: "assistant",
    content: [
      {
        type: "tool_use",
        id: "t1",
        name: "TodoWrite",
        input: { todos: [{ content: "Paint the shed", status: "pending", activeForm: "Painting" }] },
      },
    ],
  } as const;
  for (const id of [FIRST, SECOND])
    writeLog(world, id, [{ role: "user", content: "Look at the shed" }, todo]);
  const folders = [FIRST, SECOND].map((id) => join(world.home, ".claude/projects/-shop", `${id}.jsonl`));
  const worktree = JSON.stringify(join(world.folder, ".claude/worktrees/one"));
  const [first = ""] = folders;
  writeFileSync(first, readFileSync(first, "utf8").replaceAll(JSON.stringify(world.folder), worktree));
  const listed = (await ask(world, ["pending", "--everywhere"])).out.match(/Paint the shed/g)?.length;
  expect(listed).toBe(1);
  const page = await serveHistory(world);
  const { json } = await page.get("work");
  expect(json).toMatchObject({
    total: 1,
    sessions: [{ items: [{ text: "Paint the shed (in 2 sessions)" }] }],
  });
  const places = (await page.get("list")).json.sessions.map(
    ({ worktree }: { worktree: unknown }) => worktree,
  );
  expect(places).toHaveLength(2);
  expect(places).toContain(`${basename(world.folder)}/one`);
  expect(places).toContain(null);
  expect((await ask(world, [])).out).toContain("1 session left work open");
  // JSON counts the same, and says how many there are with those that are not listed.
  expect(JSON.parse((await ask(world, ["--json"])).out)).toMatchObject({
    pendingSessions: 1,
    pendingWithRepeats: 2,
  });
  const answer = JSON.parse((await ask(world, ["pending", "--everywhere", "--json"])).out);
  expect(answer).toMatchObject({ total: 1, totalWithRepeats: 2 });
  expect(answer.sessions).toHaveLength(1);
});

test("all commands count the same sessions, and name those of which only parts are left", async () => {
  const { world } = oneSession();
  const orphan = { type: "user", uuid: "u1", isSidechain: true, agentId: "a1", sessionId: SECOND };
  const message = { role: "user", content: "Look for carts" };
  const folder = join(world.home, ".claude/projects/-shop");
  writeFileSync(join(folder, "agent-a1.jsonl"), `${JSON.stringify({ ...orphan, message })}\n`);
  // A session without a turn counts as well.
  const third = "c7d81f60-0000-4000-8000-000000000001";
  const title = { type: "summary", summary: "Roof", leafUuid: "none", sessionId: third };
  writeFileSync(join(folder, `${third}.jsonl`), `${JSON.stringify(title)}\n`);
  const both = "2 sessions and parts of 1 more";
  expect((await ask(world, ["archive"])).out).toContain(`The archive holds ${both}: `);
  expect((await ask(world, ["verify"])).out).toContain(`${both}, `);
  expect((await ask(world, ["grep", "zanzibar"])).err).toContain(`No match in ${both} (`);
  expect((await ask(world, ["search", "zanzibar"])).err).toContain(`No match in ${both}.`);
  const doctor = (await ask(world, ["doctor"])).out;
  expect(doctor).toContain(`up to date: ${both}, `);
  expect(doctor).toContain(`${both}; \`sessions verify\``);
  expect((await ask(world, ["stats"])).out).toContain("2 sessions, ");
  const { coverage, total } = JSON.parse((await ask(world, ["list", "--json"])).out);
  expect([total, coverage.sessions, coverage.stubs]).toEqual([2, 3, 1]);
});

test("the overview names a session as `show` takes it, also if an older one begins alike", async () => {
  const world = makeWorld({ nowMs: NOW });
  const older = writeLog(world, "be2220da-1111-4000-8000-000000000001", [{ role: "user", content: "older" }]);
  writeFileSync(older, readFileSync(older, "utf8").replaceAll("2026-07-20", "2026-07-01"));
  writeLog(world, "be2220da-2222-4000-8000-000000000001", [{ role: "user", content: "newest" }]);
  // So many that the overview does not list the older one.
  for (let number = 10; number < 40; number++) {
    const other = writeLog(world, `${number}000000-0000-4000-8000-000000000001`, [
      { role: "user", content: "in between" },
    ]);
    writeFileSync(other, readFileSync(other, "utf8").replaceAll("2026-07-20", "2026-07-10"));
  }
  expect(await run([], world)).toBe(0);
  const [, selector = ""] = /^sessions show (\S+)/m.exec(world.out()) ?? [];
  expect(await run(["show", selector], world)).toBe(0);
  expect(selector).toBe("be2220da-2");
});

describe("a log that is not where it is looked for", () => {
  const part = (world: TestWorld, folder: string): string => {
    const path = join(world.home, ".claude/projects", folder, "agent-a1.jsonl");
    mkdirSync(dirname(path), { recursive: true });
    const line = { type: "user", uuid: "u1", isSidechain: true, agentId: "a1", sessionId: FIRST };
    const message = { role: "user", content: "Look for carts" };
    writeFileSync(path, `${JSON.stringify({ ...line, message })}\n`);
    return path;
  };

  test("is not forgotten by the path of a part, and a part of what was forgotten says so", async () => {
    const world = makeWorld({ nowMs: NOW });
    const path = part(world, "-shop");
    const refused = await ask(world, ["forget", path, "--yes"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("it is a part of session")]);
    expect((await ask(world, ["forget", FIRST, "--yes"])).code).toBe(0);
    for (const command of ["compact", "archive", "show"]) {
      const { code, err } = await ask(world, [command, path]);
      expect([command, code, err]).toEqual([command, 1, expect.stringContaining("it was forgotten")]);
    }
  });

  test("but was forgotten is shown by its path with a note", async () => {
    const { world, log } = oneSession();
    expect((await ask(world, ["forget", FIRST, "--yes"])).code).toBe(0);
    const { code, out, err } = await ask(world, ["show", log]);
    expect([code, out]).toEqual([0, expect.stringContaining("Add a cart")]);
    expect(err).toContain("this log was forgotten");
  });

  test("is found by the path that it had before its project was renamed, to be read", async () => {
    const { world, log } = oneSession();
    writeLog(world, SECOND, [{ role: "user", content: "Remove the old checkout" }]);
    expect((await ask(world, ["archive"])).code).toBe(0);
    const renamed = `${dirname(log)}-new`;
    renameSync(dirname(log), renamed);
    for (const times of [1, 2]) {
      expect([times, (await ask(world, ["show", log])).out]).toEqual([
        times,
        expect.stringContaining("Add a cart"),
      ]);
      expect((await ask(world, ["archive"])).code).toBe(0);
    }
    expect((await ask(world, ["compact", log])).code).toBe(1);
    mkdirSync(dirname(log));
    expect((await ask(world, ["show", log])).code).toBe(1);
  });

  test("a word of titles lists the sessions that have it", async () => {
    const { world } = oneSession();
    writeLog(world, SECOND, [{ role: "user", content: "Remove the old checkout" }]);
    expect((await ask(world, ["list"])).code).toBe(0);
    const { code, err } = await ask(world, ["show", "checkout"]);
    expect(code).toBe(1);
    expect(err).toContain('Cannot find a session "checkout"; it is in the title of one:');
    expect(err).toContain(`${SECOND} · Remove the old checkout`);
    expect((await ask(world, ["show", "zanzibar"])).err).toContain("`sessions list` shows what there is");
  });
});
