import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld } from "../support/make-world.ts";

/** The example history answers: it is the same on every machine. */
async function ask(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  const code = await run(["summary", ...argv], world);
  return { code, out: world.out(), err: world.err() };
}

const PI_SESSION = "01a0d2e5-b6a8-74d2-a4b3-89b0b70a29a0";

describe("sessions summary", () => {
  test.each(["claw", "pi", "markdown"])("--format %s answers as documented", async (format) => {
    const { code, out } = await ask(PI_SESSION, "--format", format, "--json");
    expect(code).toBe(0);
    const plain = JSON.stringify(JSON.parse(out), undefined, 2).replace(
      /`pi --session [^`]*`/,
      "`pi --session FILE`",
    );
    await expect(`${plain}\n`).toMatchFileSnapshot(`./golden/summary-${format}.json`);
  });

  test.each([
    ["claw", /^This session is being continued from a previous conversation .*\n\nSummary:\n/],
    ["pi", /^The conversation history before this point was compacted into .*:\n\n<summary>\n## Goal\n/],
    ["markdown", /^This session is being continued from a previous conversation .*\n\nSummary:\n# Retry/],
  ])("--format %s --continuation prints the text that starts the next session", async (format, beginning) => {
    expect((await ask(PI_SESSION, "--format", format, "--continuation")).out).toMatch(beginning);
  });

  test("says the same every time", async () => {
    for (const format of ["claw", "pi", "markdown"])
      expect((await ask("last", "--everywhere", "--format", format)).out).toBe(
        (await ask("last", "--everywhere", "--format", format)).out,
      );
  });

  test("refuses a format that it does not know", async () => {
    const { code, err } = await ask(PI_SESSION, "--format", "poem");
    expect(code).toBe(2);
    expect(err).toContain("markdown");
  });
});

describe("sessions summary --branch", () => {
  const entry = (id: string, parentId: string | null, role: string, text: string): string =>
    JSON.stringify({
      type: "message",
      id,
      parentId,
      timestamp: "2026-06-01T00:00:00.000Z",
      message: { role, content: text },
    });
  const log = [
    '{"type":"session","version":3,"id":"tree-session","timestamp":"2026-06-01T00:00:00.000Z","cwd":"/work/shop"}',
    entry("root0001", null, "user", "Make the build faster, please do"),
    entry("root0002", "root0001", "assistant", "Two ways exist."),
    entry("left0001", "root0002", "user", "Try the cache of the compiler first"),
    JSON.stringify({
      type: "message",
      id: "left0002",
      parentId: "left0001",
      timestamp: "2026-06-01T00:00:01.000Z",
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "The cache did not help." },
          { type: "toolCall", id: "c", name: "edit", arguments: { path: "build.mjs" } },
        ],
      },
    }),
    entry("left0003", "left0002", "user", "Leave that, it is no use"),
    entry("main0001", "root0002", "user", "Then do the second way"),
    entry("main0002", "main0001", "assistant", "Done."),
  ].join("\n");

  async function askTree(...argv: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
    const folder = join(world.home, ".pi/agent/sessions/--work-shop--");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "2026-06-01T00-00-00-000Z_tree-session.jsonl"), `${log}\n`);
    const code = await run(["summary", "tree-session", ...argv], world);
    return { code, out: world.out(), err: world.err() };
  }

  test.each(["left0001", "left0002", "left0003", "left0001".slice(0, 8), "2", "3"])(
    "%s names the whole branch, and nothing of the path that it left",
    async (name) => {
      const { code, out } = await askTree("--branch", name);
      expect(code).toBe(0);
      expect(out).toMatch(/^The user explored a different conversation branch before returning here\.\n/);
      expect(out).toContain("## Goal\nTry the cache of the compiler first\n- Leave that, it is no use\n");
      expect(out).toContain("<modified-files>\nbuild.mjs\n</modified-files>");
      expect(out).not.toContain("second way");
      expect(out).not.toContain("faster");
    },
  );

  test.each([
    ["is on the current path", "root0001", 2, "on the current path"],
    ["is not there", "nowhere", 1, "Cannot find an entry"],
    ["may be several", "left", 2, "3 begin with it"],
  ])("says so where the entry %s", async (_, name, exitCode, words) => {
    const { code, err } = await askTree("--branch", name);
    expect(code).toBe(exitCode);
    expect(err).toContain(words);
  });

  test("is for Pi alone", async () => {
    const { code, err } = await ask("484e4bb2", "--branch", "1");
    expect(code).toBe(2);
    expect(err).toContain("only Pi");
  });

  test("prints the whole name of the entry", async () => {
    const { out } = await askTree("--branch", "2", "--json");
    expect(JSON.parse(out)).toMatchObject({ sessionId: "tree-session", format: "pi", branch: "left0001" });
  });
});
