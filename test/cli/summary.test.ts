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
  ])("--format %s --continuation gives the text that starts the next session", async (format, beginning) => {
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
