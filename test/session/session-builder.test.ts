import { describe, expect, test } from "vitest";
import { sessionTree } from "../../src/session/branches.ts";
import type { Entry, WorkUpdate } from "../../src/session/entry.ts";
import type { Session } from "../../src/session/session.ts";
import { createSessionBuilder } from "../../src/session/session-builder.ts";
import { sessionContext } from "../../src/session/session-context.ts";
import fc from "../support/fc.ts";

const facts = { id: "s", project: null, branch: null, version: null, firstAt: null, lastAt: null };

function build(entries: readonly Entry[], rule: "last-entry" | "last-message" = "last-message"): Session {
  const builder = createSessionBuilder(rule);
  for (const entry of entries) builder.add(entry);
  return builder.finish({ agent: "claude", id: "s", facts, lines: entries.length, problems: [] });
}

const request = (uid: string, parent: string | null, line: number, text = uid): Entry => ({
  kind: "request",
  uid,
  parent,
  line,
  text,
  via: "typed",
  chars: text.length,
  images: 0,
});
const reply = (uid: string, parent: string, line: number, message = uid): Entry => ({
  kind: "reply",
  uid,
  parent,
  line,
  message,
  parts: [{ kind: "text", text: `re ${uid}`, chars: 5 }],
});

describe("createSessionBuilder()", () => {
  test("a call that failed changes no list of work", () => {
    const call = (line: number, id: string, work: WorkUpdate): Entry => ({
      kind: "reply",
      uid: `r${line}`,
      parent: null,
      line,
      parts: [{ kind: "call", id, name: "todo_write", input: "", inputChars: 0, files: [], work }],
    });
    const answer = (line: number, callId: string, isError: boolean): Entry => ({
      kind: "results",
      uid: `a${line}`,
      parent: `r${line - 1}`,
      line,
      results: [{ callId, isError, exitCode: null, text: "", chars: 0 }],
    });
    const list = (...texts: readonly string[]): WorkUpdate => ({
      kind: "list",
      items: texts.map((text) => ({ text, status: "pending" })),
    });
    const textsAfter = (...entries: readonly Entry[]): readonly string[] =>
      build(entries).work.map(({ text, status }) => `${text} ${status}`);
    const kept = [call(1, "c1", list("paint it")), answer(2, "c1", false)];
    expect(textsAfter(...kept, call(3, "c2", list("burn it")), answer(4, "c2", true))).toEqual([
      "paint it pending",
    ]);
    // What came in between stays.
    expect(
      textsAfter(
        ...kept,
        call(3, "c2", list("burn it")),
        call(4, "c3", list("draw it")),
        answer(5, "c2", true),
        answer(6, "c3", false),
      ),
    ).toEqual(["draw it pending"]);
    // Without a result it counts.
    expect(textsAfter(...kept, call(3, "c2", list("burn it")))).toEqual(["burn it pending"]);
    const created = [
      call(1, "c1", { kind: "create", text: "paint it" }),
      answer(2, "c1", true),
      call(3, "c2", { kind: "create", text: "draw it" }),
      answer(4, "c2", false),
    ];
    expect(textsAfter(...created)).toEqual(["draw it pending"]);
    const updates = [
      call(1, "c1", { kind: "update", id: "7", text: "paint it", status: "in_progress" }),
      answer(2, "c1", false),
      call(3, "c2", { kind: "update", id: "7", status: "completed" }),
    ];
    expect(textsAfter(...updates, answer(4, "c2", true))).toEqual(["paint it in_progress"]);
    expect(textsAfter(...updates, answer(4, "c2", false))).toEqual(["paint it completed"]);
  });

  test("gathers what follows a request into its turn, branch by branch", () => {
    const session = build([
      request("a", null, 1),
      reply("a1", "a", 2),
      request("b", "a1", 3),
      reply("b1", "b", 4),
      request("c", "a1", 5),
      reply("c1", "c", 6),
    ]);
    expect(session.turns.map(({ request, context, steps }) => [request, context, steps.length])).toEqual([
      ["a", "current", 1],
      ["b", "branch", 1],
      ["c", "current", 1],
    ]);
    expect(
      session.branches.map(({ fromTurn, parentTurn, context }) => [fromTurn, parentTurn, context]),
    ).toEqual([
      [1, null, "current"],
      [2, 1, "branch"],
      [3, 1, "current"],
    ]);
    const [root] = sessionTree(session);
    expect(root?.forks.get(1)?.map(({ turns }) => turns.map((turn) => turn.request))).toEqual([["b"], ["c"]]);
  });

  test("follows the last entry where that is the rule, whatever it is", () => {
    const entries: readonly Entry[] = [
      request("a", null, 1),
      reply("a1", "a", 2),
      reply("a2", "a1", 3),
      { kind: "link", uid: "l", parent: "a1", line: 4 },
    ];
    expect(build(entries, "last-entry").turns[0]?.steps.map(({ context }) => context)).toEqual([
      "current",
      "branch",
    ]);
    expect(build(entries, "last-message").turns[0]?.steps.map(({ context }) => context)).toEqual([
      "current",
      "current",
    ]);
  });

  test("keeps what is between the first kept entry and a compaction", () => {
    const session = build(
      [
        request("a", null, 1),
        reply("a1", "a", 2),
        request("b", "a1", 3),
        reply("b1", "b", 4),
        {
          kind: "compaction",
          uid: "k",
          parent: "b1",
          line: 5,
          trigger: null,
          tokensBefore: 9,
          tokensAfter: null,
          keptFrom: "b",
          summary: "so far",
        },
        request("c", "k", 6),
      ],
      "last-entry",
    );
    expect(session.turns.map(({ context }) => context)).toEqual(["compacted", "current", "current"]);
    expect(
      sessionContext(session).map((item) => (item.kind === "request" ? item.text : item.step.kind)),
    ).toEqual(["summary", "b", "reply", "c"]);
  });

  test("a prompt that only the agent's queue has is a turn, and nothing that the agent would load", () => {
    const asked = { kind: "request", chars: 1, images: 0 } as const;
    const session = build(
      [
        { ...asked, line: 1, uid: "a", parent: null, via: "typed", text: "first" },
        { kind: "fact", line: 2, fact: { name: "queued", text: "waiting" } },
        { ...asked, line: 3, uid: "b", parent: "a", via: "queued", text: "handed over" },
      ],
      "last-entry",
    );
    expect(session.turns.map(({ request }) => request)).toEqual(["first", "waiting", "handed over"]);
    expect(sessionContext(session)).toMatchObject([{ text: "first" }, { text: "handed over" }]);
  });

  test("survives any tree: circles, missing parents, names used twice, kept entries from nowhere", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const parent = fc.option(name, { nil: null });
    const entry: fc.Arbitrary<Entry> = fc.oneof(
      fc.record({ uid: name, parent }).map(({ uid, parent }) => request(uid, parent, 1)),
      fc
        .record({ uid: name, parent: name, message: name })
        .map(({ uid, parent, message }) => reply(uid, parent, 1, message)),
      fc
        .record({ uid: name, parent, line: fc.constant(1) })
        .map((link): Entry => ({ kind: "link", ...link })),
      fc
        .record({ uid: name, parent, sidechain: fc.constantFrom<true | string>(true, "x") })
        .map((chain): Entry => ({ kind: "link", line: 1, ...chain })),
      fc.record({ uid: name, parent, logicalParent: name, uids: fc.array(name), anchor: name }).map(
        ({ uids, anchor, ...rest }): Entry => ({
          kind: "compaction",
          line: 1,
          ...rest,
          trigger: null,
          tokensBefore: null,
          tokensAfter: null,
          kept: { uids, anchor },
        }),
      ),
      fc.record({ uid: name, parent, head: name, tail: name, anchor: name }).map(
        ({ head, tail, anchor, ...rest }): Entry => ({
          kind: "compaction",
          line: 1,
          ...rest,
          trigger: null,
          tokensBefore: null,
          tokensAfter: null,
          keptSegment: { head, tail, anchor },
        }),
      ),
      fc
        .record({ uid: name, parent })
        .map((place): Entry => ({ kind: "summary", line: 1, of: "compaction", text: "s", ...place })),
      name.map((text): Entry => ({ kind: "fact", line: 1, fact: { name: "queued", text } })),
    );
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 25 }),
        fc.constantFrom("last-entry" as const, "last-message" as const),
        (entries, rule) => {
          const session = build(entries, rule);
          // Every request that stands in the log is a turn, once.
          expect(session.turns.map(({ number }) => number)).toEqual(
            session.turns.map((_, index) => index + 1),
          );
          expect(sessionContext(session).length).toBeGreaterThanOrEqual(0);
          const inTree = session.branches.flatMap(({ turns }) => turns);
          expect(new Set(inTree).size).toBe(inTree.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
