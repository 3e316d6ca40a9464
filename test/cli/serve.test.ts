import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { makeWorld } from "../support/make-world.ts";
import { bundle } from "../support/run-bundle.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";

describe("sessions serve", () => {
  test("prints the address once, with the token in its fragment", async () => {
    const world = makeWorld();
    expect(await run(["serve"], world)).toBe(0);
    expect(world.out()).toMatch(/^13 sessions at\n\n {2}http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n\n/);
    expect(world.out().match(/token=/g)).toHaveLength(1);
  });

  test("prints it as JSON for programs", async () => {
    const world = makeWorld();
    expect(await run(["serve", "--json"], world)).toBe(0);
    const { port, url, ...answer } = JSON.parse(world.out());
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#token=[\\w-]{43}$`));
    await expect(
      `${JSON.stringify({ ...answer, port: 40123, url: "http://127.0.0.1:40123/#token=TOKEN" }, null, 2)}\n`,
    ).toMatchFileSnapshot("golden/serve.json");
  });

  test("hands the token to the browser in a file that only the user can read, and removes the file", async () => {
    const seen: string[] = [];
    const world = makeWorld({ programs: { "xdg-open": 0 } });
    const folder = join(world.home, ".sessions", "cache");
    const until = async (): Promise<void> => {
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        expect(statSync(path).mode & 0o777).toBe(0o600);
        seen.push(readFileSync(path, "utf8"));
      }
    };
    expect(await run(["serve", "--open"], { ...world, untilEnd: until })).toBe(0);
    const [url = ""] = /http:\S+/.exec(world.out()) ?? [];
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain(`content="0;url=${url}"`);
    expect(world.runs.map(({ program }) => program)).toEqual(["xdg-open"]);
    expect(JSON.stringify(world.runs)).not.toMatch(/token|127\.0\.0\.1/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("says so if there is no browser to open", async () => {
    const world = makeWorld();
    const until = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
    expect(await run(["serve", "--open"], { ...world, untilEnd: until })).toBe(0);
    expect(world.err()).toContain("Cannot open a browser: open the address yourself.");
  });

  test("says how to build the page if it is not there", async () => {
    const world = { ...makeWorld(), pageFolder: "/nowhere" };
    expect(await run(["serve"], world)).toBe(5);
    expect(world.err()).toContain("it is not built (/nowhere/index.html is missing)");
    expect(world.err()).toContain("npm install");
  });

  test("refuses a port that is no port", async () => {
    const world = makeWorld();
    expect(await run(["serve", "--port", "http"], world)).toBe(2);
    expect(await run(["serve", "--port", "70000"], world)).toBe(2);
  });
});

describe("the bundle", () => {
  test("serves a history, reading logs in a thread, with the page that comes with it", async () => {
    const home = mkdtempSync(join(tmpdir(), "sessions-serve-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
    mkdirSync(join(home, "store"));
    putToolLog(home, toolLog([callOf("Bash", 3_000, { command: "echo zanzibar" }, "toolu_a")]));
    const runtime = process.versions.deno === undefined ? [] : ["run", "-A", "--quiet"];
    const child = spawn(process.execPath, [...runtime, bundle, "serve", "--json"], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, SESSIONS_HOME: join(home, "store"), SESSIONS_GUARD: "off" },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", resolve);
    });
    const line = await new Promise<string>((resolve, reject) => {
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text;
        if (out.includes("\n")) resolve(out);
      });
      void ended.then((code) => reject(new Error(`it ended with ${code}`)));
    });
    const url = new URL(JSON.parse(line).url);
    const headers = { "x-sessions-token": url.hash.replace("#token=", "") };
    // biome-ignore lint/suspicious/noExplicitAny: the test itself checks what it reads.
    const get = async (path: string): Promise<any> =>
      (await fetch(new URL(path, url.origin), { headers })).json();
    const shell = await (await fetch(url.origin)).text();
    expect(shell).toContain('<script src="/page.js" defer>');
    expect((await (await fetch(new URL("/page.js", url.origin))).text()).length).toBeGreaterThan(10_000);
    expect((await get("/api/search?q=zanzibar")).sessions).toHaveLength(1);
    const { outline } = await get(`/api/session?key=claude:${TOOL_SESSION}`);
    expect(outline).toHaveLength(1);
    expect((await get("/api/session?key=claude:nobody")).error.message).toContain("Cannot find a session");
    expect((await get("/api/refresh")).sessions).toBe(1);
    expect(existsSync(join(home, ".sessions"))).toBe(false);
    // Not child.kill(): after that, Deno reports no exit code, whatever the process ended with.
    process.kill(child.pid ?? 0, "SIGINT");
    expect(await ended).toBe(130);
  });
});
