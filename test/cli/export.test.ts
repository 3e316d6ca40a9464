import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld, type TestWorld } from "../support/make-world.ts";
import { readStrictHtml } from "../support/strict-html.ts";

const ID = "e0dbf7f4-07b0-4b82-820e-a96cfb1929cc";
const LOG = `.claude/projects/-home-ana-code-tally/${ID}.jsonl`;

/** A world whose home has the logs of the example history, as if they were the user's own. */
function worldWithLogs(options: MakeWorldOptions = {}): TestWorld {
  const world = makeWorld(options);
  cpSync(join(world.demoHome, ".claude"), join(world.home, ".claude"), { recursive: true });
  return world;
}

async function exportIn(world: TestWorld, ...argv: readonly string[]) {
  const code = await run(["export", ...argv], world);
  return { code, out: world.out(), err: world.err() };
}

describe("sessions export", () => {
  test("prints markdown", async () => {
    const { code, out, err } = await exportIn(worldWithLogs(), ID);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^---\nid: "e0dbf7f4-07b0-4b82-820e-a96cfb1929cc"\nagent: "claude"\n/);
    expect(out).toContain("\n# Memory leak in tally watch\n");
    expect(out).toContain("cd /home/ana/code/tally && claude --resume");
  });

  test("prints a page of HTML that is strictly well-formed", async () => {
    const { code, out } = await exportIn(worldWithLogs(), ID, "--format", "html");
    expect(code).toBe(0);
    expect(readStrictHtml(out).text).toContain("Memory leak in tally watch");
  });

  test("prints the whole session as JSON", async () => {
    const world = worldWithLogs();
    const { code, out } = await exportIn(world, ID, "--format", "json");
    expect(code).toBe(0);
    const document: unknown = JSON.parse(out);
    expect(document).toMatchObject({
      schemaVersion: 1,
      sessionId: ID,
      agent: "claude",
      turns: 2,
      requests: [{ turn: 1 }, { turn: 2 }],
      conversation: [{ turn: 1, steps: expect.any(Array) }, { turn: 2 }],
      subagentConversations: [{ prompt: expect.stringContaining("src/watch.rs"), steps: expect.any(Array) }],
      resume: `cd /home/ana/code/tally && claude --resume ${ID}`,
    });
    expect((await exportIn(world, ID, "--json")).out).toBe(out + out);
  });

  test("wraps a document in JSON where both are asked for", async () => {
    const { out } = await exportIn(worldWithLogs(), ID, "--format", "md", "--json");
    const plain = await exportIn(worldWithLogs(), ID);
    expect(JSON.parse(out)).toEqual({
      schemaVersion: 1,
      demo: false,
      sessionId: ID,
      agent: "claude",
      format: "md",
      text: plain.out,
    });
  });

  test("pages on a terminal", async () => {
    const world = worldWithLogs({ columns: 80, programs: { less: 0 } });
    const { code, out } = await exportIn(world, ID);
    expect([code, out]).toEqual([0, ""]);
    expect(world.runs).toMatchObject([
      { program: "less", options: { input: expect.stringContaining("# Memory leak") } },
    ]);
  });

  test("answers from the example history, and writes it where nothing is replaced", async () => {
    const world = makeWorld();
    const shown = await exportIn(world, ID);
    expect([shown.code, shown.err]).toEqual([0, expect.stringContaining("example history")]);
    const written = await exportIn(world, ID, "-o", "x.md");
    expect([written.code, written.err]).toEqual([0, expect.stringContaining("example history")]);
    expect(readFileSync(join(world.folder, "x.md"), "utf8")).toContain("# Memory leak");
    const site = await exportIn(world, "--site", "history");
    expect([site.code, site.out]).toEqual([0, expect.stringContaining("Wrote 13 sessions")]);
    // It may be a site that was made when there were logs.
    const again = await exportIn(world, "--site", "history");
    expect(again.code).toBe(1);
    expect(again.err).toContain("Cannot write the example history");
    expect(readdirSync(world.folder).sort()).toEqual(["history", "x.md"]);
  });

  test.each<[string, readonly string[], number, string]>([
    ["a session that is not there", ["ffffffff"], 1, 'Cannot find a session "ffffffff"'],
    ["no session", [], 2, "no session is named"],
    ["another format", [ID, "--format", "pdf"], 2, 'cannot be "pdf"'],
    ["secrets in a file", [ID, "--reveal", "-o", "x.md"], 2, "Cannot reveal secrets"],
    ["a folder", [ID, "-o", "."], 2, "it is a folder"],
    ["a folder that is not there", [ID, "-o", "no/x.md"], 2, "there is no folder"],
    ["the store", [ID, "-o", "../.sessions/x.md"], 4, "it is in the store of this program"],
  ])("refuses %s", async (_, argv, expected, message) => {
    const { code, out, err } = await exportIn(worldWithLogs({ columns: 80 }), ...argv);
    expect([code, out]).toEqual([expected, ""]);
    // Without the line breaks of a narrow terminal.
    expect(err.replaceAll(/\s+/g, " ")).toContain(message);
  });

  test("masks secrets in every format", async () => {
    const key = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3lM6"}`;
    for (const format of ["md", "html", "json"]) {
      const world = worldWithLogs();
      const path = join(world.home, LOG);
      writeFileSync(
        path,
        readFileSync(path, "utf8").replaceAll("Find the memory leak.", `Find it, key ${key} `),
      );
      const { code, out } = await exportIn(world, ID, "--format", format);
      expect(code).toBe(0);
      expect(out).toContain("Find it, key");
      expect(out).not.toContain(key);
    }
  });

  test("masks a secret that escape sequences part in two", async () => {
    const world = worldWithLogs();
    const path = join(world.home, LOG);
    const halves = ["ghp_aB3dE6gH9jK2mN5p", "Q8sT1vW4yZ7cF0hJ3lM6"];
    writeFileSync(
      path,
      readFileSync(path, "utf8").replaceAll("Find the memory leak.", `Key ${halves.join("\\u001b[0m")} `),
    );
    const { out } = await exportIn(world, ID);
    expect(out).toContain("Key ");
    expect(out).not.toContain(halves.join(""));
  });
});

describe("sessions export -o", () => {
  test("writes the file, readable by its owner alone, and says so", async () => {
    const world = worldWithLogs();
    const { code, out, err } = await exportIn(world, ID, "-o", "leak.md");
    const path = join(world.folder, "leak.md");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Wrote ${path} \\([\\d.]+ KB\\)\\n$`));
    expect(readFileSync(path, "utf8")).toBe((await exportIn(worldWithLogs(), ID)).out);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(world.folder)).toEqual(["leak.md"]);
  });

  test.each([
    ["leak.html", /^<!doctype html>/],
    ["leak.HTML", /^<!doctype html>/],
    ["leak.json", /^\{\n {2}"schemaVersion": 1/],
    ["leak.txt", /^---\nid/],
  ])("takes the format of %s from its ending", async (file, begin) => {
    const world = worldWithLogs();
    await exportIn(world, ID, "-o", file);
    expect(readFileSync(join(world.folder, file), "utf8")).toMatch(begin);
  });

  test("takes the format that is asked for, whatever the ending", async () => {
    const world = worldWithLogs();
    await exportIn(world, ID, "-o", "leak.html", "--format", "md");
    expect(readFileSync(join(world.folder, "leak.html"), "utf8")).toMatch(/^---\nid/);
  });

  test("reports what it wrote to programs", async () => {
    const world = worldWithLogs();
    const { out } = await exportIn(world, ID, "-o", "leak.html", "--json");
    const path = join(world.folder, "leak.html");
    expect(JSON.parse(out)).toEqual({
      schemaVersion: 1,
      sessionId: ID,
      agent: "claude",
      format: "html",
      path,
      bytes: statSync(path).size,
      outcome: "new",
    });
  });

  test("leaves a file that has the same bytes already alone", async () => {
    const world = worldWithLogs();
    await exportIn(world, ID, "-o", "leak.md");
    const before = statSync(join(world.folder, "leak.md"));
    const { code, out } = await exportIn(world, ID, "-o", "leak.md");
    expect(code).toBe(0);
    expect(out).toContain("Unchanged: ");
    expect(statSync(join(world.folder, "leak.md")).ino).toBe(before.ino);
  });

  test("replaces another file only when forced, and keeps its mode", async () => {
    const world = worldWithLogs();
    const path = join(world.folder, "leak.md");
    writeFileSync(path, "mine", { mode: 0o640 });
    const refused = await exportIn(world, ID, "-o", "leak.md");
    expect(refused.code).toBe(4);
    expect(refused.err).toContain("it exists already\nhint: --force replaces it");
    expect(readFileSync(path, "utf8")).toBe("mine");
    const { code, out } = await exportIn(world, ID, "-o", "leak.md", "--force");
    expect(code).toBe(0);
    expect(out).toContain(`Replaced ${path}`);
    expect(readFileSync(path, "utf8")).toMatch(/^---\nid/);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test("never replaces a log, however it is named or reached", async () => {
    const world = worldWithLogs();
    const log = join(world.home, LOG);
    const bytes = readFileSync(log);
    symlinkSync(log, join(world.folder, "leak.md"));
    mkdirSync(join(world.folder, "copies"));
    cpSync(log, join(world.folder, "copies/a.md"));
    for (const file of [log, "leak.md", "copies/a.md"]) {
      const { code, err } = await exportIn(world, ID, "-o", file, "--force");
      expect(code).toBe(4);
      expect(err).toContain("it is a log of an agent");
    }
    expect(readFileSync(log).equals(bytes)).toBe(true);
  });
});
