import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { runBundle } from "../support/run-bundle.ts";

/*
 * Commands with a bundle of their own can also be reached through the main bundle: a global flag before the command is
 * enough. Classes of errors exist once in each bundle.
 */

/** A port of this machine that is in use until the test ends. */
async function takenPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe("a user's error in a bundle of its own", () => {
  test.each([
    ["its own bundle", (port: number) => ["serve", "--port", `${port}`]],
    ["the main bundle", (port: number) => ["--no-color", "serve", "--port", `${port}`]],
  ])("serve on a port in use, through %s: a message, a hint, its exit code, and JSON", async (_, line) => {
    const home = temporaryFolder();
    const port = await takenPort();
    const { code, err } = await runBundle(line(port), { home });
    expect(err).toContain(`sessions: Cannot serve the page on port ${port}: another program uses it\nhint: `);
    expect(code).toBe(4);
    const json = await runBundle([...line(port), "--json"], { home });
    expect(JSON.parse(json.out)).toMatchObject({ error: { exitCode: 4, hint: expect.any(String) } });
    expect(json.code).toBe(4);
  });

  test.each([
    ["its own bundle", ["serve"]],
    ["the main bundle", ["--no-color", "serve"]],
  ])("serve with a store of a newer version, through %s", async (_, line) => {
    const home = temporaryFolder();
    mkdirSync(join(home, ".sessions"));
    writeFileSync(join(home, ".sessions", "version.json"), '{"version":999}\n');
    const { code, err } = await runBundle(line, { home, timeoutMs: 240_000 });
    expect(err).toMatch(/^sessions: .*its version is 999/);
    expect(code).toBe(5);
  });

  test.each([
    ["pick", ["--no-color", "pick"]],
    ["search -i", ["--no-color", "search", "-i", "token"]],
  ])("%s without a terminal, through the main bundle", async (_, line) => {
    const { code, err } = await runBundle(line, { home: temporaryFolder() });
    expect(err).toMatch(/^sessions: .*terminal/m);
    expect(err).not.toContain("this is a bug");
    expect(code).toBe(2);
  });
});
