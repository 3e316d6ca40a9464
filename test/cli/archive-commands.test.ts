import fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import type { World } from "../../src/cli/world.ts";
import { tempPathFor } from "../../src/fs/replace-file.ts";
import { intercept } from "../crash/intercept.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { type LogHome, makeLogHome, standing } from "../support/archive/log-home.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { type MakeWorldOptions, makeWorld, type TestWorld } from "../support/make-world.ts";
import { makeOpencodeDatabase } from "../support/opencode-database.ts";
import { loadSqlite } from "../support/sqlite.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const DAY_MS = 86_400_000;

interface Ground {
  readonly world: TestWorld;
  readonly made: LogHome;
  /** What a command line prints, and its exit code. */
  ask(argv: readonly string[], changes?: Partial<World>): Promise<Asked>;
}

interface Asked {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
  readonly json: any;
  /** The answer with what differs from run to run replaced. */
  readonly golden: string;
}

function ground(options: MakeWorldOptions = {}): Ground {
  const world = makeWorld({ nowMs: NOW, ...options });
  const made = makeLogHome(world.home, { project: "/work/shop" });
  const ask = async (argv: readonly string[], changes: Partial<World> = {}): Promise<Asked> => {
    const before = { out: world.out().length, err: world.err().length };
    const code = await run(argv, { ...world, ...changes });
    const out = world.out().slice(before.out);
    const json: unknown = argv.includes("--json") ? JSON.parse(out) : undefined;
    return { code, out, err: world.err().slice(before.err), json, golden: toGolden(json, world.root) };
  };
  return { world, made, ask };
}

/** Compressed sizes differ between runtimes, folders between runs. */
function toGolden(json: unknown, root: string): string {
  const plain = (key: string, value: unknown): unknown => (key === "storedBytes" ? 0 : value);
  return `${JSON.stringify(json, plain, 2)?.replaceAll(root, "/root")}\n`;
}

const golden = (name: string): string => `./golden/${name}.json`;

/** stdin of a person at a terminal who types this. */
const terminal = (line: string): Partial<World> => ({
  stdin: {
    isTerminal: true,
    readText: async () => line,
    async *lines() {
      yield line;
    },
  },
});

describe("sessions archive", () => {
  test("removes temp files that killed processes left beside logs", async () => {
    const { ask, made } = ground();
    const left = tempPathFor(join(dirname(made.files[0]?.path ?? ""), "x"));
    fs.writeFileSync(left, "half of it");
    fs.utimesSync(left, (NOW - DAY_MS) / 1000, (NOW - DAY_MS) / 1000);
    expect((await ask(["archive"])).code).toBe(0);
    expect(fs.existsSync(left)).toBe(false);
  });

  test("answers as the contract says", async () => {
    const { ask } = ground();
    const { code, json, golden: text } = await ask(["archive", "--json"]);
    expect(code).toBe(0);
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining(["schemaVersion", "archived", "unchanged", "problems"]),
    );
    expect(Object.keys(json.archived[0]).slice(0, 7)).toEqual([
      "sessionId",
      "agent",
      "markdown",
      "raw",
      "bytes",
      "sha256",
      "generation",
    ]);
    for (const { markdown, raw } of json.archived) {
      expect(fs.readFileSync(markdown, "utf8")).toMatch(/^---\n/);
      expect(fs.statSync(raw).isDirectory()).toBe(true);
    }
    await expect(text).toMatchFileSnapshot(golden("archive"));
    const again = await ask(["archive", "--json"]);
    expect(again.json).toMatchObject({ archived: [], unchanged: 4, problems: [] });
  });

  test("says how many and how much to people", async () => {
    const { made, ask } = ground();
    const { code, out, err } = await ask(["archive"]);
    expect(code).toBe(0);
    expect(out).toContain("4 sessions archived.\n");
    // A share of more than all says nothing.
    expect(out).toMatch(/The archive holds 4 sessions: \S+ KB of logs in \S+ KB\.\n/);
    expect(out).toContain(
      `${made.ids.claude.slice(0, 8)}  ~/.sessions/archive/claude/shop/2026-10-20_The-cart_`,
    );
    expect(err).toBe("");
    expect((await ask(["archive"])).out).toContain("Nothing new to archive, 4 unchanged.");
  });

  test("archives what is named", async () => {
    const { made, ask } = ground();
    const { json } = await ask(["archive", made.ids.pi.slice(0, 10), "--json"]);
    expect(json.archived).toMatchObject([{ sessionId: made.ids.pi }]);
    expect(json.total.sessions).toBe(1);
    expect((await ask(["archive", "no-such-session"])).code).toBe(1);
  });

  test("masks secrets in the copies, and keeps them in the bytes", async () => {
    const { world, made, ask } = ground();
    const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA2c4E"}`;
    const log = made.files[0]?.path ?? "";
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace("Add a cart", `Use ${secret} for a cart`));
    const { json } = await ask(["archive", made.ids.claude, "--json"]);
    const text = fs.readFileSync(json.archived[0].markdown, "utf8");
    expect(text).toContain("for a cart");
    expect(text).not.toContain(secret);
    for (const { path } of made.files.slice(0, 7)) fs.rmSync(path);
    await ask(["restore", made.ids.claude]);
    expect(fs.readFileSync(log, "utf8")).toContain(secret);
    for (const [name, bytes] of filesBelow(world.variables.SESSIONS_HOME ?? "")) {
      expect(bytes.includes(secret), name).toBe(false);
    }
  });

  test("says what is wrong, and goes on", async () => {
    const { world, made, ask } = ground();
    await ask(["archive"]);
    const record = join(world.variables.SESSIONS_HOME ?? "", "raw", "pi", made.ids.pi, "1", "manifest.json");
    fs.rmSync(record);
    fs.writeFileSync(record, "rubbish");
    const { code, err } = await ask(["archive"]);
    expect(code).toBe(3);
    expect(err).toContain(made.ids.pi);
    expect((await ask(["archive", "--json"])).json.problems).toEqual([]);
  });
});

describe("sessions restore", () => {
  test("brings a deleted session back", async () => {
    const { made, ask } = ground();
    await ask(["archive"]);
    for (const { path } of made.files) fs.rmSync(path);
    const { code, golden: text } = await ask(["restore", made.ids.claude, "--json"]);
    expect(code).toBe(0);
    await expect(text).toMatchFileSnapshot(golden("restore"));
    expect(standing(made.files.slice(0, 7))).toEqual(made.files.slice(0, 7));
    const { out } = await ask(["restore", "--all"]);
    expect(out).toContain("3 sessions restored, 1 already exist.");
    expect(out).toContain(`cd /work/shop && pi --session`);
    expect(standing(made.files)).toEqual(made.files);
  });

  test("warns of the sweep by age", async () => {
    const { made, ask } = ground();
    await ask(["archive"]);
    fs.rmSync(made.files[0]?.path ?? "");
    const later = { now: () => NOW + 60 * DAY_MS };
    expect((await ask(["restore", made.ids.claude, "-n"], later)).out).toContain("--touch");
    expect((await ask(["restore", made.ids.claude, "--touch"], later)).out).not.toContain("--touch");
  });

  test("refuses to write over other content with exit code 4, and says how", async () => {
    const { made, ask } = ground();
    await ask(["archive"]);
    fs.writeFileSync(made.files[0]?.path ?? "", "other content\n");
    const { code, out } = await ask(["restore", made.ids.claude]);
    expect(code).toBe(4);
    expect(out).toContain("--force archives that and replaces it");
    expect(out).toContain("1 refused");
    const forced = await ask(["restore", made.ids.claude, "--force"]);
    expect(forced.code).toBe(0);
    expect(forced.out).toContain("the replaced file is generation 2 in the archive");
  });

  test("says what changed on the way into another project", async () => {
    const { world, made, ask } = ground();
    await ask(["archive"]);
    const { code, out } = await ask(["restore", made.ids.claude, "--into", "."]);
    expect(code).toBe(0);
    expect(out).toContain(`lines changed: /work/shop → ${world.folder}`);
  });

  test("has opencode take its session in, and says what to run if it can't", async () => {
    const { world, ask } = ground();
    const id = "ses_e1126a558ffed8tKLYO7Qhg2Kx";
    const path = join(world.home, ".local", "share", "opencode", "opencode.db");
    const database = makeOpencodeDatabase(await loadSqlite());
    database.session(id);
    database.turn(id, 1, "Add a price", "It has one.");
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, database.bytes());
    await ask(["archive"]);
    for (const command of ["compact", "flatten"])
      expect((await ask([command, id])).err).toContain("only read");
    database.sql.run("delete from session");
    fs.writeFileSync(path, database.bytes());
    const ran: string[] = [];
    const programs = (exitCode: number | undefined, errors = "", after = (): void => {}): Partial<World> => ({
      run: async (program, args, options) => {
        ran.push(`${program} ${args.join(" ")} quiet: ${options?.quiet}`);
        after();
        if (exitCode !== undefined) options?.takeErrors?.(errors);
        return exitCode;
      },
    });
    const file = join(world.home, ".sessions", "cache", "imports", "opencode", `${id}.json`);
    const byHand = `cd /home/cy/shop && opencode import ${file}`;
    const absent = await ask(["restore", id], programs(undefined));
    expect(absent.code).toBe(3);
    expect(absent.out).toContain(
      `opencode did not import it (there is no program opencode); to do that by hand: ${byHand}`,
    );
    // An exit code says little: the database has it, or not.
    for (const exitCode of [0, 1]) {
      const errors = "Importing\n\u001b[31mno: password=hunter2secret99\u001b[0m\n\n";
      const failed = await ask(["restore", id], programs(exitCode, errors));
      expect(failed.code).toBe(3);
      expect(failed.out).toContain("no sessions restored, 1 not taken in.");
      expect(failed.out).toContain("opencode did not import it (no: password=");
      expect(failed.out).not.toContain("hunter2secret99");
      const { json } = await ask(["restore", id, "--json"], programs(exitCode, errors));
      expect(json.sessions).toMatchObject([
        { outcome: "failed", imports: [{ failed: true, error: expect.stringMatching(/^no: /) }] },
      ]);
      expect(fs.existsSync(file)).toBe(true);
    }
    ran.length = 0;
    const back = (): void => fs.writeFileSync(path, database.bytes());
    const imported = (): void => {
      database.session(id);
      back();
    };
    const taken = await ask(["restore", id, "--json"], programs(0, "", imported));
    expect(taken.code).toBe(0);
    expect(taken.json.sessions).toMatchObject([
      { outcome: "restored", imports: [{ command: `opencode import ${file}`, failed: false, error: null }] },
    ]);
    expect(fs.existsSync(file)).toBe(false);
    expect(ran).toEqual([`opencode import ${file} quiet: true`]);
    await ask(["restore", id, "--dry-run"], programs(0));
    expect(ran).toHaveLength(1);
  });

  test.each([
    [["restore"], 2],
    [["restore", "--all", "x"], 2],
    [["restore", "no-such-session"], 1],
    [["restore", "5f0c3c1e", "--generation", "9"], 3],
    [["restore", "5f0c3c1e", "--into", "/no/such/folder"], 2],
  ])("ends %j with %i", async (argv, expected) => {
    const { ask } = ground();
    await ask(["archive"]);
    expect((await ask(argv)).code).toBe(expected);
  });
});

describe("sessions verify", () => {
  test("proves a sound archive", async () => {
    const { ask } = ground();
    await ask(["archive"]);
    const { code, golden: text } = await ask(["verify", "--json"]);
    expect(code).toBe(0);
    await expect(text).toMatchFileSnapshot(golden("verify"));
    const { out } = await ask(["verify"]);
    expect(out).toMatch(/^4 sessions, 4 generations, 10 files: \S+ KB verified\.\n/);
  });

  test("names what is damaged with exit code 3", async () => {
    const { world, made, ask } = ground();
    await ask(["archive"]);
    const raw = join(world.variables.SESSIONS_HOME ?? "", "raw");
    const chunk = [...filesBelow(raw).keys()].find((name) => /^codex\/.*\.br$/.test(name)) ?? "";
    fs.rmSync(join(raw, chunk));
    const { code, golden: text } = await ask(["verify", "--json"]);
    expect(code).toBe(3);
    await expect(text).toMatchFileSnapshot(golden("verify-damaged"));
    const { out } = await ask(["verify", made.ids.codex]);
    expect(out).toContain("its chunk file is missing; 0 B of");
    expect(out).toContain("`sessions archive --check` repairs");
    expect((await ask(["archive", "--check"])).out).toContain("1 damaged part repaired");
    expect((await ask(["verify"])).code).toBe(0);
  });
});

describe("sessions forget", () => {
  test("forgets and undoes", async () => {
    const { made, ask } = ground();
    await ask(["archive"]);
    const { code, golden: text } = await ask(["forget", made.ids.claude, "--yes", "--json"]);
    expect(code).toBe(0);
    await expect(text).toMatchFileSnapshot(golden("forget"));
    expect((await ask(["show", made.ids.claude])).code).toBe(1);
    expect((await ask(["archive", "--json"])).json).toMatchObject({
      archived: [],
      forgotten: [{ sessionId: made.ids.claude }],
    });
    const undone = await ask(["forget", made.ids.claude.slice(0, 6), "--undo", "--json"]);
    expect(undone.code).toBe(0);
    await expect(undone.golden).toMatchFileSnapshot(golden("forget-undo"));
    expect((await ask(["show", made.ids.claude])).code).toBe(0);
    expect(standing(made.files)).toEqual(made.files);
  });

  test.each([
    ["its id", (made: LogHome) => made.ids.claude],
    ["the beginning of its id", (made: LogHome) => made.ids.claude.slice(0, 8)],
    ["its log", (made: LogHome) => made.files[0]?.path ?? ""],
  ])("completes what a killed run began, by %s", async (_, name) => {
    const { made, ask, world } = ground();
    await ask(["archive"]);
    const raw = join(world.home, ".sessions", "raw", "claude", made.ids.claude);
    // Hidden, but not yet taken away.
    const disk = intercept(quickDisk, (call, go) => {
      if (call.name === "rename" && call.path === raw) throw new Error("killed");
      return go();
    });
    expect((await ask(["forget", name(made), "--yes"], { disk })).code).toBe(70);
    expect(fs.existsSync(raw)).toBe(true);
    expect((await ask(["forget", name(made), "--yes", "--json"])).code).toBe(0);
    expect(fs.existsSync(raw)).toBe(false);
    expect((await ask(["forget", made.ids.claude, "--undo"])).code).toBe(0);
    expect((await ask(["show", made.ids.claude])).code).toBe(0);
  });

  test.each([
    ["its id", (made: LogHome) => made.ids.claude],
    ["the beginning of its id", (made: LogHome) => made.ids.claude.slice(0, 8)],
    ["its log", (made: LogHome) => made.files[0]?.path ?? ""],
  ])("says of a forgotten session, by %s, that it is forgotten, and does not ask", async (_, name) => {
    const { made, ask } = ground({ columns: 200 });
    await ask(["archive"]);
    await ask(["forget", made.ids.claude, "--yes"]);
    const undo = `sessions forget ${made.ids.claude} --undo`;
    for (const flags of [[], ["--dry-run"], ["--yes"]]) {
      const { code, out, err } = await ask(["forget", name(made), ...flags], terminal("n"));
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain(`Session ${made.ids.claude} was already forgotten.\n`);
      expect(out).toContain(`To restore it: ${undo}`);
    }
    const again = await ask(["forget", name(made), "--dry-run", "--json"]);
    expect(again.json).toMatchObject({ dryRun: true, forgotten: true });
    const restored = await ask(["restore", name(made)]);
    expect(restored.code).toBe(1);
    expect(restored.err).toContain(`Cannot find session ${made.ids.claude}: it was forgotten`);
    expect(restored.err).toContain(`\`${undo}\` brings it back`);
  });

  test("says of a session that was forgotten long ago what --undo still does", async () => {
    const { made, ask } = ground();
    await ask(["archive"]);
    await ask(["forget", made.ids.claude, "--yes"]);
    const { out } = await ask(["forget", made.ids.claude], { now: () => NOW + 8 * DAY_MS });
    expect(out).toContain("Its archive is gone. To let it be archived again: sessions forget");
  });

  test("refuses without a terminal to ask on", async () => {
    const { made, ask } = ground();
    await ask(["archive"]);
    const { code, err } = await ask(["forget", made.ids.claude]);
    expect(code).toBe(4);
    expect(err).toContain("--yes");
    expect((await ask(["show", made.ids.claude])).code).toBe(0);
  });

  test.each([
    ["y", 0, 1],
    ["YES", 0, 1],
    ["", 4, 0],
    ["n", 4, 0],
    ["yesterday", 4, 0],
  ])("takes %j for an answer", async (line, code, shown) => {
    const { made, ask } = ground({ columns: 80 });
    await ask(["archive"]);
    const answer = await ask(["forget", made.ids.claude], terminal(line));
    expect(answer.err).toContain("[y/N]");
    expect(answer.code).toBe(code);
    expect((await ask(["show", made.ids.claude, "--json"])).code).toBe(shown);
  });

  test.each([
    [["forget", "no-such-session", "--yes"], 1],
    [["forget", "no-such-session", "--undo"], 1],
    [["forget"], 2],
  ])("ends %j with %i", async (argv, expected) => {
    const { ask } = ground();
    expect((await ask(argv)).code).toBe(expected);
  });
});
