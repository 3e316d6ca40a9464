import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClaudeFiles, claudeProjects, isRow, type Row } from "./support/claude-files.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";
import { type Recount, recountClaude } from "./support/recount-claude.ts";
import { askSessions, forEachOf } from "./support/run-sessions.ts";

/**
 * Where the program and the recount may differ, and why. An entry that is no longer needed fails the
 * suite: this table is what remains to be explained, not a place to put failures.
 */
const EXCEPTIONS: readonly {
  readonly session: string;
  readonly what: "turns" | "requests" | "tools" | "written" | "compactions" | "listed";
  readonly why: string;
}[] = [];

/** What the archive of real logs holds; other logs have other numbers, so these are bounds from below. */
const AT_LEAST = { sessions: 320, requests: 1200, calls: 19_000, written: 1000, compactions: 53 };

interface Compared {
  readonly files: ClaudeFiles;
  readonly recount: Recount;
  readonly listed: Row | undefined;
  readonly shown: Row | undefined;
}

describe("a recount of every Claude Code session of the real logs", () => {
  const store = temporaryFolder();
  const compared: Compared[] = [];

  beforeAll(async () => {
    const places = { home: realHome(), store: store.path };
    const list = await askSessions(places, ["list", "--limit", "100000", "--agent", "claude"]);
    const listed = new Map(rowsAt(list, "sessions").map((session) => [String(session.sessionId), session]));
    await forEachOf(claudeProjects(join(places.home, ".claude", "projects")).sessions, 2, async (files) => {
      const session = listed.get(files.id);
      const shown = session === undefined ? undefined : await askSessions(places, ["show", files.id]);
      compared.push({ files, recount: recountClaude(files), listed: session, shown });
    });
  });

  afterAll(() => store.remove());

  test("sees as many sessions, requests, calls, files and compactions as the logs have", () => {
    const sum = (of: (recount: Recount) => number): number =>
      compared.reduce((total, { recount }) => total + of(recount), 0);
    expect(compared.length).toBeGreaterThanOrEqual(AT_LEAST.sessions);
    expect(sum((recount) => recount.requests.length)).toBeGreaterThanOrEqual(AT_LEAST.requests);
    expect(sum((recount) => total(recount.tools))).toBeGreaterThanOrEqual(AT_LEAST.calls);
    expect(sum((recount) => Object.keys(recount.written).length)).toBeGreaterThanOrEqual(AT_LEAST.written);
    expect(sum((recount) => recount.compactions)).toBeGreaterThanOrEqual(AT_LEAST.compactions);
  });

  test("list has every session", () => {
    expectSame("listed", ({ listed }) => [listed !== undefined, true]);
  });

  test("list counts the turns", () => {
    expectSame("turns", ({ listed, recount }) => [listed?.turns, recount.requests.length]);
  });

  test("list counts the compactions", () => {
    expectSame("compactions", ({ listed, recount }) => [listed?.compactions, recount.compactions]);
  });

  test("show has the requests, in order", () => {
    expectSame("requests", ({ shown, recount }) => [
      rowsAt(shown, "requests").map((request) => beginning(String(request.text))),
      recount.requests.map(beginning),
    ]);
  });

  test("show counts the calls of every tool, once per id, those of sub-agents included", () => {
    expectSame("tools", ({ shown, recount }) => [
      Object.fromEntries(
        Object.entries(isRow(shown?.tools) ? shown.tools : {}).map(([name, of]) => [
          name,
          isRow(of) ? of.count : of,
        ]),
      ),
      recount.tools,
    ]);
  });

  test("show has every file that was written, and how often", () => {
    expectSame("written", ({ shown, recount }) => [
      Object.fromEntries(
        rowsAt(shown, "files")
          .filter((file) => file.writes !== 0)
          .map((file) => [String(file.path), file.writes]),
      ),
      recount.written,
    ]);
  });

  /** All differences at once: one session that differs must not hide the others. */
  function expectSame(
    what: (typeof EXCEPTIONS)[number]["what"],
    of: (one: Compared) => readonly [ours: unknown, recounted: unknown],
  ): void {
    const excepted = new Set(EXCEPTIONS.filter((entry) => entry.what === what).map((entry) => entry.session));
    const unlisted = new Set(
      EXCEPTIONS.filter((entry) => entry.what === "listed").map((entry) => entry.session),
    );
    const differing = new Map<string, { readonly ours: unknown; readonly recounted: unknown }>();
    for (const one of compared) {
      if (what !== "listed" && unlisted.has(one.files.id)) continue;
      const [ours, recounted] = of(one);
      if (stable(ours) !== stable(recounted)) differing.set(one.files.id, { ours, recounted });
    }
    const unexplained = [...differing].filter(([id]) => !excepted.has(id));
    expect(Object.fromEntries(unexplained)).toEqual({});
    expect([...excepted].filter((id) => !differing.has(id))).toEqual([]);
  }
});

function rowsAt(row: Row | undefined, key: string): readonly Row[] {
  const value = row?.[key];
  return Array.isArray(value) ? value.filter(isRow) : [];
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Enough to tell requests apart, little enough to stand before any cut or masked secret. */
function beginning(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 40);
}

/** JSON with sorted keys: objects are equal when their entries are. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRow(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
