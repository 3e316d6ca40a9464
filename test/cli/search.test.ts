import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld } from "../support/make-world.ts";

async function ask(
  argv: readonly string[],
  options: MakeWorldOptions = {},
): Promise<{ code: number; out: string; err: string }> {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12), ...options });
  return { code: await run(["search", ...argv], world), out: world.out(), err: world.err() };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
async function answer(argv: readonly string[], options: MakeWorldOptions = {}): Promise<any> {
  return JSON.parse((await ask(["--json", ...argv], options)).out);
}

const TOKEN = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

describe("sessions search", () => {
  test.each([
    ["search", "token", "--owner", "ann"],
    ["search", "token", "owner:ann"],
    ["search", "-i", "token", "--owner", "ann"],
    ["list", "owner:ann"],
  ])("%s %s %s refuses an owner without --remote", async (...argv) => {
    const world = makeWorld();
    expect(await run(argv, world)).toBe(2);
    expect(world.out()).toBe("");
    expect(world.err()).toContain("--owner works only with --remote");
  });

  test.each(["list", "pending", "grep", "pick", "files", "export"])("%s has no --owner", async (name) => {
    const world = makeWorld();
    expect(await run([name, "--help"], world)).toBe(0);
    expect(world.out()).not.toContain("--owner");
    const argument = name === "grep" || name === "files" || name === "export" ? ["x"] : [];
    expect(await run([name, ...argument, "--owner", "ann"], world)).toBe(2);
  });

  test("has the fields of the contract", async () => {
    const found = await answer(["token", "refresh"]);
    expect(found).toMatchObject({
      schemaVersion: 1,
      query: "token refresh",
      match: "all",
      totalIsExact: true,
      offset: 0,
      demo: true,
    });
    const [hit] = found.hits;
    expect(hit).toMatchObject({
      sessionId: TOKEN,
      agent: "claude",
      project: "/home/ana/shop",
      state: "idle",
      resume: `claude --resume ${TOKEN}`,
    });
    for (const { text, highlights, turn, role, context } of hit.snippets) {
      expect([turn > 0, typeof role, typeof context]).toEqual([true, "string", "string"]);
      for (const [from, to] of highlights) expect(text.slice(from, to)).toMatch(/token|refresh/i);
    }
  });

  test.each<[string, readonly string[], string, string]>([
    ["a typo", ["tokn", "refesh"], "fuzzy", TOKEN],
    ["a beginning", ["certif*"], "all", "39970f54-0b9e-4a6d-9709-02bcc7589f7f"],
    ["a phrase", ['"token refresh"'], "all", TOKEN],
    ["accents that were not typed", ["busqueda"], "all", "d8a6d34e-060b-4121-be78-093626c631b2"],
    ["a file and a word", ["file:auth.ts", "tabs"], "all", "28af22d5-4dbc-4e38-b02c-9750c3d3078e"],
    ["a word of the title", ["title:leak"], "all", "e0dbf7f4-07b0-4b82-820e-a96cfb1929cc"],
  ])("finds %s first", async (_, argv, match, first) => {
    const found = await answer(argv);
    expect([found.match, found.hits[0]?.sessionId]).toEqual([match, first]);
  });

  test.each<[string, readonly string[]]>([
    ["token in 1999", []],
    ["token in 1999 zzyzxq", ["zzyzxq"]],
    ["token 1999-02-14, zzyzxq", ["zzyzxq"]],
    ["token port 1999", ["port", "1999"]],
  ])("of %j, names the words that nobody wrote, but no date", async (query, missing) => {
    const words: readonly { readonly word: string }[] = (await answer([query])).missingWords;
    expect(words.map(({ word }) => word)).toEqual(missing);
    expect((await ask([query])).out.includes("not found in")).toBe(missing.length > 0);
  });

  test.each<[string, readonly string[], (hit: Record<string, string>) => boolean]>([
    ["project:", ["token", "project:tally"], (hit) => hit.project === "/home/ana/tally"],
    ["agent:", ["the", "agent:pi"], (hit) => hit.agent === "pi"],
    ["-agent:", ["shop", "-agent:claude"], (hit) => hit.agent !== "claude"],
    ["since:", ["auth", "since:2026-11-01"], (hit) => (hit.endedAt ?? "") >= "2026-11-01"],
    ["until:", ["auth", "until:2026-09-30"], (hit) => (hit.startedAt ?? "") < "2026-10-01"],
  ])("%s narrows", async (_, argv, fits) => {
    const found = await answer(argv);
    for (const hit of found.hits) expect(fits(hit)).toBe(true);
    expect(found.total).toBeLessThan(13);
  });

  test.each([
    "file:auth.ts",
    "file:src/{auth,nothing}.ts",
    "cmd:vitest",
    "error:failed",
    "title:token",
    "tool:Bash",
    "branch:main",
    "project:shop",
  ])("%s and its negation share out what there is", async (filter) => {
    const idsOf = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await ask(["the", "--limit=100", "-q", ...words])).out.split("\n").slice(0, -1);
    const [all, wanted, others] = [await idsOf(), await idsOf(filter), await idsOf(`-${filter}`)];
    expect([wanted.length > 0, others.length > 0]).toEqual([true, true]);
    expect([...wanted, ...others].sort()).toEqual([...all].sort());
  });

  test("a repeated date is OR, whichever comes first", async () => {
    const totalOf = async (...words: readonly string[]): Promise<number> =>
      (await answer(["auth", ...words])).total;
    const wide = await totalOf("since:2026-09-01");
    expect(await totalOf("since:2026-11-01")).toBeLessThan(wide);
    expect(await totalOf("since:2026-11-01", "since:2026-09-01")).toBe(wide);
    expect(await totalOf("since:2026-09-01", "since:2026-11-01")).toBe(wide);
    expect(await totalOf("--since=2026-09-01", "since:2026-11-01")).toBe(wide);
  });

  test("finds commands that agents of every kind ran", async () => {
    const { hits } = await answer(["cmd:vitest"]);
    expect(new Set(hits.map((hit: Record<string, string>) => hit.agent))).toEqual(
      new Set(["claude", "codex"]),
    );
  });

  test("shows what was asked around a passage", async () => {
    const { hits } = await answer(["--context", "1", "token", "refresh"]);
    for (const { turn, before, after } of hits[0].snippets) {
      expect(before.map((near: { turn: number }) => near.turn)).toEqual(turn === 1 ? [] : [turn - 1]);
      for (const near of after)
        expect([near.turn, near.text]).toEqual([turn + 1, expect.stringMatching(/\S/)]);
    }
    expect(
      hits[0].snippets.some(({ before, after }: Record<string, []>) => [before, after].flat().length > 0),
    ).toBe(true);
    expect((await answer(["token", "refresh"])).hits[0].snippets[0]).not.toHaveProperty("before");
    expect((await ask(["-C1", "token", "refresh"])).out).toMatch(/\n {5}\d request {2}\S/);
  });

  test("leaves out sessions with an unwanted word", async () => {
    const all = await answer(["auth"]);
    const some = await answer(["auth", "-tabs"]);
    expect(some.total).toBeLessThan(all.total);
    expect(some.hits.map((hit: { sessionId: string }) => hit.sessionId)).not.toContain(
      "28af22d5-4dbc-4e38-b02c-9750c3d3078e",
    );
  });

  test("in: says where the words are", async () => {
    for (const place of ["current", "compacted"]) {
      const found = await answer(["token", `in:${place}`]);
      for (const { snippets } of found.hits) for (const { context } of snippets) expect(context).toBe(place);
    }
  });

  test("pages and sorts", async () => {
    const all = (await answer(["the", "--limit", "20"])).hits.map(
      (hit: { sessionId: string }) => hit.sessionId,
    );
    const second = await answer(["the", "--limit", "3", "--offset", "3"]);
    expect(second.hits.map((hit: { sessionId: string }) => hit.sessionId)).toEqual(all.slice(3, 6));
    const newest = (await answer(["the", "--sort", "newest"])).hits.map(
      (hit: { endedAt: string }) => hit.endedAt,
    );
    expect(newest).toEqual(newest.toSorted().toReversed());
  });

  test("says which words are near where nothing matches", async () => {
    const { code, err } = await ask(["qqqqqqzzzz"]);
    expect(code).toBe(1);
    expect(err).toContain("No match in");
  });

  test.each<[string, readonly string[]]>([
    ["5e12", ["5e12"]],
    ["an open quote", ['"token refresh']],
    ["ten kilobytes", ["token ".repeat(1_700)]],
    ["control characters", ["token\u0000\u001b[31mrefresh\n"]],
    ["brackets", ["(token [refresh {*"]],
    ["a colon", ["foo:token"]],
    ["other scripts", ["令牌 トークン токен 🔑"]],
    ["lone surrogates", ["\ud800token\udc00"]],
    ["a dash word", ["token", "-nosuchword"]],
  ])("answers %s", async (_, argv) => {
    const { code, err } = await ask(argv);
    expect([0, 1]).toContain(code);
    expect(err).not.toMatch(/bug|Error/);
  });

  test.each<[string, readonly string[]]>([
    ["nothing", []],
    ["signs alone", ['"', "-", "*"]],
    ["an unknown place", ["x", "in:nowhere"]],
    ["an unknown date", ["x", "since:someday"]],
    ["an unknown flag", ["x", "--nosuchflag"]],
  ])("refuses %s with a clear message", async (_, argv) => {
    const { code, err } = await ask(argv);
    expect(code).toBe(2);
    expect(err).toMatch(/^sessions: /m);
    expect(err).not.toContain("bug");
  });

  test("answers a batch, a line each", async () => {
    const { code, out } = await ask(["--batch"], { input: "token refresh\nqqqqzzzz\ncertificate\n" });
    expect(code).toBe(0);
    const answers = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ query, match }) => [query, match])).toEqual([
      ["token refresh", "all"],
      ["qqqqzzzz", "none"],
      ["certificate", "all"],
    ]);
  });

  test("answers the others of a batch where a query can't be read", async () => {
    const { code, out } = await ask(["--batch"], { input: "since:someday x\n\ntoken\n***\n" });
    expect(code).toBe(2);
    const answers = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ query, match, error }) => [query, match, error ?? ""])).toEqual([
      ["since:someday x", "none", 'Cannot read the date "someday"'],
      ["token", "all", ""],
      ["***", "none", "Cannot search: the query has no word"],
    ]);
  });

  test("says what was not understood, and answers", async () => {
    const open = await ask(['"token refresh']);
    expect([open.code, open.err]).toEqual([0, expect.stringContaining("A quote is not closed")]);
    const long = await ask(["token ".repeat(2_000)]);
    expect([long.code, long.err]).toEqual([0, expect.stringContaining("Only the first 10000 characters")]);
  });

  test("says that there are no more after the last page", async () => {
    const { code, err } = await ask(["token", "--offset", "1000"]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/No more results: the query matches \d+ sessions\./),
    ]);
  });

  test("finds nothing for what no index has, and says where to look", async () => {
    const { code, out, err } = await ask(["0123456789abcdef0123456789abcdef0123"]);
    expect([code, out, err]).toEqual([1, "", expect.stringContaining("sessions grep -iF")]);
  });

  test("prints hits for reading, cut to the terminal, and ids alone with -q", async () => {
    const { out } = await ask(["token", "refresh"], { columns: 80, hasColor: true });
    expect(out).toContain("\u001b[");
    expect((await ask(["token", "refresh", "-q"])).out.split("\n")[0]).toBe(TOKEN);
  });
});

test("where no store can be made, search answers and index says that it can't", async () => {
  const world = makeWorld();
  cpSync(world.demoHome, world.home, { recursive: true });
  writeFileSync(join(world.home, "file"), "");
  const homeless = { ...world, variables: { SESSIONS_HOME: join(world.home, "file") } };
  expect(await run(["search", "token", "-q"], homeless)).toBe(0);
  expect(world.out()).toContain(TOKEN);
  expect(world.err()).toContain("a part of the path is a file and not a folder; reading everything again");
  expect(await run(["index"], homeless)).toBe(5);
  expect(world.out()).not.toContain("in the index");
});

test("search says where to look on when no log can be read", async () => {
  const world = makeWorld();
  const folder = join(world.home, ".claude", "projects", "-x");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), Buffer.alloc(4_000, 7));
  expect(await run(["search", "token"], world)).toBe(1);
  expect(world.err()).toContain("There are no sessions to search.\nhint: `sessions doctor`");
});
