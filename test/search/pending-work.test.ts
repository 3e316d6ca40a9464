import { describe, expect, test } from "vitest";
import type { ClosedItem, PendingItem } from "../../src/extract/digest.ts";
import { foldRepeats, pendingWork } from "../../src/search/pending-work.ts";
import type { SessionRow } from "../../src/search/refresh/session-row.ts";
import type { CatalogRow, SessionState } from "../../src/search/session-catalog.ts";

interface Given {
  readonly project?: string;
  readonly repository?: string;
  readonly worktree?: string;
  readonly pending?: readonly PendingItem[];
  readonly closed?: readonly ClosedItem[];
  readonly state?: SessionState;
}

function rowOf(given: Given): CatalogRow {
  const { project = "/home/ana/shop", repository = null, worktree = null } = given;
  const { pending = [], closed = [], state = "idle" } = given;
  const digest: SessionRow = {
    agent: "claude",
    id: "0b8ec0de",
    title: null,
    project,
    branch: null,
    repository,
    worktree,
    startedAt: null,
    endedAt: null,
    turns: 1,
    messages: 2,
    compactions: 0,
    bytes: 1,
    files: 1,
    lead: null,
    origin: "log",
    mark: "",
    firstTurn: null,
    contexts: [],
    tools: {},
    topFiles: [],
    pending,
    closed,
    problems: [],
    activity: { models: [], slots: [], turns: [] },
  };
  return { digest, state, source: null, copies: 1, archive: null, bytes: 1 };
}

/** The items that are still open, by session, the newest first. */
function openIn(...sessions: readonly Given[]): readonly (readonly string[])[] {
  return pendingWork(sessions.map(rowOf)).map(({ items }) => items.map(({ text }) => text));
}

const open = (text: string, more: Partial<PendingItem> = {}): PendingItem => ({
  text,
  turn: 1,
  source: "todo",
  ...more,
});

describe("an item is closed by a later session of the project that finished it,", () => {
  test.each<[string, Given, Given]>([
    ["by its text", { closed: [{ text: "  run  THE tests" }] }, { pending: [open("Run the tests")] }],
    [
      "whatever it comes from",
      { closed: [{ text: "Run the tests" }] },
      { pending: [open("Run the tests", { source: "next" })] },
    ],
    ["by its id", { closed: [{ text: "", id: "7" }] }, { pending: [open("Run the tests", { id: "7" })] }],
  ])("%s", (_, later, earlier) => {
    expect(openIn(later, earlier)).toEqual([]);
    expect(openIn(earlier, later)).toEqual([["Run the tests"]]);
    expect(openIn({ ...later, project: "/elsewhere" }, earlier)).toEqual([["Run the tests"]]);
  });

  test("also in another folder of the same repository, but not in another worktree of it", () => {
    const repository = "/home/ana/shop";
    const done = { closed: [{ text: "Run the tests" }], repository };
    const earlier = { pending: [open("Run the tests")], repository };
    expect(openIn({ ...done, project: "/home/ana/shop/web" }, earlier)).toEqual([]);
    expect(
      openIn({ ...done, worktree: "fix-1", project: "/w/1/web" }, { ...earlier, worktree: "fix-1" }),
    ).toEqual([]);
    expect(openIn({ ...done, worktree: "fix-1" }, earlier)).toEqual([["Run the tests"]]);
    expect(openIn({ ...done, worktree: "fix-1" }, { ...earlier, worktree: "fix-2" })).toEqual([
      ["Run the tests"],
    ]);
  });

  test("but not by a task of its own with the same id", () => {
    const earlier = { pending: [open("Run the tests", { id: "1" })] };
    expect(openIn({ closed: [{ text: "Write docs", id: "1" }] }, earlier)).toEqual([["Run the tests"]]);
  });
});

test("an item of a list that is open in a later session, too, is listed there", () => {
  const item = open("Run the tests");
  expect(openIn({ pending: [item, open("Ship it")] }, { pending: [item] })).toEqual([
    ["Run the tests", "Ship it"],
  ]);
});

test("a next step with the same words is another one in each session", () => {
  const item = open("Push the branch", { source: "next" });
  expect(openIn({ pending: [item] }, { pending: [item] })).toEqual([
    ["Push the branch"],
    ["Push the branch"],
  ]);
});

test("a session that is being worked on was not interrupted", () => {
  const pending = [open("Fix it", { source: "interrupted" })];
  expect(openIn({ pending, state: "live" })).toEqual([]);
  expect(openIn({ pending })).toEqual([["Fix it"]]);
});

test("foldRepeats() lists the same item of a project once, and says how many sessions have it", () => {
  const next = (text: string): PendingItem => ({ text, turn: 1, source: "next" });
  const rows = [
    rowOf({ pending: [next("Push changes"), next("Tidy up")] }),
    rowOf({ pending: [next("push  changes")] }),
    rowOf({ pending: [next("Push changes"), next("Call Bo")] }),
    rowOf({ project: "/home/ana/infra", pending: [next("Push changes")] }),
  ];
  const all = pendingWork(rows);
  expect(all.map(({ items }) => items.map(({ sessions }) => sessions))).toEqual([[3, 1], [3], [3, 1], [1]]);
  const folded = foldRepeats(all);
  expect(folded.map(({ items }) => items.map(({ text }) => text))).toEqual([
    ["Push changes", "Tidy up"],
    ["Call Bo"],
    ["Push changes"],
  ]);
});
