import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { agents } from "../../src/agents/agents.ts";

/** So much of a file is looked at to see whose log it is. */
const HEAD = 64 * 1024;
const LONG = "QUJD".repeat(HEAD);
const ID = "0c0c0c0c-0000-4000-8000-00000000000c";
const AT = "2026-11-01T08:00:00.000Z";

const FIRST_LINES: readonly (readonly [agent: string, line: object])[] = [
  [
    "claude",
    { parentUuid: null, cwd: "/a", sessionId: ID, type: "user", message: { role: "user", content: LONG } },
  ],
  [
    "qwen",
    {
      uuid: "u",
      parentUuid: null,
      sessionId: ID,
      type: "user",
      message: { role: "user", parts: [{ text: LONG }] },
    },
  ],
  ["codex", { timestamp: AT, type: "session_meta", payload: { cwd: "/a", id: ID, instructions: LONG } }],
  ["gemini", { sessionId: ID, projectHash: "a", messages: [{ content: LONG }] }],
  ["copilot", { type: "session.start", data: { sessionId: ID, prompt: LONG } }],
];

const spaced = (value: object): string =>
  JSON.stringify(value, null, 1).replace(/\n */g, " ").replaceAll('":', '" :');

describe.each(FIRST_LINES)(
  "the start of a first line of %s that is longer than what is looked at",
  (agent, line) => {
    test.each([
      ["as its agent writes it", JSON.stringify(line)],
      ["with white space between its parts", spaced(line)],
      ["with a BOM and white space", `\ufeff${spaced(line)}`],
    ])("shows whose it is %s", (_, text) => {
      const head = Buffer.from(text).subarray(0, HEAD);
      expect(agents.filter((each) => each.owns(head)).map(({ name }) => name)).toEqual([agent]);
    });

    test("names the session", () => {
      const head = Buffer.from(spaced(line)).subarray(0, HEAD);
      const file = { path: `/x/chats/${ID}.jsonl`, size: LONG.length, mtimeMs: 1, inode: 1 };
      const format = agents.find(({ name }) => name === agent);
      const groups = format?.group([file], (_, from = 0) => head.subarray(from)) ?? [];
      expect(groups.map(({ id }) => id)).toEqual([ID]);
    });
  },
);
