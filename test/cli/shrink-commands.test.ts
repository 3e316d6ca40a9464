import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld, type TestWorld } from "../support/make-world.ts";
import { putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const LONG = `zanzibar\n${"filler text\n".repeat(300)}`;
const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(200) },
};
const LOG = toolLog([
  { id: "toolu_a", tool: "Bash", input: { command: "make" }, result: LONG, copy: { stdout: LONG } },
  {
    id: "toolu_b",
    tool: "Write",
    input: { file_path: "/home/ana/shop/quokka.ts", content: "y ".repeat(2_000) },
    result: "ok",
  },
  { id: "toolu_c", tool: "mcp__shot", input: {}, result: [image] },
]);

interface Ground {
  readonly world: TestWorld;
  readonly path: string;
  ask(...argv: readonly string[]): Promise<Asked>;
}

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
  readonly json: any;
  readonly golden: string;
}

function ground(options: MakeWorldOptions = {}): Ground {
  const world = makeWorld({ nowMs: NOW, ...options });
  const path = putToolLog(world.home, LOG);
  return {
    world,
    path,
    async ask(...argv) {
      const before = { out: world.out().length, err: world.err().length };
      const code = await run(argv, world);
      const out = world.out().slice(before.out);
      const json: unknown = argv.includes("--json") ? JSON.parse(out) : undefined;
      const golden = `${JSON.stringify(json, undefined, 2)?.replaceAll(world.root, "/root")}\n`;
      return { code, out, err: world.err().slice(before.err), json, golden };
    },
  };
}

const golden = (name: string): string => `./golden/${name}.json`;

describe("sessions compact", () => {
  test("answers as the contract says", async () => {
    const { ask } = ground();
    const { code, json, golden: text } = await ask("compact", TOOL_SESSION, "--keep", "0", "--json");
    expect(code).toBe(0);
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining([
        "schemaVersion",
        "sessionId",
        "agent",
        "dryRun",
        "before",
        "after",
        "shrunk",
        "bytesBefore",
        "bytesAfter",
        "archive",
        "backup",
      ]),
    );
    expect(Object.keys(json.before)).toEqual([
      "toolResults",
      "toolInputs",
      "assistantText",
      "userText",
      "total",
    ]);
    await expect(text).toMatchFileSnapshot(golden("compact"));
  });

  test("prints the table, and how to go on", async () => {
    const { ask } = ground();
    const { out } = await ask("compact", TOOL_SESSION, "--keep", "0");
    expect(out).toMatch(
      /^## Session Compacted\n\n\| Category \| Before \| After \|\n\|----------\|-------:\|------:\|\n\| Tool Results \| [\d,]+ \(\d+%\) \| [\d,]+ \(\d+%\) \|\n\| Tool Inputs .*\n\| Assistant Text .*\n\| User Text .*\n\| \*\*Total\*\* \| \*\*[\d,]+\*\* \| \*\*[\d,]+\*\* \|\n/,
    );
    expect(out).toContain(`cd /home/ana/shop && claude --resume ${TOOL_SESSION}`);
    expect(out).toContain("--generation 1");
  });

  test("says what the agent loads if a compaction was before", async () => {
    const { ask, path } = ground();
    expect((await ask("compact", path, "--keep", "0", "--dry-run")).out).not.toContain("The agent loads");
    const common = { sessionId: TOOL_SESSION, timestamp: "2026-10-20T10:00:00.000Z", isSidechain: false };
    const boundary = { ...common, type: "system", subtype: "compact_boundary", uuid: "b1", parentUuid: null };
    const content = "This session is being continued from a previous conversation: it was about quokkas.";
    const summary = { ...common, type: "user", uuid: "b2", parentUuid: "b1", isCompactSummary: true };
    fs.appendFileSync(path, `${JSON.stringify(boundary)}\n`);
    fs.appendFileSync(path, `${JSON.stringify({ ...summary, message: { role: "user", content } })}\n`);
    const { json } = await ask("compact", path, "--keep", "0", "--dry-run", "--json");
    expect(json.context).toEqual({
      before: Math.floor(content.length / 4),
      after: Math.floor(content.length / 4),
    });
    expect(json.before.total).toBeGreaterThan(2_000);
    expect((await ask("compact", path, "--keep", "0", "--dry-run")).out).toContain(
      `The agent loads about ${json.context.before} of these tokens, and ${json.context.after} afterwards.`,
    );
  });

  test("--dry changes nothing, -n is the same", async () => {
    const { ask, path } = ground();
    expect((await ask("compact", TOOL_SESSION, "--dry", "--keep", "0")).out).toContain("(dry run)");
    expect((await ask("compact", TOOL_SESSION, "-n", "-a", "--keep", "0")).out).toContain(
      "Nothing was changed",
    );
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
  });

  test("--reconnect runs the agent's command afterwards, --no-reconnect does not", async () => {
    const { ask, world } = ground({ programs: { claude: 7 } });
    expect((await ask("compact", TOOL_SESSION, "--keep", "0", "--no-reconnect")).code).toBe(0);
    expect(world.runs).toEqual([]);
    expect((await ask("compact", TOOL_SESSION, "--keep", "0", "--reconnect")).code).toBe(7);
    expect(world.runs).toMatchObject([{ program: "claude", args: ["--resume", TOOL_SESSION] }]);
  });

  test("--when-idle starts a process that does it later, with the same wishes", async () => {
    const { world, path } = ground();
    const started: (readonly string[])[] = [];
    const code = await run(["compact", TOOL_SESSION, "--keep", "0", "-a", "--when-idle"], {
      ...world,
      startDetached: async (args) => started.push(args) > 0,
    });
    expect(code).toBe(0);
    expect(started).toEqual([
      [
        "compact",
        expect.stringContaining(`${TOOL_SESSION}.jsonl`),
        "--aggressive",
        "--keep",
        "0",
        "--wait-idle",
      ],
    ]);
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    expect(await run(started[0] ?? [], world)).toBe(0);
    expect(fs.statSync(path).size).toBeLessThan(LOG.length);
  });

  test("--when-idle says if no process could be started", async () => {
    const { world, path } = ground();
    const startDetached = async (): Promise<boolean> => false;
    const code = await run(["compact", TOOL_SESSION, "--when-idle"], { ...world, startDetached });
    expect([code, world.out()]).toEqual([4, ""]);
    expect(world.err()).toContain("no background process could be started");
    expect(world.err()).toContain("run it again when the session has ended");
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
  });

  test.each([
    ["compact", "--dry-run"],
    ["compact", "--fork"],
    ["compact", "--reconnect"],
    ["flatten", "--dry-run"],
    ["flatten", "--fork"],
  ])("%s --when-idle with %s is refused: the process would not follow it", async (command, flag) => {
    const { world } = ground();
    const started: (readonly string[])[] = [];
    const startDetached = async (args: readonly string[]): Promise<boolean> => started.push(args) > 0;
    const code = await run([command, TOOL_SESSION, "--when-idle", flag], { ...world, startDetached });
    expect([code, started]).toEqual([2, []]);
    expect(world.err()).toContain(`Cannot use ${flag} and --when-idle together`);
  });

  test("a live session is refused with exit code 4", async () => {
    const { ask, world } = ground();
    putToolLog(world.home, LOG, 0o600, NOW - 2_000);
    const { code, err } = await ask("compact", TOOL_SESSION);
    expect(code).toBe(4);
    expect(err).toContain("--fork");
  });
});

describe("sessions flatten, retrieve, unflatten", () => {
  test("answer as the contract says, and give everything back", async () => {
    const { ask, path } = ground();
    const flat = await ask("flatten", TOOL_SESSION, "--json");
    expect(Object.keys(flat.json.sessions[0])).toEqual(
      expect.arrayContaining([
        "sessionId",
        "dryRun",
        "blocks",
        "diskBytesSaved",
        "contextTokensSaved",
        "contextTokensTotal",
        "sidecar",
      ]),
    );
    await expect(flat.golden).toMatchFileSnapshot(golden("flatten"));
    const back = await ask("retrieve", TOOL_SESSION, "toolu_a", "--json");
    expect(back.json.blocks[0].text).toBe(LONG);
    await expect(back.golden).toMatchFileSnapshot(golden("retrieve"));
    expect((await ask("retrieve", TOOL_SESSION, "toolu_a")).out).toBe(LONG);
    await expect((await ask("unflatten", TOOL_SESSION, "--json")).golden).toMatchFileSnapshot(
      golden("unflatten"),
    );
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
  });

  test("a keyword rewrites nothing, unless all that match are meant", async () => {
    const { ask, path } = ground();
    expect((await ask("flatten", "what there is")).code).toBe(1);
    expect(fs.readFileSync(path, "utf8")).toBe(LOG);
    expect((await ask("flatten", "no such words", "--all-matching")).code).toBe(1);
    expect((await ask("flatten", "what THERE is", "--all-matching", "--json")).json.sessions).toMatchObject([
      { sessionId: TOOL_SESSION, blocks: 2 },
    ]);
  });

  test("an image goes to a file", async () => {
    const { ask, world } = ground();
    await ask("flatten", TOOL_SESSION);
    expect((await ask("retrieve", TOOL_SESSION, "toolu_c")).code).toBe(2);
    expect((await ask("retrieve", TOOL_SESSION, "toolu_c", "-o", "shot.png")).code).toBe(0);
    const bytes = fs.readFileSync(`${world.folder}/shot.png`);
    expect(bytes.equals(Buffer.from(image.source.data, "base64"))).toBe(true);
    expect((await ask("retrieve", TOOL_SESSION, "toolu_nothing")).code).toBe(1);
  });
});

describe("a sidecar that is damaged, gone or still needed", () => {
  const sidecarOf = ({ world }: Ground): string => `${world.home}/.sessions/flat/claude/${TOOL_SESSION}.flat`;
  const damage = (path: string, at: number): void => {
    const handle = fs.openSync(path, "r+");
    // Deno ignores the position of a string.
    fs.writeSync(handle, Buffer.from("XXXXXXXX"), 0, 8, at);
    fs.closeSync(handle);
  };

  test("unflatten uses what is readable and the archive, and ends with exit code 3", async () => {
    const made = ground();
    await made.ask("flatten", TOOL_SESSION);
    damage(sidecarOf(made), 10);
    const { code, json, err } = await made.ask("unflatten", TOOL_SESSION, "--json");
    expect([code, json.sessions[0].blocks, json.sessions[0].fromArchive]).toEqual([3, 2, 0]);
    expect(json.problems[0].what).toContain("damaged");
    expect(err).toBe("");
    expect(fs.readFileSync(made.path, "utf8")).toBe(LOG);
  });

  test("without a sidecar and an archive unflatten says what stays, with exit code 3", async () => {
    const made = ground();
    await made.ask("flatten", TOOL_SESSION);
    fs.rmSync(sidecarOf(made));
    fs.rmSync(`${made.world.home}/.sessions/raw`, { recursive: true });
    const { code, out, err } = await made.ask("unflatten", TOOL_SESSION);
    expect([code, out.includes("it is not flattened")]).toEqual([3, false]);
    expect(err).toContain("markers remain: neither the sidecar nor the archive has their results");
    expect((await made.ask("retrieve", TOOL_SESSION, "toolu_b")).code).toBe(0);
    expect((await made.ask("retrieve", TOOL_SESSION, "toolu_c")).code).toBe(1);
  });

  test("a sidecar that is nothing of the kind is reported, with exit code 5, if the archive is gone, too", async () => {
    const made = ground();
    await made.ask("flatten", TOOL_SESSION);
    fs.writeFileSync(sidecarOf(made), "x");
    fs.rmSync(`${made.world.home}/.sessions/raw`, { recursive: true });
    for (const command of ["unflatten", "flatten"]) {
      const { code, err } = await made.ask(command, TOOL_SESSION);
      expect([command, code]).toEqual([command, 5]);
      expect(err).toContain("is damaged");
    }
  });

  test("verify and doctor name it, each with its fix", async () => {
    const made = ground();
    await made.ask("flatten", TOOL_SESSION);
    await made.ask("archive");
    expect((await made.ask("verify", "--json")).json.sidecars).toMatchObject({ sidecars: 1, findings: [] });
    damage(sidecarOf(made), fs.statSync(sidecarOf(made)).size - 40);
    const verified = await made.ask("verify", "--json");
    const finding = {
      sessionId: TOOL_SESSION,
      file: sidecarOf(made),
      fix: expect.stringContaining("unflatten"),
    };
    expect([verified.code, verified.json.sidecars.findings]).toMatchObject([3, [finding]]);
    expect((await made.ask("verify")).out).toContain(`fix: sessions unflatten ${TOOL_SESSION}`);
    const { json } = await made.ask("doctor", "--json");
    expect(json.checks).toContainEqual(
      expect.objectContaining({
        name: "sidecars",
        state: "problem",
        fix: expect.stringContaining("unflatten"),
      }),
    );
    fs.rmSync(sidecarOf(made));
    fs.rmSync(`${made.world.home}/.sessions/raw`, { recursive: true });
    const lost = await made.ask("verify", "--json");
    expect([lost.code, lost.json.sidecars.findings]).toMatchObject([3, [{ file: made.path }]]);
  });

  test("forget names the logs that still have its markers", async () => {
    const made = ground();
    await made.ask("flatten", TOOL_SESSION);
    const { json } = await made.ask("forget", TOOL_SESSION, "--yes", "--json");
    expect(json.flattenedLogs).toEqual([{ file: made.path, markers: 3 }]);
    expect(fs.existsSync(sidecarOf(made))).toBe(false);
    await made.ask("forget", TOOL_SESSION, "--undo");
    expect((await made.ask("forget", TOOL_SESSION, "--yes")).out).toContain("still has 3 markers");
    await made.ask("forget", TOOL_SESSION, "--undo");
    expect((await made.ask("unflatten", TOOL_SESSION)).code).toBe(0);
    expect(fs.readFileSync(made.path, "utf8")).toBe(LOG);
  });
});

describe("sessions search", () => {
  test.each([
    ["compact", "--keep", "0"],
    ["flatten", "--min-size", "1024"],
  ])("finds what %s took out of the log, in the context compacted", async (...argv) => {
    const { ask, path } = ground();
    const [command, ...flags] = argv;
    expect((await ask("search", "zanzibar", "--json")).json.hits).toHaveLength(1);
    await ask(command, TOOL_SESSION, ...flags);
    expect(fs.readFileSync(path, "utf8")).not.toContain("zanzibar");
    const { json } = await ask("search", "zanzibar", "--json");
    expect(json).toMatchObject({ total: 1, hits: [{ sessionId: TOOL_SESSION }] });
    expect((await ask("search", "zanzibar", "in:compacted", "--json")).json.total).toBe(1);
    expect((await ask("search", "zanzibar", "in:current", "--json")).json.total).toBe(0);
    expect((await ask("files", "quokka.ts", "--json")).code).toBe(0);
    expect((await ask("grep", "zanzibar", "--json")).code).toBe(0);
  });
});
