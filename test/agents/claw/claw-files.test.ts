import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claw } from "../../../src/agents/claw/claw.ts";
import { groupTexts } from "../../support/parse-logs.ts";

const environment = {
  home: "/home/bo",
  variables: {},
  folder: "/home/bo/shop",
  projects: ["/home/bo/calc", "/home/bo/shop"],
};
const ID = "session-1775386832313-0";
const meta = (id = ID): string =>
  `{"created_at_ms":1,"session_id":"${id}","type":"session_meta","updated_at_ms":1,"version":1}\n`;
const message = '{"message":{"blocks":[{"text":"Hi","type":"text"}],"role":"user"},"type":"message"}\n';

describe("clawFormat.roots()", () => {
  test("looks in the home, in this folder and in every known project, each once", () => {
    expect(claw.roots(environment)).toEqual([
      { folder: join("/home/bo", ".claw", "sessions"), depth: 2, extensions: [".json", ".jsonl"] },
      { folder: join("/home/bo/shop", ".claw", "sessions"), depth: 2, extensions: [".json", ".jsonl"] },
      { folder: join("/home/bo/shop", ".claude", "sessions"), depth: 1, extensions: [".json"] },
      { folder: join("/home/bo/calc", ".claw", "sessions"), depth: 2, extensions: [".json", ".jsonl"] },
      { folder: join("/home/bo/calc", ".claude", "sessions"), depth: 1, extensions: [".json"] },
    ]);
  });

  test("takes CLAW_CONFIG_HOME for the home", () => {
    const [first] = claw.roots({ ...environment, variables: { CLAW_CONFIG_HOME: "/cfg" } });
    expect(first?.folder).toBe(join("/cfg", "sessions"));
  });
});

describe("clawFormat.owns()", () => {
  const long = JSON.stringify({
    messages: [{ blocks: [{ text: "x".repeat(100_000), type: "text" }], role: "user" }],
    version: 1,
  });
  test.each<[string, string, boolean]>([
    ["a header", meta(), true],
    ["a message alone", message, true],
    ["a compaction alone", '{"count":1,"removed_message_count":4,"summary":"","type":"compaction"}\n', true],
    ["the smallest log", '{"messages":[],"version":1}', true],
    ["the beginning of a long whole-file log", long.slice(0, 64 * 1024), true],
    ["a whole-file log over many lines", JSON.stringify(JSON.parse(long), null, 2).slice(0, 64 * 1024), true],
    [
      "a whole-file log with a compaction before its messages",
      '{"compaction":{"count":1,"summary":"{\\"messages\\":["},"messages":[{"blocks":[],"role":"user"}]',
      true,
    ],
    ["messages of another program", '{"messages":[{"content":"Hi","role":"user"}],"version":1}', false],
    ["messages and nothing else", '{"messages":[]}', false],
    ["a process of Claude Code", '{"pid":7,"sessionId":"x","cwd":"/w"}', false],
    ["a header of Codex", '{"type":"session_meta","payload":{"id":"x","session_id":"y"}}\n', false],
    ["a message of Pi", '{"type":"message","id":"a","message":{"role":"user","content":"Hi"}}\n', false],
    ["nothing", "", false],
  ])("%s: %s", (_, head, owned) => {
    expect(claw.owns(Buffer.from(head))).toBe(owned);
  });
});

describe("clawFormat.group()", () => {
  test("puts rotations with their session, in the order of their times", () => {
    expect(
      groupTexts(claw, {
        [`/p/.claw/sessions/f/${ID}.rot-1775400000001.jsonl`]: meta() + message + message,
        [`/p/.claw/sessions/f/${ID}.jsonl`]: meta() + message,
        [`/p/.claw/sessions/f/${ID}.rot-1775390000000.jsonl`]: meta(),
      }),
    ).toEqual([
      `claw ${ID}: main /p/.claw/sessions/f/${ID}.jsonl, rotation /p/.claw/sessions/f/${ID}.rot-1775390000000.jsonl, rotation /p/.claw/sessions/f/${ID}.rot-1775400000001.jsonl`,
    ]);
  });

  test("takes the last rotation for the log where the log is gone", () => {
    expect(
      groupTexts(claw, {
        [`/f/${ID}.rot-1775400000001.jsonl`]: meta(),
        [`/f/${ID}.rot-1775390000000.jsonl`]: meta(),
      }),
    ).toEqual([
      `claw ${ID}: main /f/${ID}.rot-1775400000001.jsonl, rotation /f/${ID}.rot-1775390000000.jsonl`,
    ]);
  });

  test("names a session by its header, else by its file", () => {
    const old = '{"messages":[],"version":1}';
    expect(
      groupTexts(claw, {
        "/f/session-newer.jsonl": meta("session-1775230717464-3"),
        "/f/session-1774998936453.json": old,
        "/f/inside.json": '{"messages":[],"session_id":"session-1775000000000-1","version":1}',
        "/g/session-1774998936453.jsonl": message,
        "/g/session-7.rot-1775400000001.jsonl": message,
      }),
    ).toEqual([
      "claw session-1775230717464-3: main /f/session-newer.jsonl",
      "claw session-1774998936453: main /g/session-1774998936453.jsonl, main /f/session-1774998936453.json",
      "claw session-1775000000000-1: main /f/inside.json",
      "claw g-session-7: main /g/session-7.rot-1775400000001.jsonl",
    ]);
  });

  test("leaves out what is no session", () => {
    expect(
      groupTexts(claw, {
        "/f/empty.jsonl": "",
        "/f/a.jsonl.bak": meta(),
        "/f/1234.json": '{"pid":1234,"sessionId":"x"}',
        "/f/notes.txt": meta(),
      }),
    ).toEqual([]);
  });
});

test("clawFormat.resume() names the id", () => {
  expect(claw.resume({ id: ID, project: "/p", source: "/f/a.jsonl" })).toEqual({
    command: ["claw", "--resume", ID],
    folder: "/p",
  });
});
