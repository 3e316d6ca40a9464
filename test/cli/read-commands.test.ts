import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type MakeWorldOptions, makeWorld, type TestWorld } from "../support/make-world.ts";

/** These worlds have no logs: the example history answers. */
const NOW = Date.UTC(2026, 10, 16, 12);

async function ask(
  argv: readonly string[],
  options: MakeWorldOptions = {},
): Promise<{ code: number; out: string; err: string; json: () => Json; world: TestWorld }> {
  const world = makeWorld({ nowMs: NOW, ...options });
  const code = await run(argv, world);
  return { code, out: world.out(), err: world.err(), json: () => JSON.parse(world.out()), world };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
type Json = any;

describe("sessions", () => {
  test("alone says what there is, and that it is an example", async () => {
    const { code, out, err } = await ask([]);
    expect(code).toBe(0);
    expect(out).toMatch(/claude +8 sessions/);
    expect(out).toContain("sessions search");
    expect(err).toContain("example history");
  });

  test("alone says so where there are no sessions in a log folder that exists", async () => {
    const world = makeWorld({ nowMs: NOW });
    mkdirSync(join(world.home, ".claude/projects/-x"), { recursive: true });
    writeFileSync(join(world.home, ".claude/projects/-x/0b8ec0de-0000-4000-8000-000000000000.jsonl"), "");
    expect(await run([], world)).toBe(0);
    expect(world.out()).toContain("No sessions yet");
    expect(world.err()).toBe("");
  });
});

describe("a session file that is named", () => {
  test("is shown where there are no other logs, and is no example", async () => {
    const world = makeWorld({ nowMs: NOW });
    const log = join(world.home, "kept.jsonl");
    const line = { type: "user", uuid: "u1", parentUuid: null, sessionId: "s1", cwd: "/x", message: {} };
    writeFileSync(log, `${JSON.stringify({ ...line, message: { role: "user", content: "Add a cart" } })}\n`);
    expect(await run(["show", log, "--json"], world)).toBe(0);
    expect(world.err()).toBe("");
    expect(JSON.parse(world.out())).toMatchObject({ demo: false, requests: [{ text: "Add a cart" }] });
  });
});

describe("sessions list", () => {
  test("lists newest first, with the fields of the contract", async () => {
    const { code, json } = await ask(["list", "--json"]);
    expect(code).toBe(0);
    const answer = json();
    expect(answer).toMatchObject({
      schemaVersion: 1,
      total: 13,
      demo: true,
      coverage: { sessions: 13, stale: 0, problems: 0 },
    });
    const ended = answer.sessions.map((session: Json) => session.endedAt);
    expect(ended).toEqual(ended.toSorted().toReversed());
    expect(Object.keys(answer.sessions[0])).toEqual([
      "sessionId",
      "agent",
      "title",
      "project",
      "repository",
      "worktree",
      "branch",
      "machine",
      "startedAt",
      "endedAt",
      "turns",
      "messages",
      "bytes",
      "compactions",
      "state",
      "source",
      "copies",
      "archive",
    ]);
  });

  test.each<[string, readonly string[], number]>([
    ["a project's name", ["--project", "shop"], 6],
    ["a field in a word", ["project:shop"], 6],
    ["two projects", ["--project", "shop", "--project", "tally"], 8],
    ["an agent", ["--agent", "pi"], 2],
    ["a file", ["--file", "auth.ts"], 2],
    ["a glob of files", ["--file", "src/auth*.ts", "--agent", "claude"], 2],
    ["a tool", ["--tool", "todowrite"], 3],
    ["words of the title", ["token", "refresh"], 1],
    ["a command", ["--cmd", "vitest auth.test.ts"], 2],
    ["a day", ["--since", "2026-11-05", "--until", "2026-11-05"], 1],
    ["a span", ["--since", "2w"], 4],
    ["a branch", ["--branch", "AUTH-TABS"], 1],
    ["a field in quotes", ['Branch:"AUTH-TABS"'], 1],
    ["a date in words", ["since:nov 5", 'until:"nov 5"'], 1],
    ["a place", ["--in", "compacted"], 3],
    ["nothing", ["--title", "no such words"], 0],
  ])("narrows by %s", async (_, argv, total) => {
    const { code, json } = await ask(["list", "--json", ...argv]);
    expect(code).toBe(0);
    expect(json().total).toBe(total);
  });

  test("pages", async () => {
    const all = (await ask(["list", "-q", "--limit", "100"])).out.trim().split("\n");
    const second = (await ask(["list", "-q", "--limit", "5", "--offset", "5"])).out.trim().split("\n");
    expect(second).toEqual(all.slice(5, 10));
  });

  test.each<[string, readonly string[], string]>([
    ["an unknown agent", ["--agent", "clude"], "claude"],
    ["an unknown date", ["--since", "someday"], "2026-10-01"],
    ["an unknown flag", ["--limt", "3"], "--limit"],
  ])("refuses %s with a hint", async (_, argv, hint) => {
    const { code, err } = await ask(["list", ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });

  test("keeps to the width of a terminal", async () => {
    const { out } = await ask(["list"], { columns: 72 });
    for (const line of out.trimEnd().split("\n")) expect(line.length).toBeLessThanOrEqual(72);
  });
});

describe("sessions show", () => {
  const id = "87f01b2f-1b5d-461b-8db4-95cd4ce864a4";

  test("has the fields of the contract", async () => {
    const answer = (await ask(["show", id, "--json"])).json();
    expect(answer).toMatchObject({
      schemaVersion: 1,
      demo: true,
      sessionId: id,
      agent: "claude",
      state: "idle",
    });
    for (const key of ["summaries", "requests", "decisions", "files", "commands", "pending", "timeline"]) {
      expect(Array.isArray(answer[key]), key).toBe(true);
    }
    expect(answer.requests[0]).toMatchObject({
      turn: 1,
      context: expect.any(String),
      text: expect.any(String),
    });
    expect(answer.tokens.total).toBe(
      answer.tokens.toolResults +
        answer.tokens.toolInputs +
        answer.tokens.assistantText +
        answer.tokens.userText,
    );
    expect(answer.resume).toBe(`claude --resume ${id}`);
  });

  test("prints a digest that a person can read", async () => {
    const { out } = await ask(["show", id], { columns: 80 });
    for (const heading of ["Requests", "Files", "Tools", "Commands"]) expect(out).toContain(`${heading}\n`);
    expect(out).toContain("resume:");
  });

  test("prints single turns, ranges and open ranges", async () => {
    expect((await ask(["show", id, "--turn", "2"])).out).toMatch(/^── turn 2 /);
    expect((await ask(["show", id, "--turns", "2-3"])).out.match(/── turn \d+/g)).toEqual([
      "── turn 2",
      "── turn 3",
    ]);
    expect((await ask(["show", id, "--turns", "4-"])).out.match(/── turn \d+/g)).toEqual([
      "── turn 4",
      "── turn 5",
    ]);
  });

  test("says that a range is backwards", async () => {
    const { code, err } = await ask(["show", id, "--turns", "7-4"]);
    expect(code).toBe(2);
    expect(err).toContain("Cannot show turns 7-4: the range is backwards\nhint: write --turns 4-7\n");
  });

  test("prints what sub-agents did after the turns that started them", async () => {
    const { sessions } = (await ask(["list", "--in", "subagent", "--json"])).json();
    expect(sessions.length).toBeGreaterThan(1);
    for (const { sessionId } of sessions) {
      const { subagents } = (await ask(["show", sessionId, "--tree", "--json"])).json();
      for (const { id: subagent, turn, description } of subagents) {
        const turns = ["show", sessionId, "--turns", `${turn}`];
        expect((await ask(turns)).out).toContain(`── sub-agent: ${description} · `);
        const { conversation, subagentConversations } = (await ask([...turns, "--json"])).json();
        expect(conversation).toMatchObject([{ turn }]);
        expect(subagentConversations).toContainEqual(expect.objectContaining({ id: subagent, turn }));
      }
      const last = (await ask(["show", sessionId, "--turns", "1-", "--json"])).json();
      expect(last.subagentConversations).toHaveLength(subagents.length);
    }
  });

  test("prints work that followed no request as a part of the first turn, where `search` finds it", async () => {
    const world = makeWorld({ nowMs: NOW });
    const sessionId = "0b8ec0de-0000-4000-8000-000000000000";
    const lines = [
      ["user", "<command-message>tidy</command-message>\n<command-name>/tidy</command-name>"],
      ["assistant", [{ type: "text", text: "The zebra crossing is tidy." }]],
    ].map(([type, content], at) => {
      const place = { uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId, cwd: "/x" };
      return JSON.stringify({ ...place, type, message: { role: type, content } });
    });
    const folder = join(world.home, ".claude", "projects", "-x");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${sessionId}.jsonl`), `${lines.join("\n")}\n`);
    const answer = async (argv: readonly string[]): Promise<Json> => {
      const before = world.out().length;
      expect(await run(argv, world)).toBe(0);
      return JSON.parse(world.out().slice(before));
    };
    const { hits } = await answer(["search", "zebra", "--json"]);
    expect(hits).toMatchObject([{ sessionId, snippets: [{ turn: 1 }] }]);
    const said = [{ kind: "note" }, { kind: "reply", text: "The zebra crossing is tidy." }];
    expect(await answer(["show", sessionId, "--turn", "1", "--json"])).toMatchObject({
      preamble: said,
      conversation: [],
    });
    expect(await answer(["show", sessionId, "--full", "--json"])).toMatchObject({ preamble: said });
  });

  test.each<[string, readonly string[], number]>([
    ["a turn that is not there", ["--turn", "99"], 1],
    ["no range", ["--turns", "x"], 2],
  ])("refuses %s", async (_, argv, code) => {
    expect((await ask(["show", id, ...argv])).code).toBe(code);
  });

  test("prints as context only what the agent would load", async () => {
    const { sessions } = (await ask(["list", "--json", "--in", "compacted"])).json();
    for (const { sessionId } of sessions) {
      const { context } = (await ask(["show", sessionId, "--context", "--json"])).json();
      const { requests } = (await ask(["show", sessionId, "--json"])).json();
      const loaded = context.filter((item: Json) => item.kind === "request").map((item: Json) => item.text);
      expect(loaded).toEqual(
        requests.filter((each: Json) => each.context === "current").map((each: Json) => each.text),
      );
      expect(context.some((item: Json) => item.kind === "summary")).toBe(true);
    }
  });

  test("prints the whole session as markdown", async () => {
    expect((await ask(["show", id, "--markdown"])).out).toMatch(
      /^---\n[\s\S]*\n# Fix token refresh race in the auth client\n/,
    );
  });

  test("draws the tree", async () => {
    const { out, json } = await ask(["show", id, "--tree"]);
    expect(out).toMatch(/ {2}1 /);
    expect(json).toThrow();
  });

  test("finds nothing under an unknown id, and says what is near", async () => {
    const { code, err } = await ask(["show", "87f01b2e"]);
    expect(code).toBe(1);
    expect(err).toContain("87f01b2f");
  });
});

describe("sessions files", () => {
  test("says who touched a file", async () => {
    const answer = (await ask(["files", "auth.ts", "--json"])).json();
    expect(answer.total).toBe(2);
    expect(answer.sessions[0].files[0]).toMatchObject({ path: "/home/ana/shop/src/auth.ts", writes: 1 });
  });

  test("exits with 1 if no session did", async () => {
    expect((await ask(["files", "no/such.file"])).code).toBe(1);
  });

  test("has pages", async () => {
    const all = (await ask(["files", "*.ts", "--json"])).json();
    const page = await ask(["files", "*.ts", "--json", "--limit", "1", "--offset", "1"]);
    expect(all.total).toBeGreaterThan(2);
    expect(page.json().sessions).toEqual(all.sessions.slice(1, 2));
    const { err } = await ask(["files", "auth.ts", "--limit", "1"]);
    expect(err).toContain("1 more session: --offset 1");
  });
});

describe("sessions pending", () => {
  test("leaves out what a later session of the project finished", async () => {
    const { code, json } = await ask(["pending", "--everywhere", "--json"]);
    expect(code).toBe(0);
    const texts = json().sessions.flatMap((session: Json) => session.pending.map((item: Json) => item.text));
    expect(texts).toContain("Drop orders.total and the trigger");
    expect(texts.join("\n")).not.toMatch(/other tabs/i);
  });

  test("answers as docs/JSON.md says", async () => {
    const { json } = await ask(["pending", "--everywhere", "--json"]);
    const plain = JSON.stringify(json(), undefined, 2);
    await expect(`${plain}\n`).toMatchFileSnapshot("./golden/pending.json");
  });

  test("counts the same sessions as the overview", async () => {
    const { total } = (await ask(["pending", "--everywhere", "--json"])).json();
    expect(total).toBeGreaterThan(1);
    expect((await ask(["--json"])).json().pendingSessions).toBe(total);
  });

  test("lists sessions below their project, and signs say where an item comes from", async () => {
    const { out } = await ask(["pending", "--everywhere"]);
    const lines = out.split("\n");
    const at = lines.indexOf("shop");
    expect(at).toBeGreaterThanOrEqual(0);
    expect(lines[at + 1]).toMatch(/^[0-9a-f]{8}-/);
    expect(out).toContain("☐ Drop orders.total and the trigger");
  });

  test("has pages, and shows the item of a template once, with the number of sessions", async () => {
    const world = makeWorld();
    const folder = join(world.home, ".claude/projects/-x");
    mkdirSync(folder, { recursive: true });
    const line = (id: string, type: string, rest: object): string =>
      JSON.stringify({ type, uuid: `${id}-${type}`, sessionId: id, timestamp: AT, ...rest });
    const AT = "2026-11-01T10:00:00Z";
    const write = (id: string, project: object): void => {
      const content = [{ type: "text", text: "Done.\n\nNext steps:\n- Push changes" }];
      const lines = [
        line(id, "user", { parentUuid: null, ...project, message: { role: "user", content: "Do it" } }),
        line(id, "assistant", {
          parentUuid: `${id}-user`,
          ...project,
          message: { role: "assistant", content },
        }),
      ];
      writeFileSync(join(folder, `${id}.jsonl`), `${lines.join("\n")}\n`);
    };
    for (const digit of [1, 2, 3]) write(`${digit}0000000-0000-4000-8000-000000000000`, { cwd: "/x" });
    write("40000000-0000-4000-8000-000000000000", {});
    const said = async (...argv: readonly string[]): Promise<readonly [string, string]> => {
      const from = [world.out().length, world.err().length] as const;
      expect(await run(argv, world)).toBe(0);
      return [world.out().slice(from[0]), world.err().slice(from[1])];
    };
    const [all] = await said("pending", "--everywhere");
    expect(all.match(/Push changes/g)).toHaveLength(2);
    expect(all).toContain("→ Push changes (in 3 sessions)\n");
    expect(all).toContain("(no project)\n");
    expect((await said("pending", "--everywhere", "--limit", "1"))[1]).toContain(
      "1 more session: --offset 1",
    );
    expect((await said("pending", "--everywhere", "--offset", "1"))[0].match(/Push/g)).toHaveLength(1);
    expect((await said("pending", "--everywhere", "--offset", "9"))[1]).toContain(
      "No more: 2 sessions match",
    );
    const [json] = await said("pending", "--everywhere", "--json", "--offset", "1");
    const { total, sessions } = JSON.parse(json);
    expect([total, sessions.length]).toEqual([2, 1]);
  });

  test("is exit 0 where nothing is open", async () => {
    expect((await ask(["pending", "--project", "nowhere"])).code).toBe(0);
  });
});

describe("sessions resume", () => {
  test("prints the agent's own command", async () => {
    expect((await ask(["resume", "28af22d5"])).out).toBe(
      "cd /home/ana/shop && claude --resume 28af22d5-4dbc-4e38-b02c-9750c3d3078e\n",
    );
  });
});

describe("commands that write, where there are no logs", () => {
  const ID = "484e4bb2-8809-49fb-92e2-d5870129d604";

  test.each([
    ["compact", ID, "--dry-run"],
    ["compact", "last", "--dry-run"],
    ["flatten", ID, "--dry-run"],
    ["flatten", "last", "--dry-run"],
    ["unflatten", "last", "--dry-run"],
    ["export", "last", "-o", "last.html"],
    ["export", "--site", "history"],
    ["retrieve", "last", "toolu_01AbC", "-o", "certificate.txt"],
  ])("%s %s %s shows what it would do in the example history", async (...argv) => {
    const world = makeWorld();
    expect(await run(argv, world)).toBe(0);
    expect(world.err()).toContain("example history");
    expect(world.out()).not.toBe("");
  });

  test.each([
    ["compact", ID],
    ["compact", "last"],
    ["flatten", ID],
    ["unflatten", ID],
    ["forget", ID, "--yes"],
    ["archive", ID],
    ["resume", ID, "--exec"],
  ])("%s %s says that there is only an example", async (...argv) => {
    const world = makeWorld();
    expect(await run(argv, world)).toBe(1);
    expect(world.err()).toContain("no agent has sessions here yet");
    expect(world.err()).toContain("`sessions list` shows an example history");
  });

  test.each([
    ["restore", ID],
    ["restore", "last", "--dry-run"],
  ])("%s %s says that nothing is archived", async (...argv) => {
    const world = makeWorld();
    expect(await run(argv, world)).toBe(1);
    expect(world.err()).toContain("`sessions list` shows an example history, of which nothing is archived");
  });

  test.each([["archive"], ["archive", "--dry-run"], ["restore", "--all"]])(
    "%s %s says that nothing of the example is archived",
    async (...argv) => {
      const world = makeWorld();
      expect(await run(argv, world)).toBe(0);
      expect(world.out()).toContain("shows an example history, of which nothing is archived.\n");
      expect(world.out()).not.toContain("Nothing new");
    },
  );
});
