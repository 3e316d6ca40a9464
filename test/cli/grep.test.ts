import { Buffer } from "node:buffer";
import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { displayWidth } from "../../src/cli/output/text-width.ts";
import { run } from "../../src/cli/run.ts";
import { makeLogHome } from "../support/archive/log-home.ts";
import { type MakeWorldOptions, makeWorld } from "../support/make-world.ts";
import { runBundle } from "../support/run-bundle.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
type Json = any;

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly root: string;
  readonly json: () => Json;
}

async function ask(argv: readonly string[], options: MakeWorldOptions = {}, logs?: string): Promise<Asked> {
  const world = makeWorld({ nowMs: NOW, ...options });
  if (logs !== undefined) makeLogs(world.home, [logs]);
  const code = await run(["grep", ...argv], world);
  return { code, out: world.out(), err: world.err(), root: world.root, json: () => JSON.parse(world.out()) };
}

/** Writes a session of one request for each text, last changed long before NOW: a newer log would be live. */
function makeLogs(home: string, texts: readonly string[]): void {
  const folder = join(home, ".claude/projects/-x");
  mkdirSync(folder, { recursive: true });
  texts.forEach((content, index) => {
    const sessionId = `0b8ec0de-0000-4000-8000-00000000000${index}`;
    const line = {
      parentUuid: null,
      type: "user",
      uuid: "u",
      sessionId,
      cwd: "/x",
      timestamp: "2026-10-01T10:00:00Z",
    };
    const path = join(folder, `${sessionId}.jsonl`);
    writeFileSync(path, `${JSON.stringify({ ...line, message: { role: "user", content } })}\n`);
    utimesSync(path, new Date(line.timestamp), new Date(line.timestamp));
  });
}

describe("sessions grep", () => {
  test("prints the session, the place and the line", async () => {
    const { code, out } = await ask(["h[a-z]x"], {}, "the first line\na hex here, a hox there\nthe last");
    expect(code).toBe(0);
    expect(out).toBe(
      "0b8ec0de-0000-4000-8000-000000000000  the first line a hex here, a hox there the last  claude · x · 1 Oct\n" +
        "  turn 1 · request\n" +
        "    a hex here, a hox there\n",
    );
  });

  test("prints lines around a match once, and where some are left out", async () => {
    const { out } = await ask(["-C1", "^x"], {}, "1\nx2\n3\nx4\n5\n6\n7\nx8\n9");
    const lines = out.split("\n").slice(2, -1);
    expect(lines.map((line) => line.trim())).toEqual(["1", "x2", "3", "x4", "5", "…", "7", "x8", "9"]);
  });

  test("marks matches on a terminal, and cuts long lines around them", async () => {
    const { out } = await ask(
      ["needle"],
      { columns: 60, hasColor: true },
      `${"hay ".repeat(60)}needle${" hay".repeat(60)}`,
    );
    const line = out.split("\n").find((each) => each.startsWith("    ")) ?? "";
    expect(line).toMatch(/…\w*(?: hay)+ \u001b\[[\d;]*mneedle\u001b\[[\d;]*m(?: hay)+ ?\w*…$/);
  });

  test.each<[string, string]>([
    ["in a long word at the end of the line", `${"word ".repeat(14)}needle${"x".repeat(60)}`],
    ["after wide characters", `${"字".repeat(60)}needle${"字".repeat(60)}`],
    ["after wide characters with spaces", `${"字字字字字字字字字 ".repeat(12)}needle 字`],
    ["between columns with tabs", `needle${"a\tb".repeat(60)}`],
    ["after emoji", `${"😀".repeat(80)}needle${"😀".repeat(80)}`],
    ["in the middle of a long word", `${"x".repeat(100)}needle${"x".repeat(200)}`],
    ["after a word with many marks", `${"e\u0301\u0301\u0301 ".repeat(60)}needle${"x".repeat(90)}`],
  ])("shows the match on a terminal, and keeps the line's width: %s", async (_, text) => {
    for (const columns of [24, 80, 81]) {
      const { out } = await ask(["needle"], { columns, hasColor: true }, text);
      const line = out.split("\n").find((each) => each.startsWith("    ")) ?? "";
      expect(line).toMatch(/\u001b\[[\d;]*mneedle\u001b\[[\d;]*m/);
      expect(Buffer.from(line).toString()).toBe(line);
      expect(displayWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(columns);
    }
  });

  test("shows the start of a match that is longer than the line", async () => {
    const text = `${"hay ".repeat(60)}needle${" hay".repeat(60)} end`;
    const { out } = await ask(["needle.*end"], { columns: 60, hasColor: true }, text);
    const line = out.split("\n").find((each) => each.startsWith("    ")) ?? "";
    expect(line).toMatch(/…(?:hay )+\u001b\[[\d;]*mneedle(?: hay)+\u001b\[[\d;]*m…$/);
  });

  test.each<[string, readonly string[], number]>([
    ["a pattern that is there", ["refresh"], 0],
    ["one that is not", ["zzqqy"], 1],
    ["case", ["REFRESH TOKEN", "-F"], 1],
    ["case that does not count", ["REFRESH TOKEN", "-i"], 0],
    ["signs as they are", ["-F", "a.b*(c"], 1],
    ["a pattern that begins with a dash", ["--", "-[a-z]"], 0],
    ["a filter that nothing fits", ["refresh", "--title", "no such words"], 1],
    ["no pattern", [], 2],
    ["an empty pattern", [""], 2],
    ["two patterns", ["a", "b"], 2],
    ["a broken pattern", ["(a"], 2],
    ["an unknown flag", ["a", "--colour"], 2],
    ["an unknown role", ["a", "--role", "poem"], 2],
  ])("ends with the right code for %s", async (_, argv, expected) => {
    const { code, out } = await ask(argv);
    expect(code).toBe(expected);
    if (expected !== 0) expect(out).toBe("");
  });

  test("says where a pattern breaks", async () => {
    const { err } = await ask(["one|(two"]);
    expect(err).toContain('Cannot read the pattern "one|(two": this "(" is never closed (character 5)');
  });

  test("names sessions alone, each once", async () => {
    const { out } = await ask(["-l", "refresh"]);
    const ids = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]);
    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("looks into fields only where nothing else matches", async () => {
    const only = await ask(["--json", "87f01b2f-1b5d"]);
    expect(only.code).toBe(0);
    expect(new Set(only.json().hits.map((hit: Json) => hit.role))).toEqual(new Set(["field"]));
    const words = await ask(["--json", "refresh"]);
    expect(words.json().hits.map((hit: Json) => hit.role)).not.toContain("field");
    const asked = await ask(["--json", "--role", "request", "87f01b2f-1b5d"]);
    expect(asked.code).toBe(1);
  });

  test("leaves out what the agent wrote down of its requests, unless all lines are requested", async () => {
    const world = makeWorld();
    makeLogs(world.home, ["hello"]);
    const [name = ""] = readdirSync(join(world.home, ".claude/projects/-x"));
    const records = [
      { type: "attachment", uuid: "s", attachment: { type: "prompt_snapshot", systemPrompt: ["zanzibar"] } },
      { type: "api-request-shape", shape: { tools: [{ name: "Bash", description: "zanzibar" }] } },
      { type: "api-request-blob", message: { role: "user", content: "zanzibar" } },
    ];
    const lines = records.map((line) => `${JSON.stringify(line)}\n`).join("");
    appendFileSync(join(world.home, ".claude/projects/-x", name), lines);
    expect(await run(["grep", "zanzibar"], world)).toBe(1);
    expect(await run(["grep", "zanzibar", "--all-lines", "--json"], world)).toBe(0);
    expect(JSON.parse(world.out()).hits).toMatchObject([2, 3, 4].map((line) => ({ line, role: "snapshot" })));
  });

  test.each<[string, readonly string[]]>([
    ["lines", []],
    ["sessions", ["-l"]],
  ])("stops after so many %s", async (_, argv) => {
    const all = (await ask(["--json", "the", ...argv])).json();
    const some = (await ask(["--json", "--limit", "3", "the", ...argv])).json();
    expect(all.hits.length).toBeGreaterThan(3);
    expect(some.hits).toEqual(all.hits.slice(0, 3));
    expect([all.complete, some.complete]).toEqual([true, false]);
  });

  test.each<[string, readonly string[]]>([
    ["grep", ["cart", "-C1"]],
    ["grep-sessions", ["cart", "-l"]],
  ])("answers as docs/JSON.md says (%s)", async (name, argv) => {
    const world = makeWorld({ nowMs: NOW });
    makeLogHome(world.home, { project: "/work/shop" });
    expect(await run(["grep", "--json", ...argv], world)).toBe(0);
    const json = JSON.stringify(JSON.parse(world.out()), null, 2).replaceAll(world.root, "/root");
    const answer = `${json.replace(/\[\s+\[\s+(\d+),\s+(\d+)\s+\]\s+\]/g, "[[$1, $2]]")}\n`;
    await expect(answer).toMatchFileSnapshot(`./golden/${name}.json`);
  });

  test("ends a pattern that runs away, names the file and goes on", async () => {
    const { home } = makeWorld();
    makeLogs(home, ["aaaa!", `${"a".repeat(60)}!`, "aaa"]);
    const { code, out, err } = await runBundle(["grep", "^(a+)+$", "--time-limit", "3"], { home });
    expect(code).toBe(0);
    expect(out).toContain("000000000002");
    expect(err).toMatch(/000000000001\.jsonl: search stopped: the pattern takes too long on this file/);
  });

  test("ends quietly when the reader stops", async () => {
    const { home } = makeWorld();
    makeLogs(
      home,
      ["a", "b", "c"].map((char) => `${char}x\n`.repeat(20_000)),
    );
    const { code, err } = await runBundle(["grep", "x"], { home, closeOutput: true });
    expect([code, err]).toEqual([0, ""]);
  });
});
