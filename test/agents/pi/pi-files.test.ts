import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pi } from "../../../src/agents/pi/pi.ts";
import { groupTexts } from "../../support/parse-logs.ts";

const environment = { home: "/home/ana", variables: {}, folder: "/home/ana/shop", projects: [] };
const ID = "0196a1b2-3c4d-7e5f-8a6b-000000000001";
const header = (id: string): string => `{"type":"session","version":3,"id":"${id}","cwd":"/w"}\n`;
const message = '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"Hi"}}\n';

describe("piFormat.roots()", () => {
  test.each<[string, Record<string, string>, string]>([
    ["the home", {}, join("/home/ana", ".pi", "agent", "sessions")],
    ["the agent's folder", { PI_CODING_AGENT_DIR: "/pi" }, join("/pi", "sessions")],
    ["the folder of sessions", { PI_CODING_AGENT_DIR: "/pi", PI_CODING_AGENT_SESSION_DIR: "/s" }, "/s"],
    [
      "the home where a variable is empty",
      { PI_CODING_AGENT_SESSION_DIR: "" },
      join("/home/ana", ".pi", "agent", "sessions"),
    ],
  ])("looks in %s", (_, variables, folder) => {
    expect(pi.roots({ ...environment, variables })).toEqual([{ folder, depth: 2, extensions: [".jsonl"] }]);
  });
});

describe("piFormat.owns()", () => {
  test.each<[string, string, boolean]>([
    ["a header", header(ID), true],
    ["a header behind a byte order mark", `\ufeff${header(ID)}`, true],
    ["a header behind a torn line", `{"type":"sess\n${header(ID)}`, true],
    ["a message without a header", message, true],
    ["a header without an id", '{"type":"session","version":3}\n', false],
    [
      "a line of Claude Code",
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}\n',
      false,
    ],
    ["a message of claw-code", '{"type":"message","message":{"role":"user","blocks":[]}}\n', false],
    ["a header of Codex", '{"type":"session_meta","payload":{"id":"x"}}\n', false],
    ["an item of early Codex", '{"type":"message","role":"user","content":[]}\n', false],
    ["nothing", "", false],
    ["other text", "hello\n", false],
  ])("%s: %s", (_, head, owned) => {
    expect(pi.owns(Buffer.from(head))).toBe(owned);
  });
});

describe("piFormat.group()", () => {
  test("makes one session of files with one id in their headers, the newest first", () => {
    expect(
      groupTexts(pi, {
        [`/s/--w--/2026-05-04T09-00-00-000Z_${ID}.jsonl`]: header(ID) + message,
        [`/s/--w--/${ID}.checkpoint.11111111-2222-3333-4444-555555555555.jsonl`]: header(ID),
        "/s/--v--/copy.jsonl": header(ID) + message + message,
        "/s/--w--/other.jsonl": header("other-1"),
      }),
    ).toEqual([
      `pi ${ID}: main /s/--v--/copy.jsonl, main /s/--w--/${ID}.checkpoint.11111111-2222-3333-4444-555555555555.jsonl, main /s/--w--/2026-05-04T09-00-00-000Z_${ID}.jsonl`,
      "pi other-1: main /s/--w--/other.jsonl",
    ]);
  });

  test("names a session by its file where no header does", () => {
    expect(
      groupTexts(pi, {
        "/s/--w--/2026-05-04T09-00-00-000Z_my_own.id.jsonl": message,
        "/s/--w--/session.jsonl": message,
        "/s/--v--/session.jsonl": message,
        "/s/--w--/2026-05-04T09-00-01-000Z_evil.jsonl": '{"type":"session","id":"../../evil"}\n',
      }),
    ).toEqual([
      "pi my_own.id: main /s/--w--/2026-05-04T09-00-00-000Z_my_own.id.jsonl",
      "pi w---session: main /s/--w--/session.jsonl",
      "pi v---session: main /s/--v--/session.jsonl",
      "pi evil: main /s/--w--/2026-05-04T09-00-01-000Z_evil.jsonl",
    ]);
  });

  test("leaves out what is no session", () => {
    expect(
      groupTexts(pi, {
        "/s/empty.jsonl": "",
        "/s/a.jsonl.bak": header(ID),
        "/s/a.jsonl.tmp": header(ID),
        "/s/claude.jsonl": '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}\n',
        "/s/notes.jsonl": "hello\n",
      }),
    ).toEqual([]);
  });
});

test("piFormat.resume() opens the file where it is known, else the id", () => {
  expect(pi.resume({ id: ID, project: "/w", source: "/s/a.jsonl" })).toEqual({
    command: ["pi", "--session", "/s/a.jsonl"],
    folder: "/w",
  });
  expect(pi.resume({ id: ID, project: null, source: null })).toEqual({
    command: ["pi", "--session", ID],
    folder: null,
  });
});
