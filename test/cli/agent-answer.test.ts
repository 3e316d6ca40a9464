import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld } from "../support/make-world.ts";

/** The example history answers. */
async function ask(
  argv: readonly string[],
  options: MakeWorldOptions = {},
): Promise<{ code: number; out: string }> {
  const world = makeWorld(options);
  const code = await run(argv, world);
  return { code, out: world.out() };
}

const tokens = (text: string): number => text.length / 4;
const SEARCH = ["search", "the", "--json", "--limit", "50"];
const inAgent = { variables: { CLAUDECODE: "1" } };

describe("an answer for an agent", () => {
  test("has 1,500 tokens at most where the agent says that it is one", async () => {
    const plain = await ask(SEARCH);
    expect(tokens(plain.out)).toBeGreaterThan(2_000);
    expect(JSON.parse(plain.out)).not.toHaveProperty("cut");
    const capped = await ask(SEARCH, inAgent);
    expect(capped.code).toBe(plain.code);
    expect(tokens(capped.out)).toBeLessThanOrEqual(1_500);
    const answer = JSON.parse(capped.out);
    expect(answer.cut).toMatchObject({ budget: 1_500, tokens: Math.ceil(tokens(plain.out)) });
    expect(Object.keys(answer).filter((key) => key !== "cut")).toEqual(Object.keys(JSON.parse(plain.out)));
    expect(answer.hits[0].sessionId).toBe(JSON.parse(plain.out).hits[0].sessionId);
  });

  test("says how to go on, and that call goes on where it ended", async () => {
    const answer = JSON.parse((await ask([...SEARCH, "--budget", "1000"])).out);
    expect(answer.cut.dropped.hits).toBeGreaterThan(0);
    expect(answer.cut.more).toBe(
      `sessions search the --json --limit 50 --budget 1000 --offset ${answer.hits.length}`,
    );
    const next = JSON.parse((await ask(answer.cut.more.split(" ").slice(1))).out);
    expect(next.offset).toBe(answer.hits.length);
    const all = JSON.parse((await ask(SEARCH)).out).hits.map((hit: { sessionId: string }) => hit.sessionId);
    expect(next.hits[0].sessionId).toBe(all[answer.hits.length]);
  });

  test.each([
    [["show", "87f01b2f", "--full"]],
    [["pending", "--everywhere"]],
    [["list"]],
    [["files", "auth.ts"]],
    [["grep", "token"]],
    [["search", "token"]],
  ])("is quoted in plain text, and small: %j", async (argv) => {
    const { code, out } = await ask([...argv, "--budget", "300"]);
    expect(code).toBe(0);
    expect(tokens(out)).toBeLessThanOrEqual(300);
    for (const line of out.trimEnd().split("\n")) expect(line).toMatch(/^(?:>|\[sessions\] )/);
  });

  test.each([
    [["show", "87f01b2f"]],
    [["show", "87f01b2f", "--turns", "1-9"]],
    [["pending", "--everywhere"]],
    [["list"]],
    [["files", "auth.ts"]],
    [["grep", "token"]],
  ])("is JSON with all its fields where that is asked for: %j", async (argv) => {
    const plain = JSON.parse((await ask([...argv, "--json"])).out);
    const { out } = await ask([...argv, "--json", "--budget", "600"]);
    expect(Object.keys(JSON.parse(out))).toEqual(expect.arrayContaining(Object.keys(plain)));
    if (tokens(JSON.stringify(plain)) > 600)
      expect(JSON.parse(out).cut.more).toContain(`sessions ${argv[0]}`);
  });

  test.each([
    [["--budget", "0"], inAgent],
    [[], { ...inAgent, columns: 80 }],
    [[], {}],
  ])("is as it is with %j in %j", async (flags, options) => {
    const { out } = await ask([...SEARCH, ...flags], options);
    expect(tokens(out)).toBeGreaterThan(2_000);
  });

  test("of several queries is as it is", async () => {
    const { out } = await ask(["search", "--batch", "--limit", "50"], { ...inAgent, input: "the\na\n" });
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toHaveLength(2);
  });

  test("leaves errors and exit codes as they are", async () => {
    const { code, out } = await ask(["show", "nosuchsession", "--json"], inAgent);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toHaveProperty("error");
  });
});
