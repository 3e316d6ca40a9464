import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import {
  dataScript,
  readDataScript,
  type SiteIndexData,
  type SiteSessions,
  type SiteTexts,
} from "../../src/site/site-data.ts";
import { diskThatDiesAfter } from "../crash/disk-that-dies.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { makeLogHome } from "../support/archive/log-home.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { DOT, pastedInClaude } from "../support/web/pasted-image.ts";

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

/** Fails unless `index.html` names data that belong together, with all texts and pages that they name. */
function expectWhole(site: string, count?: number): void {
  const version = /data-version="(\w+)"/.exec(readFileSync(join(site, "index.html"), "utf8"))?.[1];
  const read = (path: string): unknown => readDataScript(readFileSync(join(site, path), "utf8"));
  const { sessions } = read(`data/sessions-${version}.js`) as SiteSessions;
  const { turns } = read(`data/index-${version}.js`) as SiteIndexData;
  if (count !== undefined) expect(sessions).toHaveLength(count);
  const texts = sessions.map(({ texts: name }) => read(`data/texts/${name}.js`) as SiteTexts);
  for (const { name, hasPage } of sessions)
    if (hasPage)
      expect(readFileSync(join(site, `sessions/${name}.html`), "utf8")).toContain('href="../index.html"');
  for (const [session, turn, , , place] of turns) expect(texts[session]?.turns[place]?.turn).toBe(turn);
  const html = readFileSync(join(site, "index.html"), "utf8");
  for (const [, path = ""] of html.matchAll(/(?:href|src)="([^"]+)"/g))
    expect(existsSync(join(site, path))).toBe(true);
}

/** The sessions that a site lists. */
function listedSessions(site: string): SiteSessions["sessions"] {
  const version = /data-version="(\w+)"/.exec(readFileSync(join(site, "index.html"), "utf8"))?.[1];
  const text = readFileSync(join(site, `data/sessions-${version}.js`), "utf8");
  return (readDataScript(text) as SiteSessions).sessions;
}

describe("archive.site", () => {
  test("keeps the pages beside the archive: with archive, the guard and forget", async () => {
    const world = worldWithLogs();
    const site = join(world.home, ".sessions/site");
    expect(await run(["archive"], world)).toBe(0);
    expect(existsSync(site)).toBe(false);
    writeFileSync(join(world.home, ".sessions/config.json"), '{"archive":{"site":true}}');
    expect(await run(["archive"], world)).toBe(0);
    expect(world.out()).toContain("As pages: ~/.sessions/site/index.html (13 pages written).");
    expectWhole(site, 13);
    const pasted = pastedInClaude("a pasted narwhal", DOT);
    writeFileSync(join(world.home, pasted.place), `${JSON.stringify(pasted.lines[0])}\n`);
    expect(await run(["guard"], world)).toBe(0);
    expectWhole(site, 14);
    expect([...contentOf(site).values()].join("")).toContain("narwhal");
    expect(await run(["forget", pasted.id, "--yes"], world)).toBe(0);
    expectWhole(site, 13);
    expect([...contentOf(site).values()].join("")).not.toContain("narwhal");
    const before = contentOf(site);
    expect(await run(["archive"], world)).toBe(0);
    expect(world.out()).toContain("(up to date).");
    expect(contentOf(site)).toEqual(before);
  });

  test("lists a session that only the index has left, and the archive is complete", async () => {
    const world = worldWithLogs();
    const folder = join(world.home, ".pi/agent/sessions/--home-ana-notas--");
    expect(await run(["list", "-q"], world)).toBe(0);
    rmSync(folder, { recursive: true });
    writeFileSync(join(world.home, ".sessions/config.json"), '{"archive":{"site":true}}');
    await run(["archive"], world);
    const site = join(world.home, ".sessions/site");
    expectWhole(site, 13);
    expect(listedSessions(site).filter(({ hasPage }) => !hasPage)).toHaveLength(1);
  });

  test("that cannot be written is a problem of the answer, and the archive is complete", async () => {
    const world = worldWithLogs();
    mkdirSync(join(world.home, ".sessions/site"), { recursive: true });
    writeFileSync(join(world.home, ".sessions/site/mine.txt"), "mine");
    writeFileSync(join(world.home, ".sessions/config.json"), '{"archive":{"site":true}}');
    expect(await run(["archive", "--json"], world)).toBe(3);
    const { archived, problems } = JSON.parse(world.out());
    expect(archived).toHaveLength(13);
    expect(problems).toMatchObject([
      { what: expect.stringContaining("do not belong to a site of this program") },
    ]);
  });
});

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
    const names = [...first.keys()].filter((path) => !/[0-9a-f]{20}/.test(path));
    expect(names.map((path) => path.replace(/-[0-9a-f]{12}\./, "-VERSION.")).sort()).toEqual([
      "data/index-VERSION.js",
      "data/sessions-VERSION.js",
      "index.html",
      "sessions-site.json",
      "site-VERSION.css",
      "site-VERSION.js",
    ]);
    expectWhole(world.site, answer.sessions);
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
    expect(await run(["export", "--site", world.site], world)).toBe(0);
    const paths = (content: ReadonlyMap<string, string>): readonly string[] =>
      [...content.keys()].map((path) => path.replace(/(?<=data\/\w+)-[0-9a-f]{12}/, ""));
    expect(paths(contentOf(world.site))).toEqual(paths(whole));
    expectWhole(world.site);
  });

  test("writes again only what changed: the page and the texts of a session, and the index", async () => {
    const world = worldWithLogs();
    expect(await run(["export", "--site", world.site, "--json"], world)).toBe(0);
    const before = contentOf(world.site);
    const folder = join(world.home, ".claude/projects/-home-ana-shop");
    const log = join(folder, readdirSync(folder).find((name) => name.startsWith("87f01b2f")) ?? "");
    const [first = ""] = readFileSync(log, "utf8").split("\n");
    const line = { ...JSON.parse(first), uuid: "new", parentUuid: null };
    appendFileSync(
      log,
      `${JSON.stringify({ ...line, type: "user", message: { role: "user", content: "a walrus" } })}\n`,
    );
    const from = world.out().length;
    expect(await run(["export", "--site", world.site, "--json"], world)).toBe(0);
    expect(JSON.parse(world.out().slice(from))).toMatchObject({ changed: 1, sessions: 13 });
    const after = contentOf(world.site);
    const differing = [...after].filter(([path, text]) => before.get(path) !== text).map(([path]) => path);
    expect(differing.map((path) => path.replace(/[0-9a-f]{20}|(?<=-)[0-9a-f]{12}/g, "X"))).toEqual([
      "data/index-X.js",
      "data/sessions-X.js",
      "data/texts/X-X.js",
      "index.html",
      "sessions-site.json",
      "sessions/X.html",
    ]);
    expectWhole(world.site, 13);
    expect([...after.values()].join("")).toContain("a walrus");
  });

  test("is the old one or the new one wherever a run is killed, and whole after the next", async () => {
    const world = { ...makeWorld(), disk: quickDisk };
    const site = join(world.root, "site");
    makeLogHome(world.home, { project: "/work/shop" });
    expect(await run(["export", "--site", site], world)).toBe(0);
    for (let calls = 0, isDone = false; !isDone; calls += 3) {
      const pasted = pastedInClaude(`request ${calls}`, DOT);
      const path = join(world.home, pasted.place);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify(pasted.lines[0])}\n`);
      // The index is brought up to date first: only the site is written by what is killed.
      expect(await run(["list"], world)).toBe(0);
      const { disk, diedAt } = diskThatDiesAfter(quickDisk, calls);
      await run(["export", "--site", site], { ...world, disk });
      isDone = diedAt() === undefined;
      expectWhole(site);
    }
    const from = world.out().length;
    expect(await run(["export", "--site", site, "--json"], world)).toBe(0);
    const { sessions, files } = JSON.parse(world.out().slice(from));
    expectWhole(site, sessions);
    // Temp files of killed runs are removed when they are old.
    const own = [...contentOf(site).keys()].filter((path) => /\/?[\w-]+\.(?:html|js|css|json)$/.test(path));
    expect(own.filter((path) => !/(?:^|\/)\./.test(path))).toHaveLength(files + 1);
  });

  test("lists a session whose log is gone and was not archived, without a page", async () => {
    const world = worldWithLogs();
    const folder = join(world.home, ".pi/agent/sessions/--home-ana-code-tally--");
    const [log = ""] = readdirSync(folder);
    expect(await run(["list", "-q"], world)).toBe(0);
    rmSync(join(folder, log));
    const before = world.out().length;
    expect(await run(["export", "--site", world.site, "--json"], world)).toBe(3);
    const id = "01a0d2e5-b6a8-74d2-a4b3-89b0b70a29a0";
    const answer = JSON.parse(world.out().slice(before));
    expect(answer).toMatchObject({ sessions: 13, changed: 13 });
    expect(answer.problems).toEqual([{ path: id, line: 0, what: "its log is gone and it was not archived" }]);
    expectWhole(world.site, 13);
    expect(listedSessions(world.site).filter(({ hasPage }) => !hasPage)).toMatchObject([{ agent: "pi", id }]);
  });

  test("writes the page of each of two agents' sessions that have the same id", async () => {
    const world = makeWorld();
    const site = join(world.root, "site");
    const pasted = pastedInClaude("a narwhal of Claude", DOT);
    const [line] = pasted.lines;
    const { id } = pasted;
    const files = {
      [pasted.place]: [line],
      [`.pi/agent/sessions/--work--/2026-09-24T10-11-05-000Z_${id}.jsonl`]: [
        { type: "session", version: 3, id, timestamp: "2026-09-24T10:11:05.000Z", cwd: "/work" },
        {
          type: "message",
          id: "a1",
          parentId: null,
          timestamp: "2026-09-24T10:11:06.000Z",
          message: { role: "user", content: "a walrus of Pi" },
        },
      ],
    };
    for (const [path, lines] of Object.entries(files)) {
      mkdirSync(dirname(join(world.home, path)), { recursive: true });
      writeFileSync(join(world.home, path), lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
    }
    expect(await run(["export", "--site", site], world)).toBe(0);
    const sessions = listedSessions(site);
    expect(sessions.map(({ agent }) => agent).sort()).toEqual(["claude", "pi"]);
    for (const { agent, name } of sessions) {
      const page = readFileSync(join(site, `sessions/${name}.html`), "utf8");
      expect(page.includes("a walrus of Pi")).toBe(agent === "pi");
    }
  });

  test("takes the sessions that a full-text query finds", async () => {
    const world = worldWithLogs();
    expect(await run(["export", "--site", world.site, "--query", '"token refresh"', "--json"], world)).toBe(
      0,
    );
    const { sessions } = JSON.parse(world.out());
    const from = world.out().length;
    await run(["search", '"token refresh"', "--json"], world);
    expect(sessions).toBe(JSON.parse(world.out().slice(from)).total);
    expect(sessions).toBeGreaterThan(0);
    expect(await run(["export", "last", "--query", "x"], world)).toBe(2);
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
