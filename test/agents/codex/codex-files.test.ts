import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/agents/codex/codex.ts";
import { groupTexts } from "../../support/parse-logs.ts";

const environment = { home: "/home/cy", variables: {}, folder: "/home/cy/shop", projects: [] };
const ID = "019b2ea4-0000-7000-8000-000000000001";
const meta = (id: string, more = ""): string =>
  `{"timestamp":"2026-03-02T10:00:00.000Z","type":"session_meta","payload":{"id":"${id}","cwd":"/w"${more}}}\n`;
const item = '{"type":"response_item","payload":{"type":"message","role":"user","content":[]}}\n';
const long = `,"base_instructions":{"text":"${"x".repeat(100_000)}"}`;

describe("codexFormat.roots()", () => {
  test.each<[Record<string, string>, string]>([
    [{}, join("/home/cy", ".codex")],
    [{ CODEX_HOME: "/cx" }, "/cx"],
  ])("looks for %j in the folders by date and in the archived ones", (variables, folder) => {
    const roots = codex.roots({ ...environment, variables });
    expect(roots.map((root) => root.folder)).toEqual([
      join(folder, "sessions"),
      join(folder, "archived_sessions"),
    ]);
    expect(roots[0]?.depth).toBeGreaterThanOrEqual(4);
  });
});

describe("codexFormat.owns()", () => {
  test.each<[string, string, boolean]>([
    ["a header", meta(ID), true],
    ["a header longer than the head", meta(ID, long).slice(0, 64 * 1024), true],
    ["an item without a header", item, true],
    ["an item behind a line that is no JSON", `not-json\n${item}`, true],
    [
      "a header of early 2025",
      '{"id":"x","timestamp":"2025-05-07T17:24:21.123Z","instructions":null}\n',
      true,
    ],
    ["an item of early 2025", '{"type":"message","role":"user","content":[]}\n', true],
    [
      "a header of Pi",
      '{"type":"session","version":3,"id":"x","timestamp":"2025-05-07T17:24:21.123Z"}\n',
      false,
    ],
    ["a message of Pi", '{"type":"message","id":"a","message":{"role":"user","content":"Hi"}}\n', false],
    ["a header of claw-code", '{"session_id":"x","type":"session_meta","version":1}\n', false],
    [
      "a line of Claude Code",
      '{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}\n',
      false,
    ],
    ["nothing", "", false],
  ])("%s: %s", (_, head, owned) => {
    expect(codex.owns(Buffer.from(head))).toBe(owned);
  });
});

describe("codexFormat.group()", () => {
  test("names a session by its header, however long, else by its file", () => {
    const rollout = (id: string): string => `/s/2026/03/02/rollout-2026-03-02T10-00-00-${id}.jsonl`;
    expect(
      groupTexts(codex, {
        [rollout("019b2ea4-0000-7000-8000-00000000000a")]: meta(ID),
        [rollout("019b2ea4-0000-7000-8000-00000000000b")]: meta("019b2ea4-0000-7000-8000-000000000002", long),
        [rollout("019b2ea4-0000-7000-8000-00000000000c")]: item,
        [rollout("None")]: '{"type":"session_meta","payload":{"cli_version":"0.137.0"}}\n',
      }).map((group) => group.split(":")[0]),
    ).toEqual([
      `codex ${ID}`,
      "codex 019b2ea4-0000-7000-8000-000000000002",
      "codex 019b2ea4-0000-7000-8000-00000000000c",
      "codex rollout-2026-03-02T10-00-00-None",
    ]);
  });

  test("makes one session of a log and its archived copy", () => {
    expect(groupTexts(codex, { "/a/x.jsonl": meta(ID), "/s/x.jsonl": meta(ID) + item })).toEqual([
      `codex ${ID}: main /s/x.jsonl, main /a/x.jsonl`,
    ]);
  });

  test("leaves out what is no log, and compressed ones", () => {
    expect(
      groupTexts(codex, {
        "/s/empty.jsonl": "",
        "/s/x.jsonl.zst": "(compressed)",
        "/s/x.jsonl.bak": meta(ID),
        "/s/history.jsonl": '{"session_id":"x","ts":1,"text":"Hi"}\n',
      }),
    ).toEqual([]);
  });
});

test("codexFormat.resume() names the id", () => {
  expect(codex.resume({ id: ID, project: "/w", source: null })).toEqual({
    command: ["codex", "resume", ID],
    folder: "/w",
  });
});
