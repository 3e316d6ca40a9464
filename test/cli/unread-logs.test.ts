import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import type { Disk } from "../../src/fs/disk.ts";
import { systemError } from "../../src/fs/disk-error.ts";
import { describeCall, intercept } from "../crash/intercept.ts";
import { unreadableDisk } from "../crash/sick-disks.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const PROJECTS = ".claude/projects";

function put(world: TestWorld, path: string, content: string, atMs = NOW - 3_600_000): string {
  const whole = join(world.home, path);
  mkdirSync(join(whole, ".."), { recursive: true });
  writeFileSync(whole, content);
  utimesSync(whole, atMs / 1000, atMs / 1000);
  return whole;
}

function line(id: string, cwd: string, text: string): string {
  const message = { role: "user", content: text };
  const at = "2026-10-15T08:00:00.000Z";
  return `${JSON.stringify({ type: "user", uuid: `${text}1`, parentUuid: null, sessionId: id, cwd, timestamp: at, message })}\n`;
}

async function ask(world: TestWorld, ...argv: string[]): Promise<string> {
  const before = world.out().length;
  await run(argv, world);
  return world.out().slice(before);
}

test("a log without a readable line is reported by every answer and by doctor, until it can be read", async () => {
  const world = makeWorld({ nowMs: NOW });
  const id = "44444444-0000-4000-8000-00000000000d";
  put(
    world,
    `${PROJECTS}/-a/11111111-0000-4000-8000-00000000000a.jsonl`,
    line("11111111-0000-4000-8000-00000000000a", "/a", "whole"),
  );
  const half = put(world, `${PROJECTS}/-a/${id}.jsonl`, '{"type":"us');
  const zeros = put(world, `${PROJECTS}/-a/55555555-0000-4000-8000-00000000000d.jsonl`, "\0".repeat(4096));
  for (const _ of ["first", "unchanged", "unchanged again"]) {
    expect(JSON.parse(await ask(world, "list", "--json"))).toMatchObject({ coverage: { problems: 2 } });
    expect(JSON.parse(await ask(world, "search", "whole", "--json"))).toMatchObject({
      coverage: { problems: 2 },
    });
  }
  const doctor = await ask(world, "doctor");
  const short = (path: string): string => path.replace(world.home, "~");
  expect(doctor).toContain(`${short(half)}:1: no line of it can be read, so it is not listed`);
  expect(doctor).toContain(`${short(zeros)}:1: no line of it can be read`);
  put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "mended"), NOW - 60_000);
  expect(JSON.parse(await ask(world, "list", "--json"))).toMatchObject({ coverage: { problems: 1 } });
});

const TORN: readonly (readonly [agent: string, path: string, start: string, line: string])[] = [
  [
    "pi",
    ".pi/agent/sessions/--a--/2026-11-16T08-00-00-000Z_7.jsonl",
    '{"type":"sess',
    'ion","version":3,"id":"7","timestamp":"2026-11-16T08:00:00.000Z","cwd":"/a"}',
  ],
  [
    "codex",
    ".codex/sessions/2026/11/16/rollout-2026-11-16T08-00-00-66666666-0000-4000-8000-00000000000f.jsonl",
    '{"timestamp":"2026-11-16T08:00:00.000Z","type":"ses',
    'sion_meta","payload":{"id":"66666666-0000-4000-8000-00000000000f","cwd":"/a"}}',
  ],
  [
    "gemini",
    ".gemini/tmp/a/chats/session-2026-11-16T08-00-77777777.jsonl",
    '{"sessionId":"77777777-0000-',
    '4000-8000-00000000000f","projectHash":"a","startTime":"2026-11-16T08:00:00.000Z"}',
  ],
  [
    "gemini",
    ".gemini/tmp/a/chats/session-2026-11-16T09-00-88888888.json",
    '{\n  "sessionId": "88888888-',
    '0000-4000-8000-00000000000f",\n  "projectHash": "a",\n  "messages": []\n}',
  ],
  [
    "qwen",
    ".qwen/projects/-a/chats/99999999-0000-4000-8000-00000000000f.jsonl",
    '{"uuid":"1","parentUuid":nu',
    'll,"sessionId":"99999999-0000-4000-8000-00000000000f","type":"user","cwd":"/a","message":{"role":"user","parts":[{"text":"hello"}]}}',
  ],
  [
    "copilot",
    ".copilot/session-state/aaaaaaaa-0000-4000-8000-00000000000f/events.jsonl",
    '{"type":"session.sta',
    'rt","data":{"sessionId":"aaaaaaaa-0000-4000-8000-00000000000f"},"id":"1","timestamp":"2026-11-16T08:00:00.000Z","parentId":null}',
  ],
  [
    "claw",
    ".claw/sessions/session-1.jsonl",
    '{"type":"session_m',
    'eta","session_id":"session-1","version":1,"created_at_ms":1,"updated_at_ms":1}',
  ],
];

test.each(TORN)(
  "a log of %s of which there is half a line is named and archived",
  async (agent, path, start, rest) => {
    const world = makeWorld({ nowMs: NOW });
    const id = "11111111-0000-4000-8000-00000000000a";
    put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "whole"));
    const torn = put(world, path, start);
    for (const _ of ["first", "unchanged"]) {
      const answer = await ask(world, "list", "--json");
      expect(JSON.parse(answer)).toMatchObject({ coverage: { problems: 1, sessions: 1 } });
    }
    expect(await ask(world, "doctor")).toContain(
      `${torn.replace(world.home, "~")}:1: no line of it can be read, so it is not listed`,
    );
    await run(["archive"], world);
    expect(JSON.parse(await ask(world, "verify", "--json"))).toMatchObject({ sessions: 2 });
    put(world, path, `${start}${rest}\n`, NOW - 60_000);
    await run(["archive"], world);
    const mended = JSON.parse(await ask(world, "list", "--json"));
    expect(mended).toMatchObject({ coverage: { problems: 0, sessions: 2 } });
    expect(mended.sessions.map((each: { agent: string }) => each.agent).sort()).toEqual(
      ["claude", agent].sort(),
    );
  },
);

test("a log that can't be opened any more is found and shown from the archive, and read as soon as it can be", async () => {
  const world = makeWorld({ nowMs: NOW });
  const id = "11111111-0000-4000-8000-00000000000a";
  const path = `${PROJECTS}/-a/${id}.jsonl`;
  put(world, path, line(id, "/a", "quokka"));
  expect(await ask(world, "search", "quokka", "-q")).toBe(`${id}\n`);
  await ask(world, "archive");
  const log = put(world, path, line(id, "/a", "quokka") + line(id, "/a", "wombat"), NOW - 60_000);
  const closed: TestWorld = { ...world, disk: unreadableDisk(world.disk, (each) => each === log) };
  for (const _ of ["first", "unchanged"]) {
    expect(await ask(closed, "search", "quokka", "-q")).toBe(`${id}\n`);
    expect(JSON.parse(await ask(closed, "list", "--json"))).toMatchObject({
      coverage: { sessions: 1, problems: 1 },
      sessions: [{ sessionId: id, state: "idle", source: log }],
    });
  }
  expect(await ask(closed, "search", "wombat", "-q")).toBe("");
  expect(await ask(closed, "show", id, "--full")).toContain("quokka");
  expect(await ask(closed, "grep", "quok+a", "-l")).toContain(id);
  expect(world.err()).toContain(
    `${log}: cannot be read: permission denied; this is what the archive has of it`,
  );
  expect(await run(["restore", id, "--force"], closed)).toBe(4);
  expect(world.out()).toContain("can't be read");
  expect(await ask(world, "search", "wombat", "-q")).toBe(`${id}\n`);
  expect(JSON.parse(await ask(world, "list", "--json"))).toMatchObject({ coverage: { problems: 0 } });
});

/** A folder with mode 000: nothing in it can be looked at. */
function closedFolderDisk(under: Disk, folder: string): Disk {
  return intercept(under, (call, run) => {
    const isItself = call.path === folder && ["open", "readdir", "realpath"].includes(call.name);
    if (isItself || call.path.startsWith(`${folder}/`))
      throw systemError("EACCES", `permission denied, ${describeCall(call)}`);
    return run();
  });
}

describe("a session that was never archived and whose log may not be looked at", () => {
  const id = "11111111-0000-4000-8000-00000000000a";

  test.each([
    ["log", (log: string) => log],
    ["folder", (log: string) => dirname(log)],
  ])("because of its %s is listed as before, and shown as far as the index has it", async (kind, denied) => {
    const world = makeWorld({ nowMs: NOW });
    const log = put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "quokka"));
    await ask(world, "list");
    const path = denied(log);
    if (kind === "log") put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "quokka").repeat(2));
    const disk =
      kind === "log"
        ? unreadableDisk(world.disk, (each) => each === log)
        : closedFolderDisk(world.disk, path);
    const closed: TestWorld = { ...world, disk };
    for (const _ of ["first", "unchanged"]) {
      expect(JSON.parse(await ask(closed, "list", "--json"))).toMatchObject({
        coverage: { problems: 1 },
        sessions: [{ sessionId: id, state: "idle", source: log }],
      });
    }
    const shown = await ask(closed, "show", id);
    expect(shown).toContain("quokka");
    expect(shown).not.toContain("gone");
    const fix = `\`chmod u+rX ${path}\``;
    expect(world.err()).toContain(
      `${log}: cannot be read: permission denied; this is what the index has of it; ${fix}`,
    );
    expect(await run(["export", id], closed)).not.toBe(0);
    const { checks } = JSON.parse(await ask(closed, "doctor", "--json"));
    expect(checks).toContainEqual(expect.objectContaining({ name: "logs", fix: `chmod u+rX ${path}` }));
    expect(checks).not.toContainEqual(expect.objectContaining({ name: "sessions", what: "none yet" }));
    expect(JSON.parse(await ask(world, "list", "--json"))).toMatchObject({ coverage: { problems: 0 } });
  });

  test("and that the index does not have is an error", async () => {
    const world = makeWorld({ nowMs: NOW });
    const log = put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "quokka"));
    const closed: TestWorld = { ...world, disk: unreadableDisk(world.disk, (each) => each === log) };
    expect(await run(["show", log], closed)).toBe(3);
    expect(world.err()).toContain(`Cannot read session ${id}: ${log}: permission denied`);
    expect(world.err()).toContain(`chmod u+rX ${log}`);
  });
});

test("a log that could never be opened is a problem until it can be", async () => {
  const world = makeWorld({ nowMs: NOW });
  const [id, other] = ["11111111-0000-4000-8000-00000000000a", "22222222-0000-4000-8000-00000000000b"];
  const log = put(world, `${PROJECTS}/-a/${id}.jsonl`, line(id, "/a", "quokka"));
  put(world, `${PROJECTS}/-a/${other}.jsonl`, line(other, "/a", "wombat"));
  const closed: TestWorld = { ...world, disk: unreadableDisk(world.disk, (each) => each === log) };
  for (const _ of ["first", "unchanged"]) {
    expect(JSON.parse(await ask(closed, "list", "--json"))).toMatchObject({
      coverage: { sessions: 1, problems: 1 },
    });
  }
  expect(await ask(world, "search", "quokka", "-q")).toBe(`${id}\n`);
});

test("files of another kind in the folders of logs are neither named nor archived", async () => {
  const world = makeWorld({ nowMs: NOW });
  put(world, ".pi/agent/sessions/--a--/notes.jsonl", "plain text\n");
  put(world, ".pi/agent/sessions/--a--/other.jsonl", '{"kind":"other"}\n');
  put(world, ".claw/sessions/index.json", '{\n  "sessions": [\n    "a"\n  ]\n}\n');
  put(world, ".claw/sessions/long.json", `{\n  "sessions": [\n    "${"a".repeat(100_000)}"\n  ]\n}\n`);
  put(world, ".gemini/tmp/a/logs.json", "[\n  {\n");
  const answer = await ask(world, "list", "--json");
  expect(JSON.parse(answer)).toMatchObject({ coverage: { problems: 0, sessions: 0 } });
});

test("a copy in an excluded project is read neither by id nor as the newest, also if it leads", async () => {
  const world = makeWorld({ nowMs: NOW });
  const id = "22222222-0000-4000-8000-00000000000b";
  put(world, `${PROJECTS}/-pub/${id}.jsonl`, line(id, "/home/ana/pub", "zebra"), NOW - 7_200_000);
  put(world, `${PROJECTS}/-priv/${id}.jsonl`, line(id, "/home/ana/priv", "giraffe"));
  put(world, ".sessions/config.json", '{"exclude":["/home/ana/priv"]}');
  const site = join(world.root, "site");
  const answers = [
    await ask(world, "show", id, "--full"),
    await ask(world, "show", "last", "--everywhere", "--full"),
    await ask(world, "export", id),
    await ask(world, "summary", id),
    await ask(world, "list", "--json"),
    await ask(world, "grep", "giraffe|zebra"),
  ];
  for (const answer of answers) {
    expect(answer).toContain("zebra");
    expect(answer).not.toContain("giraffe");
  }
  await ask(world, "export", "--site", site);
  const pages = readdirSync(join(site, "sessions")).map((name) =>
    readFileSync(join(site, "sessions", name), "utf8"),
  );
  expect(pages.join("")).toContain("zebra");
  expect(pages.join("")).not.toContain("giraffe");
});

describe("a log whose first line is longer than what is looked at", () => {
  const id = "0c0c0c0c-0000-4000-8000-00000000000c";
  const path = `${PROJECTS}/-a/${id}.jsonl`;
  const spaced = (text: string): string =>
    line(id, "/a", text).replaceAll('":', '": ').replaceAll(',"', ', "');
  const messageFirst = (text: string): string => {
    const { message, ...rest } = JSON.parse(line(id, "/a", text));
    return `${JSON.stringify({ message, ...rest })}\n`;
  };

  test.each([
    ["with spaces after colons", spaced],
    ["with the message before the session", messageFirst],
  ])("is listed, found, shown and archived by the hook %s", async (_, write) => {
    const world = makeWorld({ nowMs: NOW });
    const log = put(world, path, write("x".repeat(5 * 1024 * 1024)) + line(id, "/a", "brigantine"));
    expect(await ask(world, "list", "-q")).toBe(`${id}\n`);
    expect(await ask(world, "search", "brigantine", "-q")).toBe(`${id}\n`);
    expect(await ask(world, "show", log)).toContain("brigantine");
    expect(await run(["flatten", "--dry-run", id], world)).toBe(0);
    expect(await firePreCompact(world, log)).toBe("");
    expect(await ask(world, "list", "--json")).toContain('"problems":0');
  });

  test("is archived by the hook by its place alone, and is not called gone", async () => {
    const world = makeWorld({ nowMs: NOW });
    const log = put(world, path, `{"a":1}\n`.repeat(30) + messageFirst("brigantine"));
    expect(await firePreCompact(world, log)).toBe("");
    expect(await run(["flatten", "--dry-run", id], world)).toBe(4);
    expect(world.err()).toContain("its log is there");
    expect(world.err()).not.toContain("gone");
  });

  async function firePreCompact(world: TestWorld, log: string): Promise<string> {
    const text = JSON.stringify({ hook_event_name: "PreCompact", session_id: id, transcript_path: log });
    expect(
      await run(["hook", "pre-compact"], {
        ...world,
        stdin: { ...world.stdin, isTerminal: false, readText: async () => text },
      }),
    ).toBe(0);
    expect(readdirSync(join(world.home, ".sessions/raw/claude"))).toEqual([id]);
    const failures = join(world.home, ".sessions/logs/hooks.log");
    return existsSync(failures) ? readFileSync(failures, "utf8") : "";
  }
});
