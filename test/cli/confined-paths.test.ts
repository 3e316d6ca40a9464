import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isReadableName } from "../../src/archive/raw/manifest.ts";
import { sealJson } from "../../src/archive/raw/sealed-json.ts";
import { run } from "../../src/cli/run.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

/*
 * Whoever can write to the store, or put a link among logs, must not choose what else this program reads, writes,
 * moves or removes. Records are sealed by a hash that anybody can make again, so what they say is never believed.
 */

const ID = "0bad0bad-0000-4000-8000-00000000000a";
const OTHER = "0bad0bad-0000-4000-8000-00000000000b";
const PROJECT = ".claude/projects/-home-ana-shop";

interface Harbour extends TestWorld {
  readonly log: string;
  readonly store: string;
  /** A file of the user's that nobody may touch. */
  readonly precious: string;
  readonly call: (...argv: readonly string[]) => Promise<{ code: number; out: string; text: string }>;
}

function logOf(id: string): string {
  const line = { type: "user", uuid: "u1", parentUuid: null, sessionId: id, cwd: "/home/ana/shop" };
  const message = { role: "user", content: "Moor the brigantine" };
  return `${JSON.stringify({ ...line, timestamp: "2026-11-16T08:00:00.000Z", message })}\n`;
}

async function harbour(ids: readonly string[] = [ID]): Promise<Harbour> {
  const world = makeWorld({ nowMs: Date.UTC(2026, 10, 16, 12) });
  mkdirSync(join(world.home, PROJECT), { recursive: true });
  for (const id of ids) writeFileSync(join(world.home, PROJECT, `${id}.jsonl`), logOf(id));
  const precious = join(world.home, "precious");
  writeFileSync(precious, "mine\n");
  const call: Harbour["call"] = async (...argv) => {
    const before = [world.out().length, world.err().length] as const;
    const code = await run(argv, world);
    const out = world.out().slice(before[0]);
    return { code, out, text: out + world.err().slice(before[1]) };
  };
  await call("archive");
  const store = join(world.home, ".sessions");
  return { ...world, log: join(world.home, PROJECT, `${ID}.jsonl`), store, precious, call };
}

const REFUSED = /--to DIR|not a file of this session/;

type Json = Record<string, unknown>;

/** Changes what a sealed record says, and seals it again. */
function tamper(path: string, change: (record: Json) => void): void {
  const record: Json = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "");
  change(record);
  writeFileSync(path, sealJson(record));
}

function manifestOf({ store }: Harbour, id = ID): string {
  return join(store, "raw/claude", id, "1/manifest.json");
}

function everything(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

function expectUntouched({ precious }: Harbour): void {
  expect(readFileSync(precious, "utf8")).toBe("mine\n");
}

describe("a manifest that was tampered with", () => {
  test.each<[string, (home: string) => Json]>([
    ["a path of the attacker's", (home) => ({ path: join(home, "evil") })],
    ["the same, said to be below no root", (home) => ({ path: join(home, "evil"), root: null })],
    [
      "the same, below a root of the attacker's",
      (home) => ({ path: join(home, "x/evil"), root: join(home, "x") }),
    ],
    ["a way up out of the root", (home) => ({ path: `${join(home, PROJECT)}/../../../evil` })],
    ["a relative path", () => ({ path: "evil", root: null })],
    ["a NUL", (home) => ({ path: `${join(home, PROJECT)}/a\0.jsonl` })],
    ["a file that is the user's", (home) => ({ path: join(home, "precious"), root: null })],
  ])("with %s restores nothing outside of the folders of logs", async (_what, change) => {
    const world = await harbour();
    rmSync(world.log);
    tamper(manifestOf(world), ({ files }) => Object.assign((files as Json[])[0] ?? {}, change(world.home)));
    rmSync(join(world.store, "raw/catalog.json"));
    const outside = (): readonly string[] =>
      everything(world.home).filter((path) => !path.startsWith(".claude"));
    const before = outside();
    for (const flags of [[], ["--force"]]) {
      const { code, text } = await world.call("restore", ID, ...flags);
      expect([3, 4]).toContain(code);
      if (code === 4) expect(text).toMatch(REFUSED);
    }
    expect(outside()).toEqual(before);
    expectUntouched(world);
  });

  test.each([
    "memory/MEMORY.md",
    "CLAUDE.md",
    "../victim.md",
    `${ID}/tool-results/CLAUDE.md`,
    `${OTHER}.jsonl`,
    "notes.jsonl",
    ".claude/settings.json",
    `../../todos/${ID}-agent-x.jsonl`,
  ])("writes no %s below the folders of logs, wherever it is to be put", async (name) => {
    const world = await harbour();
    writeFileSync(world.log, "{}\n");
    const path = join(world.home, PROJECT, name);
    mkdirSync(dirname(path), { recursive: true });
    if (name !== "CLAUDE.md") writeFileSync(path, "mine\n");
    const other = join(world.home, "other");
    mkdirSync(other);
    tamper(manifestOf(world), (record) => {
      const [file = {}] = record.files as Json[];
      // The log itself stays, and a second file is smuggled in, whose bytes are of another kind.
      const bytes = { size: 0, chunks: [], sha256: createHash("sha256").digest("hex") };
      Object.assign(record, { files: [file, { ...file, ...bytes, role: "spilled", path }] });
    });
    rmSync(join(world.store, "raw/catalog.json"));
    const before = everything(world.home).filter((each) => !each.startsWith(".sessions"));
    for (const flags of [[], ["--force"], ["--into", other], ["--to", join(world.home, "to")]]) {
      const { code, text } = await world.call("restore", ID, ...flags);
      expect({ code, text }).toEqual({ code: 4, text: expect.stringMatching(REFUSED) });
    }
    expect(everything(world.home).filter((each) => !each.startsWith(".sessions"))).toEqual(before);
    expect(readFileSync(world.log, "utf8")).toBe("{}\n");
    if (name !== "CLAUDE.md") expect(readFileSync(path, "utf8")).toBe("mine\n");
  });

  test.each(["../../precious", "claude/../../../precious", "/precious", "claude/x/../../../../precious.md"])(
    "that calls %s its readable copy moves and overwrites nothing",
    async (markdown) => {
      const world = await harbour();
      const change = (): void => {
        tamper(manifestOf(world), (record) => Object.assign(record, { markdown }));
        rmSync(join(world.store, "raw/catalog.json"), { force: true });
      };
      change();
      const verified = await world.call("verify");
      expect(verified).toMatchObject({ code: 3, text: expect.stringContaining("tampered") });
      writeFileSync(world.log, `${logOf(ID)}${logOf(ID).replace("u1", "u2")}`);
      const archived = await world.call("archive");
      expect(archived).toMatchObject({ code: 3, text: expect.stringContaining("tampered") });
      expectUntouched(world);
      change();
      rmSync(join(world.store, "raw/claude", ID, "2"), { recursive: true, force: true });
      expect((await world.call("forget", ID, "--yes")).code).toBe(0);
      expect((await world.call("forget", ID, "--undo")).code).toBe(0);
      expectUntouched(world);
    },
  );

  test.each([
    ["claude/shop/2026-11-16_moor_ab12cd34.md", true],
    ["claude/shöp/日本.md", true],
    ["a.md", true],
    ["claude/../a.md", false],
    ["claude/./a.md", false],
    ["claude//a.md", false],
    ["/claude/a.md", false],
    ["claude\\..\\a/b.md", false],
    ["claude/C:/a.md", false],
    ["claude/a\nb/c.md", false],
    ["claude/a\u202eb/c.md", false],
    ["claude/a/settings.json", false],
    ["", false],
  ])("isReadableName(%j) is %j", (name, expected) => {
    expect(isReadableName(name)).toBe(expected);
  });
});

test("a catalog that was tampered with is as if there were none", async () => {
  const world = await harbour();
  const catalog = join(world.store, "raw/catalog.json");
  tamper(catalog, ({ sessions }) =>
    Object.assign((sessions as Json[])[0] ?? {}, { markdown: "../../precious", note: null }),
  );
  expect((await world.call("archive")).code).toBe(0);
  expect((await world.call("forget", ID, "--yes")).code).toBe(0);
  expectUntouched(world);
});

test("a tombstone that names another session than its folder removes nothing", async () => {
  const world = await harbour([ID, OTHER]);
  await world.call("forget", ID, "--yes");
  tamper(join(world.store, "forgotten/claude", ID, "tombstone.json"), (record) =>
    Object.assign(record, { id: OTHER, phase: "forgetting" }),
  );
  await world.call("archive");
  expect(existsSync(join(world.store, "raw/claude", OTHER))).toBe(true);
  expect((await world.call("list", "-q")).text).toBe(`${OTHER}\n`);
});

describe("a journal that was tampered with", () => {
  const temp = ".sessions-0123456789abcdef.tmp";
  const second = ".sessions-0123456789abcdef.old";
  test.each<[string, (world: Harbour) => Json]>([
    [
      "removes no file that is not a temp file",
      ({ log }) => ({ path: log, temps: ["../../../precious"], old: null }),
    ],
    [
      "removes no old file of another name",
      ({ log }) => ({ path: log, temps: [], old: "../../../precious" }),
    ],
    ["appends to no file that is not a log", ({ precious }) => ({ path: precious, temps: [], old: second })],
  ])("%s", async (_what, record) => {
    const world = await harbour();
    writeFileSync(join(world.home, second), "evil\n");
    const open = join(world.store, "rewrites/open");
    mkdirSync(open, { recursive: true });
    const rest = { version: 1, plannedTo: 0, made: 5, inode: null, round: 0 };
    writeFileSync(join(open, `${temp}.json`), sealJson({ ...rest, ...record(world) }));
    await world.call("archive");
    expectUntouched(world);
  });
});

test.each<[string, (world: Harbour) => Json]>([
  ["a file of the user's", ({ precious }) => ({ path: precious })],
  ["a folder that is not above the file", ({ home }) => ({ folders: [join(home, "empty")] })],
  ["a backup elsewhere", ({ home }) => ({ original: { backup: `../../${basename(home)}`, sha256: "0" } })],
])("a receipt that names %s is not followed", async (_what, change) => {
  const world = await harbour();
  mkdirSync(join(world.home, "empty"));
  const settings = join(world.home, ".claude/settings.json");
  writeFileSync(settings, "{}\n");
  const digest = createHash("sha256").update("mine\n").digest("hex");
  const state = { changes: [{ kind: "content", sha256: digest }], sha256: digest };
  const record = {
    path: settings,
    agent: "claude",
    scope: "user",
    original: null,
    now: state,
    before: state,
    folders: [],
    at: "2026-11-16T08:00:00.000Z",
  };
  const files = [{ ...record, ...change(world) }];
  writeFileSync(join(world.store, "receipt.json"), JSON.stringify({ version: 1, files }));
  expect((await world.call("uninstall", "--yes")).code).toBe(5);
  expectUntouched(world);
  expect(existsSync(join(world.home, "empty"))).toBe(true);
});

describe("a link", () => {
  test("that leads to nothing is not written through by a restore", async () => {
    const world = await harbour();
    rmSync(world.log);
    const target = join(world.home, "evil");
    symlinkSync(target, world.log);
    for (const flags of [[], ["--force"]]) {
      expect((await world.call("restore", ID, ...flags)).code).toBe(4);
      expect(existsSync(target)).toBe(false);
      expect(readlinkSync(world.log)).toBe(target);
    }
  });

  test("to a file elsewhere is not written through by a restore", async () => {
    const world = await harbour();
    rmSync(world.log);
    symlinkSync(world.precious, world.log);
    for (const flags of [[], ["--force"]]) expect((await world.call("restore", ID, ...flags)).code).toBe(4);
    expectUntouched(world);
  });

  test("to a file elsewhere is no log for any command, and is named", async () => {
    const world = await harbour();
    const secret = join(world.home, "shadow");
    writeFileSync(secret, logOf(OTHER));
    const link = join(world.home, PROJECT, `${OTHER}.jsonl`);
    symlinkSync(secret, link);
    for (const argv of [["archive"], ["index"], ["doctor"]]) {
      const { text } = await world.call(...argv);
      expect(text, argv.join(" ")).toContain(basename(link));
    }
    expect((await world.call("archive")).code).toBe(3);
    for (const argv of [
      ["list", "-q"],
      ["search", "brigantine", "-q"],
      ["grep", "brigantine", "-l"],
    ]) {
      const { out } = await world.call(...argv);
      expect(out, argv.join(" ")).toContain(ID);
      expect(out, argv.join(" ")).not.toContain(OTHER);
    }
    const stdin = JSON.stringify({ hook_event_name: "PreCompact", session_id: OTHER, transcript_path: link });
    const input = { ...world.stdin, readText: async () => stdin };
    expect(await run(["hook", "pre-compact"], { ...world, stdin: input })).toBe(0);
    expect(existsSync(join(world.store, "raw/claude", OTHER))).toBe(false);
  });

  test("to a folder elsewhere is looked through, and one to another log is read", async () => {
    const world = await harbour();
    const elsewhere = join(world.home, "disk/shop");
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, `${OTHER}.jsonl`), logOf(OTHER));
    symlinkSync(elsewhere, join(dirname(dirname(world.log)), "-home-ana-linked"));
    const third = OTHER.replace(/b$/, "c");
    mkdirSync(join(world.home, ".claude/projects/x"));
    const kept = join(world.home, ".claude/projects/x/kept.log");
    writeFileSync(kept, logOf(third));
    symlinkSync(kept, join(world.home, PROJECT, `${third}.jsonl`));
    expect((await world.call("archive")).code).toBe(0);
    const { text } = await world.call("list", "-q");
    expect(text.trim().split("\n").toSorted()).toEqual([ID, OTHER, third]);
  });
});
