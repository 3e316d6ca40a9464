import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { dataScript } from "../../src/site/site-data.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo/", import.meta.url));

function worldWithLogs(): TestWorld & { readonly site: string } {
  const world = makeWorld();
  cpSync(demo, world.home, { recursive: true });
  return { ...world, site: join(world.root, "site") };
}

/** Every file of a folder with its bytes. */
function contentOf(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    names
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}

describe("sessions export --site", () => {
  test("writes pages, one index, and texts in pieces; again it gives the same", async () => {
    const world = worldWithLogs();
    expect(await run(["export", "--site", world.site, "--json"], world)).toBe(0);
    const answer = JSON.parse(world.out());
    const golden = { ...answer, bytes: 0, turns: 0 };
    await expect(
      `${JSON.stringify(golden, undefined, 2).replaceAll(world.root, "/root")}\n`,
    ).toMatchFileSnapshot("../cli/golden/export-site.json");
    const first = contentOf(world.site);
    expect([...first.keys()].filter((path) => !/[0-9a-f]{20}/.test(path))).toEqual([
      "data/index.js",
      "data/sessions.js",
      "index.html",
      "sessions-site.json",
      "site.css",
      "site.js",
    ]);
    expect(first.size).toBe(6 + 2 * answer.sessions);
    expect(answer.turns).toBeGreaterThan(answer.sessions);
    expect(await run(["export", "--site", world.site], world)).toBe(0);
    expect(contentOf(world.site)).toEqual(first);
  });

  test("takes the filters of list, and removes what no longer matches", async () => {
    const world = worldWithLogs();
    expect(await run(["export", "--site", world.site], world)).toBe(0);
    const all = contentOf(world.site).size;
    expect(await run(["export", "--site", world.site, "--agent", "pi", "--json"], world)).toBe(0);
    const { sessions } = JSON.parse(world.out().trimEnd().split("\n").at(-1) ?? "");
    expect(sessions).toBeGreaterThan(0);
    expect(contentOf(world.site).size).toBe(6 + 2 * sessions);
    expect(contentOf(world.site).size).toBeLessThan(all);
  });

  test("is completed by the next run if it was killed in between", async () => {
    const world = worldWithLogs();
    expect(await run(["export", "--site", world.site], world)).toBe(0);
    const whole = contentOf(world.site);
    const marker = JSON.parse(readFileSync(join(world.site, "sessions-site.json"), "utf8"));
    writeFileSync(
      join(world.site, "sessions-site.json"),
      JSON.stringify({
        ...marker,
        isComplete: false,
        files: [...marker.files, `sessions/${"0".repeat(20)}.html`],
      }),
    );
    writeFileSync(join(world.site, `sessions/${"0".repeat(20)}.html`), "of a session that is gone");
    rmSync(join(world.site, "index.html"));
    writeFileSync(join(world.site, "data/index.js"), "torn");
    expect(await run(["export", "--site", world.site], world)).toBe(0);
    expect(contentOf(world.site)).toEqual(whole);
  });

  test.each<[string, (site: string) => void]>([
    [
      "a folder with other files",
      (site) => {
        mkdirSync(site);
        writeFileSync(join(site, "notes.txt"), "mine");
      },
    ],
    [
      "a foreign file in the place of one of its own",
      (site) => {
        mkdirSync(site);
        writeFileSync(join(site, "sessions-site.json"), '{"site":1,"isComplete":true,"files":[]}');
        writeFileSync(join(site, "index.html"), "mine");
      },
    ],
    [
      "a marker that cannot be read",
      (site) => {
        mkdirSync(site);
        writeFileSync(join(site, "sessions-site.json"), "{");
      },
    ],
    ["a file", (site) => writeFileSync(site, "mine")],
  ])("is refused for %s, and changes nothing", async (_, prepare) => {
    const world = worldWithLogs();
    prepare(world.site);
    const before = existsSync(join(world.site, "x")) ? undefined : snapshot(world.site);
    expect(await run(["export", "--site", world.site], world)).toBe(4);
    expect(world.err()).toMatch(/Cannot write the site to/);
    expect(snapshot(world.site)).toEqual(before);
  });

  test("never removes what a changed marker names outside of the site", async () => {
    const world = worldWithLogs();
    const victim = join(world.root, "victim.txt");
    writeFileSync(victim, "mine");
    mkdirSync(world.site);
    const files = ["../victim.txt", "sessions/../../victim.txt"];
    writeFileSync(
      join(world.site, "sessions-site.json"),
      JSON.stringify({ site: 1, isComplete: true, files }),
    );
    expect(await run(["export", "--site", world.site], world)).toBe(0);
    expect(readFileSync(victim, "utf8")).toBe("mine");
  });

  test("is refused in the store, with -o, and with filters but without --site", async () => {
    const world = worldWithLogs();
    expect(await run(["export", "--site", join(world.home, ".sessions", "x")], world)).toBe(4);
    expect(await run(["export", "--site", world.site, "-o", "x.md"], world)).toBe(2);
    expect(await run(["export", "last", "--agent", "pi"], world)).toBe(2);
    expect(await run(["export"], world)).toBe(2);
    expect(existsSync(world.site)).toBe(false);
  });
});

function snapshot(path: string): unknown {
  try {
    return [...contentOf(path)];
  } catch {
    return readFileSync(path, "utf8");
  }
}

test("dataScript() holds any text without markup, as one call", () => {
  const text = "</script><script>alert(1)</script>\u2028'\"\\";
  const script = dataScript("texts/x", [{ reply: text }]);
  expect(script).not.toContain("<");
  const calls: unknown[][] = [];
  runInNewContext(script, { sessionsSite: (...call: unknown[]) => calls.push(call) });
  expect(calls).toHaveLength(1);
  expect(JSON.parse(String(calls[0]?.[1]))).toEqual([{ reply: text }]);
});
