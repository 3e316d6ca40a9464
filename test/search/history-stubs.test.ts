import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findSessions } from "../../src/agents/find-sessions.ts";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import { forgetSession } from "../../src/forget.ts";
import type { Library } from "../../src/fs/library.ts";
import { historyMark, historyStubs, sessionOfStub } from "../../src/search/history-stubs.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { unreadableDisk } from "../crash/sick-disks.ts";
import { locking, quickLibrary } from "../support/archive/archiving.ts";

const fixture = fileURLToPath(new URL("../../fixtures/claude/homes/history-of-the-swept/", import.meta.url));
const ID = "98a7e06f-1a5d-4611-9403-960e3b7d05d2";

function withHistory(lines: readonly unknown[], options: Parameters<typeof quickLibrary>[0] = {}): Library {
  const library = quickLibrary(options);
  const folder = join(library.environment.home, ".claude");
  fs.mkdirSync(folder, { recursive: true });
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  fs.writeFileSync(join(folder, "history.jsonl"), `${text}\n`);
  return library;
}

const line = (display: string, more: object = {}): object => ({
  display,
  pastedContents: {},
  timestamp: 1_785_571_200_000,
  project: "/w/shop",
  sessionId: ID,
  ...more,
});

describe("historyStubs()", () => {
  it("recovers the prompts of sessions whose logs are gone, and of no others", () => {
    const library = quickLibrary({ variables: { CLAUDE_CONFIG_DIR: fixture } });
    const known = new Set(findSessions(library).sessions.map(({ id }) => id));
    const { stubs, nameless, problems } = historyStubs(library, ({ id }) => known.has(id));
    expect(stubs).toEqual([
      {
        agent: "claude",
        id: ID,
        project: "/home/ana/shop",
        prompts: [
          { at: 1_785_571_200_000, text: "Fix the login" },
          { at: 1_785_571_500_000, text: "and add a test" },
        ],
      },
    ]);
    expect({ nameless, problems }).toEqual({ nameless: 1, problems: [] });
  });

  it("makes of a stub a session that can be listed and searched", () => {
    const library = quickLibrary({ variables: { CLAUDE_CONFIG_DIR: fixture } });
    const [stub] = historyStubs(library, ({ id }) => id !== ID).stubs;
    if (stub === undefined) throw new Error("there is no stub");
    const session = sessionOfStub(stub);
    expect(extractDigest(session)).toMatchObject({
      agent: "claude",
      id: ID,
      project: "/home/ana/shop",
      title: "Fix the login",
      startedAt: 1_785_571_200_000,
      endedAt: 1_785_571_500_000,
      turns: 2,
    });
    expect(session.turns.map(({ request, at }) => [request, at])).toEqual(
      stub.prompts.map(({ text, at }) => [text, at]),
    );
  });

  it("puts pasted text in its place, leaves bare commands out, and takes ids in any case", () => {
    const library = withHistory([
      line("Explain [Pasted text #1 +2 lines] please", {
        pastedContents: { 1: { id: 1, type: "text", content: "the stack trace" } },
        sessionId: ID.toUpperCase(),
      }),
      line("/clear"),
      line("/review the cart"),
      line("   "),
      line("[Pasted text #2] stays", { pastedContents: { 2: { id: 2, type: "text", contentHash: "abc" } } }),
    ]);
    const { stubs } = historyStubs(library, () => false);
    expect(stubs.map(({ id, prompts }) => [id, prompts.map(({ text }) => text)])).toEqual([
      [ID, ["Explain the stack trace please", "/review the cart", "[Pasted text #2] stays"]],
    ]);
  });

  it("survives lines that are none", () => {
    const library = withHistory([
      "{torn",
      "[]",
      "null",
      "",
      '{"display":5}',
      { display: "x", sessionId: "../.." },
      line("good"),
    ]);
    const { stubs, nameless } = historyStubs(library, () => false);
    expect(stubs).toHaveLength(1);
    expect(nameless).toBe(1);
  });

  it("keeps little of a history that is huge", () => {
    const library = withHistory(Array.from({ length: 50 }, (_, n) => line(`${n} ${"x".repeat(20_000)}`)));
    const [stub] = historyStubs(library, () => false).stubs;
    expect(stub?.prompts).toHaveLength(50);
    expect(stub?.prompts.every(({ text }) => text.length <= 8_000)).toBe(true);
  });

  it("leaves out projects that are excluded, and sessions that were forgotten", async () => {
    expect(
      historyStubs(withHistory([line("x")], { config: { exclude: ["/w/*"] } }), () => false).stubs,
    ).toEqual([]);
    const library = withHistory([line("x")]);
    await forgetSession(library, { agent: "claude", id: ID, copy: null }, { locking });
    expect(historyStubs(library, () => false).stubs).toEqual([]);
  });

  it("has a mark that changes with the file", () => {
    const library = withHistory([line("x")]);
    const before = historyMark(library);
    expect(historyStubs(library, () => false).mark).toBe(before);
    fs.appendFileSync(join(library.environment.home, ".claude", "history.jsonl"), "more\n");
    expect(historyMark(library)).not.toBe(before);
  });

  it("reports a history that can't be read, and is silent where there is none", () => {
    const library = withHistory([line("x")]);
    const disk = unreadableDisk(quickDisk, (path) => path.endsWith("history.jsonl"));
    expect(historyStubs({ ...library, disk }, () => false).problems).toMatchObject([
      { what: "permission denied" },
      { what: "permission denied" },
    ]);
    expect(historyStubs(quickLibrary(), () => false)).toMatchObject({ stubs: [], problems: [] });
  });
});
