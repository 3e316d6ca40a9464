import { Buffer } from "node:buffer";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Agent, FoundFile, SessionFiles } from "../../src/agents/agent.ts";
import { claw } from "../../src/agents/claw/claw.ts";
import { codex } from "../../src/agents/codex/codex.ts";
import { pi } from "../../src/agents/pi/pi.ts";
import { readSession } from "../../src/agents/read-session.ts";
import type { Session } from "../../src/session/session.ts";
import { fixtureSource } from "../support/read-fixture.ts";
import { realHome } from "./support/real-home.ts";

/** What the real logs of an agent must give, counted by the simplest means in their text. */
interface Recount {
  readonly requests: number;
  readonly calls: number;
  readonly compactions: number;
}

const home = realHome();

describe.each<[Agent, number, (text: string) => Recount]>([
  [pi, 16, recountPi],
  [claw, 26, recountClaw],
])("the real logs of $name", (format, files, recount) => {
  const groups = findLogs(format);

  test("are all found, and no file twice", () => {
    const paths = groups.flatMap((group) => group.files.map((file) => file.path));
    expect(paths).toHaveLength(files);
    expect(new Set(paths).size).toBe(files);
  });

  test("give every request, call and compaction that their text has", () => {
    for (const group of groups) {
      const session = readSession(fixtureSource, group);
      const counts = group.files.map((file) => recount(readFileSync(file.path, "utf8")));
      expect(countsOf(session), group.files[0]?.path).toEqual({
        requests: sum(counts.map((count) => count.requests)),
        calls: sum(counts.map((count) => count.calls)),
        compactions: sum(counts.map((count) => count.compactions)),
      });
    }
  });
});

describe("the real logs of Codex", () => {
  const groups = findLogs(codex);

  test("are all found, and no file twice", () => {
    const paths = groups.flatMap((group) => group.files.map((file) => file.path));
    expect(paths).toHaveLength(13);
    expect(new Set(paths).size).toBe(13);
  });

  // They are few and small, so what each must give was counted by hand.
  test.each<[string, Partial<Recount>, string | null]>([
    ["019b2ea4-aaaa-bbbb-cccc-58208e1f0000", { requests: 6, calls: 1 }, "Start"],
    ["0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee", { requests: 1, calls: 1 }, "add a codex source adapter"],
    [
      "0199bbbb-cccc-7ddd-8eee-222222222222",
      { requests: 1, calls: 0 },
      "mismatched session_meta id should not drop this file",
    ],
    ["0199cccc-dddd-7eee-8fff-aaaaaaaaaaaa", { requests: 0, calls: 7 }, null],
    ["s1", { requests: 1, calls: 3 }, "create one focused commit"],
    ["xyz789", { requests: 2, calls: 2 }, "please read the file"],
    ["rollout-2026-01-01T00-00-00-None", { requests: 0, calls: 1 }, null],
    ["cleanup-input", { requests: 1 }, "inspect both files"],
    ["test-usage-session", { requests: 0, calls: 0 }, null],
  ])("%s gives %j and the title %j", (id, counts, title) => {
    const group = groups.find((one) => one.id === id);
    if (group === undefined)
      throw new Error(`no session ${id} among ${groups.map((one) => one.id).join(", ")}`);
    const session = readSession(fixtureSource, group);
    expect(countsOf(session)).toMatchObject(counts);
    expect(session.title).toBe(title);
  });
});

function findLogs(format: Agent): readonly SessionFiles[] {
  const roots = format.roots({ home, variables: {}, folder: join(home, "none"), projects: [] });
  const files = roots.flatMap((root) => walk(root.folder, root.depth, root.extensions));
  return format.group(files, peek);
}

function walk(folder: string, depth: number, extensions: readonly string[]): readonly FoundFile[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = statSync(path);
    if (stat.isDirectory()) return depth > 1 ? walk(path, depth - 1, extensions) : [];
    if (!extensions.some((extension) => name.endsWith(extension))) return [];
    return [{ path, size: stat.size, mtimeMs: Math.floor(stat.mtimeMs), inode: stat.ino }];
  });
}

function peek(path: string): Buffer {
  const file = openSync(path, "r");
  const head = Buffer.alloc(64 * 1024);
  try {
    return head.subarray(0, readSync(file, head));
  } finally {
    closeSync(file);
  }
}

function countsOf(session: Session): Recount {
  const steps = [...session.preamble, ...session.turns.flatMap((turn) => turn.steps)];
  return {
    requests: session.turns.length,
    calls: steps.filter((step) => step.kind === "tool").length,
    compactions: session.compactions.length,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

/** Roles and types stand first in what Pi writes, and quotes inside texts are escaped. */
function recountPi(text: string): Recount {
  const shellLines = count(text, /"message":\{"role":"bashExecution"/g);
  const users = count(text, /"message":\{(?:"id":"[^"]*",)?"role":"user"|"type":"user\/message"/g);
  // One relative puts the summary of a compaction into a message as well.
  const repeated = count(text, /"type":"compaction"[^\n]*"message":\{"id"/g);
  return {
    requests: users - repeated + shellLines,
    calls: count(text, /\{"type":"toolCall","id"|\{"type":"tool-call","id"/g) + shellLines,
    compactions: count(text, /\{"type":"compaction"/g),
  };
}

function recountClaw(text: string): Recount {
  return {
    requests: count(text, /"role":"user"/g),
    calls: count(text, /"type":"tool_use"/g),
    compactions: count(text, /"type":"compaction"/g),
  };
}
