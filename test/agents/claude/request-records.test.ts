import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { NORMAL_RULE, planClaudeCompaction } from "../../../src/agents/claude/compact.ts";
import { rewrittenBytes } from "../../../src/jsonl/rewrite-plan.ts";

type Line = Readonly<Record<string, unknown>>;

const WHOLE = { type: "prompt_snapshot", systemPrompt: ["Be brief."], tools: [{ name: "Bash" }] };
const FIRST = { type: "prompt_snapshot", systemPrompt: ["Be brief."] };
const BARE = { type: "prompt_snapshot" };

const said = (uuid: string, parentUuid: string | null): Line => ({ type: "user", uuid, parentUuid });
const snapshot = (uuid: string, parentUuid: string, attachment: Line): Line => ({
  type: "attachment",
  uuid,
  parentUuid,
  attachment,
});
const boundary = (uuid: string): Line => ({
  type: "system",
  subtype: "compact_boundary",
  uuid,
  parentUuid: null,
});

/** What a compaction leaves of the log, and how many lines it made small. */
function compacted(lines: readonly Line[]): { readonly lines: readonly Line[]; readonly changed: number } {
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { plan, records } = planClaudeCompaction(() => [bytes], bytes.length, NORMAL_RULE);
  const text = Buffer.concat([...rewrittenBytes(plan, [bytes])]).toString();
  return {
    lines: text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    changed: records.lines,
  };
}

/** Names of the snapshots that are whole after a compaction. */
function keptSnapshots(lines: readonly Line[]): readonly unknown[] {
  const left = compacted(lines).lines.filter(({ attachment }) => attachment !== undefined);
  return left.filter(({ attachment }) => Object.keys(attachment ?? {}).length > 1).map(({ uuid }) => uuid);
}

describe("compaction of snapshots", () => {
  test.each<[string, readonly Line[], readonly string[]]>([
    ["the only one", [said("a", null), snapshot("s", "a", WHOLE), said("b", "s")], ["s"]],
    [
      "the last of several",
      [said("a", null), snapshot("s", "a", FIRST), said("b", "s"), snapshot("t", "b", WHOLE), said("c", "t")],
      ["t"],
    ],
    [
      "one without tools, and the whole one above it",
      [said("a", null), snapshot("s", "a", WHOLE), said("b", "s"), snapshot("t", "b", FIRST), said("c", "t")],
      ["s", "t"],
    ],
    [
      "that of each branch",
      [said("a", null), snapshot("s", "a", WHOLE), said("b", "s"), snapshot("t", "a", WHOLE), said("c", "t")],
      ["s", "t"],
    ],
    [
      "none from before a compaction",
      [said("a", null), snapshot("s", "a", WHOLE), said("b", "s"), boundary("x"), said("c", "x")],
      [],
    ],
  ])("keeps %s", (_, lines, kept) => {
    expect(keptSnapshots(lines)).toEqual(kept);
  });

  test("leaves the type of the others, and lines without end between parents alone", () => {
    const loop = [said("p", "q"), said("q", "p"), snapshot("s", "q", WHOLE), snapshot("t", "s", WHOLE)];
    const { lines, changed } = compacted(loop);
    expect(changed).toBe(1);
    expect(lines.map(({ attachment }) => attachment)).toEqual([undefined, undefined, BARE, WHOLE]);
  });
});

describe("compaction of requests", () => {
  const requests: readonly Line[] = [
    {
      type: "api-request-shape",
      shapeHash: "h1",
      shape: { system: [{ text: "Be brief." }], tools: [{ name: "Bash" }] },
    },
    {
      type: "api-request-blob",
      hash: "h2",
      message: { role: "user", content: [{ type: "text", text: "hello" }] },
    },
    {
      type: "api-request",
      id: "r",
      shapeHash: "h1",
      params: { model: "m" },
      keep: 0,
      tail: ["h2"],
      cacheControl: [{ path: [0] }],
    },
  ];
  const emptied: readonly Line[] = [
    { type: "api-request-shape", shapeHash: "h1", shape: { system: [], tools: [] } },
    { type: "api-request-blob", hash: "h2", message: { role: "user", content: [] } },
    { type: "api-request", id: "r", shapeHash: "h1", params: {}, keep: 0, tail: [], cacheControl: [] },
  ];

  test("empties them, and keeps their hashes", () => {
    expect(compacted(requests)).toEqual({ lines: emptied, changed: 3 });
  });

  test("does so once", () => {
    expect(compacted(emptied)).toEqual({ lines: emptied, changed: 0 });
  });

  test("leaves a message alone that only speaks of them", () => {
    const line = {
      type: "user",
      message: { content: 'why "api-request" and "prompt_snapshot"?' },
      tail: ["h2"],
    };
    expect(compacted([line])).toEqual({ lines: [line], changed: 0 });
  });
});
