import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CompactionOptions } from "../../src/agents/agent-actions.ts";
import { takeSnapshot } from "../../src/agents/log-snapshot.ts";
import { restoreSessions } from "../../src/archive/restore-sessions.ts";
import { estimateTokens } from "../../src/extract/tokens.ts";
import type { Library } from "../../src/fs/library.ts";
import { openSession } from "../../src/search/open-session.ts";
import { selectSession } from "../../src/search/select-sessions.ts";
import { type CompactAnswer, type CompactOptions, compactSession } from "../../src/shrink/compact-session.ts";
import { secureLog } from "../../src/shrink/rewrite-session.ts";
import { diskThatIsFull, readOnlyDisk } from "../crash/sick-disks.ts";
import { locking, quickLibrary } from "../support/archive/archiving.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";

const rule: CompactionOptions = { auto: false, aggressive: false };

function compact(library: Library, options: Partial<CompactOptions> = {}): Promise<CompactAnswer> {
  return compactSession(library, selectSession(library, [TOOL_SESSION]), { rule, locking, ...options });
}

const calls = [
  ...Array.from({ length: 7 }, () => callOf("Read", 5_000, { file_path: "/home/ana/shop/a.ts" })),
  callOf("Bash", 400, { command: "ls" }),
  callOf("Grep", 3_000, { pattern: "x".repeat(3_000) }),
];

function setUp(
  text: string = toolLog(calls),
  mode = 0o640,
): { library: Library; path: string; text: string } {
  const library = quickLibrary();
  return { library, path: putToolLog(library.environment.home, text, mode), text };
}

const linesOf = (text: string): readonly string[] => text.split("\n");

describe("compactSession(), Claude Code", () => {
  it("shrinks what is both old and large, and nothing else", async () => {
    const { library, path, text } = setUp();
    const answer = await compact(library);
    const after = fs.readFileSync(path, "utf8");
    expect(answer.shrunk.map(({ tool, part }) => `${tool} ${part}`)).toEqual(["Read result", "Read result"]);
    expect(answer).toMatchObject({
      bytesBefore: Buffer.byteLength(text),
      bytesAfter: Buffer.byteLength(after),
      nothing: null,
    });
    const changed = linesOf(after).filter((line, at) => line !== linesOf(text)[at]);
    expect(linesOf(after)).toHaveLength(linesOf(text).length);
    expect(changed).toHaveLength(2);
    for (const line of changed) {
      const value = JSON.parse(line);
      expect(value.message.content[0].content).toBe("[file content compacted]");
      expect(value.toolUseResult).toEqual({ stdout: "[file content compacted]", filenames: ["a", "b"] });
      expect(line).toContain('"odd":12345678901234567890,"one":1.0,"esc":"\\u00e9\\/"');
    }
  });

  it("reports the tokens that show reports", async () => {
    const { library } = setUp();
    const before = estimateTokens(openSession(library, [TOOL_SESSION]).session.characters);
    const answer = await compact(library);
    expect(answer.before).toEqual(before);
    expect(answer.after).toEqual(estimateTokens(openSession(library, [TOOL_SESSION]).session.characters));
    expect(answer.after.total).toBeLessThan(answer.before.total);
  });

  it.each([
    ["--keep 0 takes the newest too", { keep: 0 }, ["Read result ×7", "Grep input ×1", "Grep result ×1"]],
    [
      "--aggressive has lower sizes",
      { keep: 0, aggressive: true },
      ["Read result ×7", "Grep input ×1", "Grep result ×1"],
    ],
    ["--keep 7 leaves all", { keep: 7 }, []],
  ])("%s", async (_, more, expected) => {
    const { library } = setUp();
    const { shrunk, nothing } = await compact(library, { rule: { ...rule, ...more }, dryRun: true });
    const kinds = new Map<string, number>();
    for (const { tool, part } of shrunk)
      kinds.set(`${tool} ${part}`, (kinds.get(`${tool} ${part}`) ?? 0) + 1);
    expect([...kinds].map(([kind, count]) => `${kind} ×${count}`)).toEqual(expected);
    expect(nothing === null).toBe(expected.length > 0);
  });

  it("leaves placeholders that the agent's display knows", async () => {
    const { library, path } = setUp(
      toolLog([
        callOf("Grep", 2_000),
        callOf("Bash", 2_000, { command: "c".repeat(3_000) }),
        callOf("mcp__x__y", 2_000),
      ]),
    );
    await compact(library, { rule: { ...rule, keep: 0 } });
    const lines = linesOf(fs.readFileSync(path, "utf8"))
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const results = lines.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []));
    expect(results.flatMap(({ content }) => content ?? [])).toEqual([
      "No matches found",
      "[output compacted]",
      "[compacted]",
    ]);
    expect(results.find(({ name }) => name === "Bash").input).toEqual({ _compacted: true });
  });

  it("keeps arrays arrays in the copy", async () => {
    const copy = {
      mode: "content",
      numFiles: 99,
      filenames: Array.from({ length: 99 }, (_, n) => `file-${n}.ts`),
      content: "y".repeat(900),
    };
    const { library, path } = setUp(toolLog([{ ...callOf("Grep", 2_000), copy }]));
    await compact(library, { rule: { ...rule, keep: 0 } });
    const line = linesOf(fs.readFileSync(path, "utf8")).find((each) => each.includes("toolUseResult")) ?? "";
    expect(JSON.parse(line).toolUseResult).toEqual({
      mode: "content",
      numFiles: 99,
      filenames: [],
      content: "No matches found",
    });
  });

  it("never takes what the project says of itself, unless it was written later", async () => {
    const guides = ["CLAUDE.md", "README.md", "package.json"].map((name) =>
      callOf("Read", 4_000, { file_path: `/p/${name}` }),
    );
    const written = callOf("Edit", 100, { file_path: "/p/README.md" });
    const { library } = setUp(toolLog([...guides, written]));
    const { shrunk } = await compact(library, { rule: { ...rule, keep: 0 }, dryRun: true });
    expect(shrunk.map(({ toolUseId }) => toolUseId)).toEqual([guides[1]?.id]);
  });

  it("twice is the same as once", async () => {
    const { library, path } = setUp();
    await compact(library);
    const once = fs.readFileSync(path);
    expect(await compact(library)).toMatchObject({
      nothing: "no tool call is both old and large",
      backup: null,
    });
    expect(fs.readFileSync(path).equals(once)).toBe(true);
  });

  it("keeps the mode, and a time that no agent deletes", async () => {
    const { library, path } = setUp();
    await compact(library);
    const stat = fs.statSync(path);
    expect(stat.mode & 0o7777).toBe(0o640);
    expect(Math.floor(stat.mtimeMs)).toBe(library.now() - 24 * 3_600_000);
  });

  it("keeps the time itself where it is not older than a day", async () => {
    const library = quickLibrary();
    const mtimeMs = library.now() - 3_600_123;
    const path = putToolLog(library.environment.home, toolLog(calls), 0o600, mtimeMs);
    await compact(library);
    expect(Math.floor(fs.statSync(path).mtimeMs)).toBe(mtimeMs);
  });

  it("archives first: the old log comes back byte for byte", async () => {
    const { library, path, text } = setUp();
    const { backup, archive } = await compact(library);
    expect(archive).not.toBeNull();
    await restoreSessions(library, [{ agent: "claude", id: TOOL_SESSION, copy: null }], {
      generation: backup ?? 0,
      force: true,
      locking,
    });
    expect(fs.readFileSync(path, "utf8")).toBe(text);
    expect(fs.statSync(path).mode & 0o7777).toBe(0o640);
  });

  it("--bak leaves the old log beside it, and never replaces one", async () => {
    const { library, path, text } = setUp();
    fs.writeFileSync(`${path}.bak`, "somebody's");
    expect((await compact(library, { bak: true })).bak).toBe(`${path}.bak.1`);
    expect(fs.readFileSync(`${path}.bak.1`, "utf8")).toBe(text);
    expect(fs.readFileSync(`${path}.bak`, "utf8")).toBe("somebody's");
  });

  it("--bak takes a copy that a killed run has left for its own", async () => {
    const { library, path, text } = setUp();
    fs.writeFileSync(`${path}.bak`, text);
    expect((await compact(library, { bak: true })).bak).toBe(`${path}.bak`);
    expect(fs.existsSync(`${path}.bak.1`)).toBe(false);
  });

  it("a dry run changes nothing at all", async () => {
    const { library, text, path } = setUp();
    const { shrunk } = await compact(library, { dryRun: true });
    expect(shrunk).toHaveLength(2);
    expect(fs.readFileSync(path, "utf8")).toBe(text);
    expect(fs.existsSync(library.places.home)).toBe(false);
  });
});

describe("compactSession() refuses", () => {
  const refused = async (library: Library, path: string, text: string, force = true): Promise<string> => {
    const error = await compact(library, { force }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "UserError", exitCode: 4 });
    expect(fs.readFileSync(path, "utf8")).toBe(text);
    expect([...filesBelow(library.environment.home).keys()].filter((name) => name.endsWith(".tmp"))).toEqual(
      [],
    );
    return String(error.message);
  };

  it("a log that changed a moment ago, but with --force", async () => {
    const library = quickLibrary();
    const text = toolLog(calls);
    const path = putToolLog(library.environment.home, text, 0o600, library.now() - 3_000);
    expect(await refused(library, path, text, false)).toContain("3 s ago");
    expect((await compact(library, { force: true })).shrunk).toHaveLength(2);
    // What this program has just written is not live.
    expect((await compact(library, { rule: { ...rule, keep: 1 } })).shrunk).toHaveLength(4);
  });

  it("a log that changed less than 10 s ago, and not one that is 10 s old", async () => {
    const library = quickLibrary();
    const text = toolLog(calls);
    const path = putToolLog(library.environment.home, text, 0o600, library.now() - 9_999);
    expect(await refused(library, path, text, false)).toContain("10 s ago");
    fs.utimesSync(path, new Date(), new Date(library.now() - 10_000));
    expect((await compact(library)).shrunk).toHaveLength(2);
  });

  it("a log whose archived bytes differ from those that were read", () => {
    const { library, path } = setUp();
    const { files } = selectSession(library, [TOOL_SESSION]);
    const snapshot = takeSnapshot(library, path);
    snapshot.sha256();
    fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace("Read what there is", "Read what was here"));
    expect(() => secureLog(library, files, snapshot, {})).toThrow("the archived bytes differ from the log");
  });

  it("a log whose time is ahead of the clock, but with --force, and then counts it as ours", async () => {
    const { library, path, text } = setUp();
    const now = library.now();
    fs.utimesSync(path, now / 1000 + 3_600, now / 1000 + 3_600);
    expect(await refused(library, path, text, false)).toMatch(/3600 s ahead of the clock/);
    expect((await compact(library, { force: true })).shrunk).toHaveLength(2);
    expect(Math.abs(fs.statSync(path).mtimeMs - library.now())).toBeLessThan(60_000);
    expect((await compact(library, { rule: { ...rule, keep: 0 } })).shrunk.length).toBeGreaterThan(0);
  });

  it("a log that another process holds open for writing, even with --force", async () => {
    const { library, path, text } = setUp();
    // Seen from another process, this one holds it.
    const handle = fs.openSync(path, "a");
    try {
      const other = { ...locking, processes: { ...locking.processes, pid: 1 } };
      const error = await compact(library, { force: true, locking: other }).catch((thrown) => thrown);
      expect(error).toMatchObject({ exitCode: 4 });
      expect(error.message).toContain(String(process.pid));
    } finally {
      fs.closeSync(handle);
    }
    expect(fs.readFileSync(path, "utf8")).toBe(text);
    expect((await compact(library)).shrunk).toHaveLength(2);
  });

  it("not a log that somebody only reads", async () => {
    const { library, path } = setUp();
    const handle = fs.openSync(path, "r");
    const other = { ...locking, processes: { ...locking.processes, pid: 1 } };
    expect((await compact(library, { locking: other })).shrunk).toHaveLength(2);
    fs.closeSync(handle);
  });

  it("a session that a running agent claims, even with --force", async () => {
    const library = quickLibrary({ running: [4711] });
    const text = toolLog(calls);
    const path = putToolLog(library.environment.home, text);
    const folder = join(library.environment.home, ".claude", "sessions");
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, "4711.json"), JSON.stringify({ pid: 4711, sessionId: TOOL_SESSION }));
    expect(await refused(library, path, text)).toContain("a running agent");
    fs.writeFileSync(join(folder, "4711.json"), JSON.stringify({ pid: 4712, sessionId: TOOL_SESSION }));
    expect((await compact(library)).shrunk).toHaveLength(2);
  });

  it("a full disk: nothing is changed, and the message says it", async () => {
    for (const room of [0, 1_000, 20_000, 36_000, 50_000]) {
      const { library, path, text } = setUp();
      const full = { ...library, disk: diskThatIsFull(library.disk, room) };
      const error = await compact(full).catch((thrown) => thrown);
      if (error.name !== "UserError") continue;
      expect(error.message).toContain("the disk is full");
      expect(fs.readFileSync(path, "utf8")).toBe(text);
      expect(fs.readdirSync(join(path, "..")).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    }
  });

  it("a folder that can't be written: nothing is changed", async () => {
    const { library, path, text } = setUp();
    const disk = readOnlyDisk(library.disk);
    // The store can be written, the folder of the log can't.
    const inStore = (at: string): boolean => at.startsWith(library.places.home) || !at.startsWith("/");
    const mixed = {
      ...library.disk,
      open: (at: string, how: "read" | "create" | "append", mode?: number) =>
        (how === "read" || inStore(at) ? library.disk : disk).open(at, how, mode),
    };
    const error = await compact({ ...library, disk: mixed }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "UserError", exitCode: 5 });
    expect(error.message).toContain("read-only");
    expect(fs.readFileSync(path, "utf8")).toBe(text);
  });
});

describe("compactSession() --fork", () => {
  it("writes a smaller session that reads like the old one, and leaves that alone", async () => {
    const { library, path, text } = setUp();
    let n = 0;
    const uuid = (): string => `aaaaaaaa-0000-4000-8000-${String(++n).padStart(12, "0")}`;
    const before = openSession(library, [TOOL_SESSION]);
    const { fork, resume } = await compact(library, { fork: { uuid } });
    expect(fs.readFileSync(path, "utf8")).toBe(text);
    expect(resume.command).toEqual(["claude", "--resume", fork?.id]);
    const { session } = openSession(library, [fork?.id ?? ""]);
    expect(session.title).toBe(`${before.session.title} (fork)`);
    expect(session.turns.map(({ request }) => request)).toEqual(
      before.session.turns.map(({ request }) => request),
    );
    expect(session.turns[0]?.steps.length).toBe(before.session.turns[0]?.steps.length);
    expect(session.problems).toEqual([]);
    const lines = linesOf(fs.readFileSync(fork?.path ?? "", "utf8"))
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const chain = lines.filter((line) => line.uuid !== undefined);
    expect(chain.every(({ sessionId }) => sessionId === fork?.id)).toBe(true);
    expect(chain[3].forkedFrom).toEqual({ sessionId: TOOL_SESSION, messageUuid: "u-3" });
    expect(chain.slice(1).map(({ parentUuid }) => parentUuid)).toEqual(
      chain.slice(0, -1).map((line) => line.uuid),
    );
    expect(new Set(chain.map((line) => line.uuid)).size).toBe(chain.length);
  });

  it("works for a session that is running", async () => {
    const library = quickLibrary();
    putToolLog(library.environment.home, toolLog(calls), 0o600, library.now());
    const { fork } = await compact(library, { fork: { uuid: () => crypto.randomUUID() } });
    expect(fork).not.toBeNull();
  });

  it("is not made where there is nothing to shrink", async () => {
    const { library } = setUp(toolLog([]));
    const { fork, nothing } = await compact(library, { fork: { uuid: () => crypto.randomUUID() } });
    expect(fork).toBeNull();
    expect(nothing).not.toBeNull();
  });
});
