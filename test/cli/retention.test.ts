import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { claudeFolder, claudeLog } from "../support/archive/log-home.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const DAY_MS = 86_400_000;
const id = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`;

interface Ground {
  readonly world: TestWorld;
  readonly settings: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
  ask(...argv: string[]): Promise<{ code: number; out: string; err: string; json: any; golden: string }>;
}

/** Sessions of these ages in days, in a project folder that exists. */
function ground(ages: readonly number[]): Ground {
  const world = makeWorld({ nowMs: NOW });
  const claude = join(world.home, ".claude");
  for (const [index, age] of ages.entries()) {
    const log = join(claude, "projects", claudeFolder(world.folder), `${id(index + 1)}.jsonl`);
    fs.mkdirSync(join(log, ".."), { recursive: true });
    fs.writeFileSync(log, claudeLog(id(index + 1), world.folder, "Add a cart to the shop"));
    fs.utimesSync(log, (NOW - age * DAY_MS) / 1000, (NOW - age * DAY_MS) / 1000);
  }
  const ask: Ground["ask"] = async (...argv) => {
    const before = { out: world.out().length, err: world.err().length };
    const code = await run(argv, world);
    const out = world.out().slice(before.out);
    const json: unknown = argv.includes("--json") ? JSON.parse(out) : undefined;
    // Sizes depend on how long the path of the temporary folder is.
    const plain = (key: string, value: unknown): unknown => (key === "bytes" ? 0 : value);
    const text = JSON.stringify(json, plain, 2)?.replaceAll(world.root, "/root");
    const golden = `${text?.replaceAll(claudeFolder(world.root), "-root")}\n`;
    return { code, out, err: world.err().slice(before.err), json, golden };
  };
  return { world, settings: join(claude, "settings.json"), ask };
}

describe("sessions retention", () => {
  test("answers as the contract says", async () => {
    const { ask } = ground([40, 29, 3]);
    const { code, json, golden } = await ask("retention", "--json");
    expect(code).toBe(0);
    const [agent] = json.agents;
    expect(Object.keys(agent).slice(0, 7)).toEqual([
      "agent",
      "effectiveDays",
      "from",
      "managed",
      "sweepsAt",
      "atRisk",
      "unprotected",
    ]);
    expect(agent).toMatchObject({ agent: "claude", effectiveDays: 30, from: "default", unprotected: 3 });
    expect(agent.atRisk.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([
      id(1),
      id(2),
      id(3),
    ]);
    expect(agent.atRisk[1]).toMatchObject({
      deletedAfter: new Date(NOW + DAY_MS).toISOString(),
      archived: false,
    });
    await expect(golden).toMatchFileSnapshot("./golden/retention.json");
  });

  test("says what goes when, and what people can do", async () => {
    const { ask } = ground([40, 29]);
    const { out } = await ask("retention");
    expect(out).toContain("Claude Code keeps sessions for 30 days (its default).");
    expect(out).toContain("2 sessions will be deleted within 30 days, none of them archived:");
    expect(out).toMatch(/^00000001 {2}at the next start {2}\w+ +Add a cart/m);
    expect(out).toMatch(/^00000002 {2}after 17 Nov {7}\w+ +Add a cart/m);
    expect(out).toContain("sessions archive keeps every byte of them");
  });

  test("says once what is the same of all sessions, and for each what is not", async () => {
    const { world, ask } = ground([40, 35]);
    expect(await run(["archive", id(1)], world)).toBe(0);
    const { out } = await ask("retention");
    expect(out).toContain(
      "2 sessions will be deleted at the next start of Claude Code, 1 of them not archived:",
    );
    expect(out).toMatch(/^00000002 {2}not archived {2}/m);
    expect(out).toMatch(/^00000001 {2}archived {6}/m);
  });

  test("counts what Gemini CLI deletes, too, for as long as its settings say", async () => {
    const { world, ask } = ground([]);
    const gemini = join(world.home, ".gemini");
    const chats = join(gemini, "tmp", "project", "chats");
    fs.mkdirSync(chats, { recursive: true });
    const log = join(chats, "session-2026-10-18T10-00-00000009.jsonl");
    const lines = [
      { sessionId: id(9), projectHash: "x", startTime: "2026-10-18T10:00:00.000Z", kind: "main" },
      {
        id: "m1",
        type: "user",
        timestamp: "2026-10-18T10:00:00.000Z",
        content: [{ text: "Paint the shed" }],
      },
    ];
    fs.writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    fs.utimesSync(log, (NOW - 29 * DAY_MS) / 1000, (NOW - 29 * DAY_MS) / 1000);
    const of = async (): Promise<unknown> => (await ask("retention", "--json")).json.agents[1];
    expect(await of()).toMatchObject({
      agent: "gemini",
      effectiveDays: 30,
      from: "default",
      atRisk: [{ sessionId: id(9), archived: false }],
    });
    const { out } = await ask("retention");
    expect(out).toContain("Gemini CLI keeps sessions for 30 days (its default).");
    expect(out).toContain("1 session will be deleted within 30 days");
    expect(out).not.toContain("makes Gemini CLI keep them");
    expect((await ask()).out).toContain(
      "1 session of Gemini CLI is not archived, and it deletes it after 17 Nov: sessions archive",
    );
    expect((await ask("--json")).json.unprotected).toBe(1);
    // Its setting is not ours to change.
    expect((await ask("retention", "forever")).code).toBe(0);
    const settings = join(gemini, "settings.json");
    expect(fs.existsSync(settings)).toBe(false);
    for (const [sessionRetention, days, risks] of [
      [{ maxAge: "2w" }, 14, 1],
      [{ maxAge: "90d" }, 90, 0],
      [{ enabled: false }, 99_999, 0],
    ] as const) {
      fs.writeFileSync(settings, JSON.stringify({ general: { sessionRetention } }));
      expect(await of()).toMatchObject({ effectiveDays: days, from: settings });
      expect((await ask("retention", "--json")).json.agents[1].atRisk).toHaveLength(risks);
    }
  });

  test("knows what is archived as it is, and what was written since", async () => {
    const { world, ask } = ground([40, 29]);
    await ask("archive");
    expect((await ask("retention", "--json")).json.agents[0]).toMatchObject({
      unprotected: 0,
      notArchived: 0,
    });
    const log = join(world.home, ".claude", "projects", claudeFolder(world.folder), `${id(2)}.jsonl`);
    fs.appendFileSync(
      log,
      `${JSON.stringify({ type: "custom-title", customTitle: "Cart", sessionId: id(2) })}\n`,
    );
    fs.utimesSync(log, (NOW - 20 * DAY_MS) / 1000, (NOW - 20 * DAY_MS) / 1000);
    const [agent] = (await ask("retention", "--json")).json.agents;
    expect(agent).toMatchObject({ unprotected: 1, atRisk: [{ archived: true }, { archived: false }] });
  });

  test("forever, set and reset write the user's settings, and say so", async () => {
    const { settings, ask } = ground([29]);
    fs.writeFileSync(settings, '{\n  "model": "opus"\n}\n');
    const dry = await ask("retention", "forever", "--dry-run", "--json");
    expect(dry.json.files).toMatchObject([{ path: settings, action: "changed" }]);
    expect(dry.json.files[0].diff).toContain('+  "cleanupPeriodDays": 99999\n');
    expect(fs.readFileSync(settings, "utf8")).not.toContain("cleanup");
    const { json, code, golden } = await ask("retention", "forever", "--json");
    expect(code).toBe(0);
    expect(json.agents[0]).toMatchObject({
      effectiveDays: 99999,
      from: settings,
      atRisk: [],
      unprotected: 0,
    });
    await expect(golden).toMatchFileSnapshot("./golden/retention-forever.json");
    const { out } = await ask("retention", "set", "60");
    expect(out).toContain("changed  ~/.claude/settings.json\n");
    expect(out).toContain("for 60 days (~/.claude/settings.json)");
    expect((await ask("retention", "reset")).out).toContain("for 30 days (its default)");
    expect(fs.readFileSync(settings, "utf8")).toBe('{\n  "model": "opus"\n}\n');
  });

  test.each([
    ["0", "0 is an error to Claude Code since 2.1.89"],
    ["-3", '"-3" is not a whole number'],
    ["1.5", '"1.5" is not a whole number'],
    ["soon", '"soon" is not a whole number'],
    ["", '"" is not a whole number'],
  ])("refuses %j days with the reason", async (days, reason) => {
    const { settings, ask } = ground([1]);
    const { code, err } = await ask("retention", "set", ...(days.startsWith("-") ? ["--", days] : [days]));
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
    expect(fs.existsSync(settings)).toBe(false);
  });

  test("says which file is stronger than what was set, with exit code 3", async () => {
    const { world, ask } = ground([20]);
    fs.mkdirSync(world.managedFolder);
    fs.writeFileSync(join(world.managedFolder, "managed-settings.json"), '{"cleanupPeriodDays":14}');
    const { code, out } = await ask("retention", "forever");
    expect(code).toBe(3);
    expect(out).toMatch(/for 14 days \(.*managed-settings\.json, set by an administrator\)/);
    expect(out).toContain("at the next start");
  });

  test("finds other projects whose settings sweep everything", async () => {
    const { world, ask } = ground([20]);
    fs.mkdirSync(join(world.folder, ".claude"));
    fs.writeFileSync(join(world.folder, ".claude", "settings.json"), '{"cleanupPeriodDays":3}');
    const elsewhere = { ...world, folder: world.home };
    await run(["retention", "forever", "--json"], elsewhere);
    const [agent] = JSON.parse(world.out()).agents;
    expect(agent.effectiveDays).toBe(99999);
    expect(agent.earlierSweeps).toEqual([
      { project: world.folder, days: 3, from: join(world.folder, ".claude", "settings.json") },
    ]);
    expect((await ask("retention", "--json")).json.agents[0]).toMatchObject({
      effectiveDays: 3,
      layer: "project",
    });
    const given = await ask("retention", "--settings", '{"cleanupPeriodDays":9}', "--json");
    expect(given.json.agents[0]).toMatchObject({
      effectiveDays: 9,
      layer: "command-line",
      from: "--settings",
    });
  });

  test("a settings file that does not parse is named with its place, and left alone", async () => {
    const { settings, ask } = ground([40]);
    fs.writeFileSync(settings, '{\n  "a": 1\n  "b": 2\n}\n');
    const { json } = await ask("retention", "--json");
    expect(json.agents[0]).toMatchObject({
      atRisk: [],
      paused: { reason: "settings_unknowable", place: `${settings}:3:3` },
    });
    const { code, err } = await ask("retention", "forever");
    expect({ code, err }).toMatchObject({
      code: 5,
      err: expect.stringContaining(`${settings}:3:3: "," is missing`),
    });
    expect(fs.readFileSync(settings, "utf8")).toBe('{\n  "a": 1\n  "b": 2\n}\n');
  });
});

describe("sessions alone", () => {
  test("warns as long as something at risk is not archived", async () => {
    const { ask } = ground([29, 28]);
    const warning =
      "2 sessions of Claude Code are not archived, and it deletes the first of them after 17 Nov: sessions archive";
    expect((await ask()).out).toContain(warning);
    const { json, golden } = await ask("--json");
    expect(json.unprotected).toBe(2);
    await expect(golden).toMatchFileSnapshot("./golden/overview.json");
    await ask("archive");
    expect((await ask()).out).not.toContain("not archived");
    expect((await ask("--json")).json.unprotected).toBe(0);
  });
});
