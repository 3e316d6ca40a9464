import { describe, expect, it } from "vitest";
import { forkClaude } from "../../../src/agents/claude/fork.ts";
import { rawLines } from "../../../src/jsonl/lines.ts";

function fork(text: string): readonly Record<string, unknown>[] {
  let n = 0;
  const made = forkClaude({
    id: "old",
    path: "/p/old.jsonl",
    title: "Title",
    uuid: () => `new-${n++}`,
    now: 0,
  });
  expect(made.path).toBe("/p/new-0.jsonl");
  const bytes = Buffer.concat([...made.content(() => rawLines([Buffer.from(text)]))]);
  return bytes
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const user = '"type":"user","message":{"role":"user","content":"Hello","uuid":"a"}';
const line = (uuid: string, parent: string | null, rest: string): string =>
  `{"slug":"x","sessionId":"old","uuid":"${uuid}","parentUuid":${JSON.stringify(parent)},"agentName":"n",${rest},"teamName":"t","timestamp":"2026-01-01T00:00:00.000Z"}\n`;

describe("forkClaude()", () => {
  it("leaves progress and sub-agents out, and hangs what hung on them on what they hung on", () => {
    const [a, b, ...rest] = fork(
      line("a", null, user) +
        line("p", "a", '"type":"progress","data":{}') +
        line("s", "p", `"isSidechain":true,${user}`) +
        line("b", "s", '"type":"assistant","message":{"content":[]}'),
    );
    expect(b?.parentUuid).toBe(a?.uuid);
    expect(rest).toEqual([{ type: "custom-title", customTitle: "Title (fork)", sessionId: "new-0" }]);
  });

  it("renames lines and says which they were; what a message says is not touched", () => {
    const [a] = fork(line("a", null, user));
    expect(a).toEqual({
      sessionId: "new-0",
      uuid: "new-1",
      parentUuid: null,
      type: "user",
      message: { role: "user", content: "Hello", uuid: "a" },
      timestamp: "1970-01-01T00:00:00.000Z",
      forkedFrom: { sessionId: "old", messageUuid: "a" },
    });
  });

  it("renames what a compaction keeps", () => {
    const [a, boundary] = fork(
      line("a", null, user) +
        line(
          "c",
          null,
          '"type":"system","subtype":"compact_boundary","logicalParentUuid":"a","compactMetadata":{"preservedSegment":{"headUuid":"a","anchorUuid":"c","tailUuid":"a"},"preservedMessages":{"anchorUuid":"c","uuids":["a"],"allUuids":["a"]}}',
        ),
    );
    const [name, own] = [a?.uuid, boundary?.uuid];
    expect(boundary).toMatchObject({
      logicalParentUuid: name,
      compactMetadata: {
        preservedSegment: { headUuid: name, anchorUuid: own, tailUuid: name },
        preservedMessages: { anchorUuid: own, uuids: [name], allUuids: [name] },
      },
    });
  });

  it("leaves out a torn last line, and lines that say where the original went on", () => {
    const lines = fork(
      `${line("a", null, user)}{"type":"continued-in","sessionId":"old","continuedInSessionId":"z"}\n{"type":"us`,
    );
    expect(lines.map(({ type }) => type)).toEqual(["user", "custom-title"]);
  });

  it("survives parents in a circle", () => {
    const [a] = fork(
      line("p", "q", '"type":"progress"') + line("q", "p", '"type":"progress"') + line("a", "p", user),
    );
    expect(a?.parentUuid).toBeNull();
  });
});
