import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

/** Writes a session of one turn, whose file is older the newer it is. */
function write(world: TestWorld, number: number, cwd: string, facts: object = {}): string {
  const id = `0000000${number}-0000-4000-8000-000000000000`;
  const at = NOW - (10 - number) * 3_600_000;
  const path = join(world.home, ".claude/projects", cwd.replace(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`);
  const shared = { sessionId: id, cwd, version: "2.1.169", timestamp: new Date(at).toISOString(), ...facts };
  const lines = [
    {
      type: "user",
      uuid: `u${number}`,
      parentUuid: null,
      message: { role: "user", content: `Request ${number}` },
    },
    {
      type: "assistant",
      uuid: `a${number}`,
      parentUuid: `u${number}`,
      message: { id: `m${number}`, role: "assistant", content: [{ type: "text", text: "Done." }] },
    },
  ];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify({ ...shared, ...line })}\n`).join(""));
  const changed = (NOW - number * 86_400_000) / 1000;
  utimesSync(path, changed, changed);
  return id;
}

function ground(options: MakeWorldOptions = {}): TestWorld {
  const world = makeWorld({ nowMs: NOW, ...options });
  mkdirSync(join(world.home, "shop/.git"), { recursive: true });
  writeFileSync(join(world.home, "shop/.git/HEAD"), "ref: refs/heads/main\n");
  mkdirSync(join(world.home, "trees/quiet-robin"), { recursive: true });
  const git = join(world.home, "shop/.git/worktrees/quiet-robin");
  writeFileSync(join(world.home, "trees/quiet-robin/.git"), `gitdir: ${git}\n`);
  write(world, 1, join(world.home, "shop"));
  write(world, 2, join(world.home, "shop/packages"));
  write(world, 3, join(world.home, "trees/quiet-robin"));
  write(world, 4, "/away/shop/.claude/worktrees/loud-owl");
  write(world, 5, "/away/notes", { gitBranch: "main" });
  return world;
}

const ask = async (argv: readonly string[], world: TestWorld): Promise<string> => {
  const before = world.out().length;
  await run(argv, world);
  return world.out().slice(before);
};

describe("sessions projects", () => {
  test("lists projects with their worktrees, the last active first", async () => {
    const world = ground({ columns: 100 });
    mkdirSync(join(world.home, "shop/packages"));
    const out = (await ask(["projects"], world)).replace(/[ \t]+/g, " ");
    expect(out).toMatch(
      /PROJECT SESSIONS TURNS LAST AGENTS FOLDER\nnotes 1 1 .*\/away\/notes\nshop 1 1 .*\/away\/shop\n worktree loud-owl 1 1 .*\nshop 3 3 .*~\/shop\n worktree quiet-robin 1 1 .*~\/trees\/quiet-robin\n$/,
    );
  });

  test("answers in JSON", async () => {
    const world = ground();
    mkdirSync(join(world.home, "shop/packages"));
    const json = JSON.parse(await ask(["projects", "--json"], world));
    const plain = (key: string, value: unknown): unknown =>
      key === "bytes" ? 0 : key === "indexedAt" ? new Date(NOW).toISOString() : value;
    await expect(`${JSON.stringify(json, plain, 2).replaceAll(world.root, "/root")}\n`).toMatchFileSnapshot(
      "./golden/projects.json",
    );
  });

  test("takes filters, and says when an offset skips everything", async () => {
    const world = ground();
    const one = JSON.parse(await ask(["projects", "--project", "notes", "--json"], world));
    expect(one).toMatchObject({ total: 1, projects: [{ name: "notes" }] });
    expect(await ask(["projects", "--offset", "9"], world)).toBe("");
    expect(world.err()).toContain("--offset 9 skips all of them");
    expect(await ask(["projects", "--agent", "pi"], world)).toBe("");
    expect(world.err()).toContain("No projects match");
  });

  test("knows the one folder of a repository that is known by its name alone", async () => {
    const world = ground();
    write(world, 6, join(world.home, ".claude-worktrees/shop/a"));
    write(world, 7, join(world.home, ".claude-worktrees/notes/b"));
    const { projects } = JSON.parse(await ask(["projects", "--json"], world));
    const found = projects.map(({ project, sessions }: { project: string; sessions: number }) => [
      project.replace(world.home, "~"),
      sessions,
    ]);
    // Two folders are called shop; one is called notes.
    expect(found).toContainEqual(["shop", 1]);
    expect(found).toContainEqual(["/away/notes", 2]);
  });
});

describe("a worktree", () => {
  test("is shown with its repository in lists and hits, and matched by the name of either", async () => {
    const world = ground({ columns: 120 });
    expect(await ask(["list"], world)).toContain("shop (worktree quiet-robin)");
    expect(await ask(["search", "request"], world)).toContain("shop (worktree loud-owl)");
    expect(await ask(["grep", "Request 3"], world)).toContain("shop (worktree quiet-robin)");
    expect(await ask(["show", "00000003"], world)).toContain("shop (worktree quiet-robin)");
    const ids = async (project: string): Promise<readonly string[]> =>
      (await ask(["list", "-q", "--project", project], world)).trim().split("\n");
    expect(await ids("shop")).toHaveLength(3);
    expect(await ids("quiet-robin")).toHaveLength(1);
    const found = JSON.parse(await ask(["search", "request project:shop", "--json"], world));
    expect(found.total).toBe(3);
  });

  test("has its repository and name in JSON", async () => {
    const world = ground();
    const place = { repository: join(world.home, "shop"), worktree: "quiet-robin" };
    const list = JSON.parse(await ask(["list", "--json"], world));
    expect(
      list.sessions.find(({ worktree }: { worktree: string }) => worktree === "quiet-robin"),
    ).toMatchObject(place);
    expect(JSON.parse(await ask(["show", "00000003", "--json"], world))).toMatchObject(place);
    expect(JSON.parse(await ask(["search", '"request 3"', "--json"], world)).hits[0]).toMatchObject(place);
  });
});

describe("last", () => {
  test("is the newest by the times in the logs, as in lists", async () => {
    const world = ground();
    const list = (await ask(["list", "-q"], world)).trim().split("\n");
    expect(list).toHaveLength(5);
    expect(JSON.parse(await ask(["show", "last", "--everywhere", "--json"], world)).sessionId).toBe(list[0]);
    const three = await ask(["archive", "last", "3", "--everywhere", "--json"], world);
    const archived = JSON.parse(three).archived.map(({ sessionId }: { sessionId: string }) => sessionId);
    expect(archived.sort()).toEqual(list.slice(0, 3).sort());
    const restored = await ask(["restore", "last", "--everywhere", "--json"], world);
    expect(JSON.parse(restored).sessions[0]?.sessionId).toBe(list[0]);
  });
});

describe("a session that was forgotten", () => {
  test("is said to be, even while the index still has it", async () => {
    const world = ground();
    expect(await run(["list"], world)).toBe(0);
    expect(await run(["forget", "00000005", "--yes"], world)).toBe(0);
    expect(await run(["show", "00000005"], world)).toBe(1);
    expect(world.err()).toContain("it was forgotten");
    expect(world.err()).toContain("--undo` brings it back");
  });
});

describe("50 columns", () => {
  test("are enough for the table of files, and for the question of forget", async () => {
    const world = ground({ columns: 50 });
    const line = {
      type: "assistant",
      uuid: "w",
      parentUuid: "a5",
      message: {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: "t",
            name: "Read",
            input: { file_path: "/away/notes/with/a/long/path/to.md" },
          },
        ],
      },
    };
    const log = join(world.home, ".claude/projects/-away-notes/00000005-0000-4000-8000-000000000000.jsonl");
    writeFileSync(log, `${readFileSync(log, "utf8")}${JSON.stringify(line)}\n`);
    const out = await ask(["files", "to.md"], world);
    expect(out).toMatch(/^\/away\/notes.*to\.md$/m);
    for (const each of out.split("\n")) expect(each.length).toBeLessThanOrEqual(50);
    const terminal = {
      isTerminal: true,
      readText: async () => "n",
      async *lines() {
        yield "n";
      },
    };
    expect(await run(["forget", "00000005"], { ...world, stdin: terminal })).toBe(4);
    expect(world.err()).toContain("The agent's own log stays.");
    const [question = ""] = world.err().split(" [y/N]");
    for (const each of question.split("\n")) expect(each.length).toBeLessThanOrEqual(50);
  });
});

describe("the example history", () => {
  test("answers `--project .`; commands that write say that there is nothing", async () => {
    const world = makeWorld({ nowMs: NOW });
    expect((await ask(["list", "--project", ".", "-q"], world)).split("\n").length).toBeGreaterThan(10);
    expect(await run(["compact", "last"], world)).toBe(1);
    expect(world.err()).toContain("no agent has sessions here");
  });
});
