import { describe, expect, test } from "vitest";
import { IndexDamage } from "../../src/fs/damage.ts";
import type {
  EngineFailure,
  IndexedSession,
  SearchAnswer,
  SearchEngine,
  SearchReader,
  StoredRow,
} from "../../src/search/engine.ts";
import type { SearchPlan } from "../../src/search/ranking/search-plan.ts";
import { engineError } from "../../src/search/refresh/index-access.ts";
import type { RowAttributes } from "../../src/search/session-condition.ts";
import { mustRead, mustWrite } from "../support/index/index-folder.ts";
import { keysOf, phrase, planFor, session, type TinyTurn, words } from "../support/index/tiny-history.ts";

const DAY_MS = 86_400_000;

/** Calls `use` with engines on one new, empty index of the small schema: every call of `open` is another process. */
export type WithEngines = (use: (open: () => SearchEngine) => Promise<void>) => Promise<void>;

/** What every search engine must do, embedded or shared. Run it with a way to create one. */
export function engineContract(name: string, withEngines: WithEngines): void {
  describe(`${name} as a search engine`, () => {
    test("is absent before the first commit", async () => {
      await withEngines(async (open) => {
        expect(await open().read()).toMatchObject({ kind: "absent" });
      });
    });

    test("shows all of a commit to readers that are opened after it, and nothing to those before", async () => {
      await withEngines(async (open) => {
        await put(open(), [session("a", "one", ["deploy"])]);
        const before = await mustRead(open());
        const writer = await mustWrite(open());
        await writer.put(session("b", "two", ["deploy"]));
        writer.remove("a");
        const between = await mustRead(open());
        await writer.commit({ tidy: "little" });
        await writer.close();
        const after = await mustRead(open());
        expect(keysOf(await search(before, "deploy"))).toEqual(["a"]);
        expect(keysOf(await search(between, "deploy"))).toEqual(["a"]);
        expect(keysOf(await search(after, "deploy"))).toEqual(["b"]);
        expect(before.id).toBe(between.id);
        expect(after.id).not.toBe(before.id);
        for (const reader of [before, between, after]) await reader.close();
      });
    });

    test("drops what was not committed", async () => {
      await withEngines(async (open) => {
        const writer = await mustWrite(open());
        await writer.put(session("a", "one", ["deploy"]));
        await writer.close();
        expect(await open().read()).toMatchObject({ kind: "absent" });
      });
    });

    test("replaces a session that is put again, as a whole", async () => {
      await withEngines(async (open) => {
        await put(open(), [session("a", "one", ["deploy", "release"])]);
        await put(open(), [session("a", "two", ["rollback"])]);
        await withReader(open(), async (reader) => {
          expect(keysOf(await search(reader, "rollback"))).toEqual(["a"]);
          expect((await search(reader, "release")).total).toBe(0);
          expect(await reader.session("a")).toMatchObject({ row: rowOf("a", "two") });
        });
      });
    });

    test("lets one write at a time, and the next one when it is closed", async () => {
      await withEngines(async (open) => {
        const writer = await mustWrite(open());
        expect(await open().write()).toMatchObject({ kind: "locked" });
        await writer.close();
        await (await mustWrite(open())).close();
      });
    });

    test("keeps the state of the last commit that had one", async () => {
      await withEngines(async (open) => {
        const commit = async (state?: string): Promise<string> => {
          const writer = await mustWrite(open());
          await writer.commit({ tidy: "little", ...(state !== undefined && { state }) });
          await writer.close();
          return withReader(open(), async (reader) => reader.state);
        };
        expect(await commit("first")).toBe("first");
        expect(await commit()).toBe("first");
        expect(await commit("second")).toBe("second");
      });
    });

    test("has only what is put after clear()", async () => {
      await withEngines(async (open) => {
        await put(open(), [session("a", "one", ["deploy"]), session("b", "two", ["deploy"])]);
        const writer = await mustWrite(open());
        writer.clear();
        await writer.put(session("c", "three", ["deploy"]));
        await writer.commit({ tidy: "little" });
        await writer.close();
        await withReader(open(), async (reader) => {
          expect(keysOf(await search(reader, "deploy"))).toEqual(["c"]);
          expect(await reader.session("a")).toBeUndefined();
        });
      });
    });

    test("returns the documents of a session on request, the card first", async () => {
      await withEngines(async (open) => {
        await put(open(), [session("a", "one", [{ request: "deploy", output: "done" }])]);
        await withReader(open(), async (reader) => {
          const stored = await reader.session("a");
          if (stored?.kind !== "session") throw new Error("it is there");
          expect(await stored.documents()).toMatchObject([
            { turn: 0, fields: { title: "one" } },
            { turn: 1, fields: { request: "deploy", output: "done" } },
          ]);
          const [hit] = (await search(reader, "deploy")).hits;
          expect(await hit?.turns[0]?.fieldsApart()).toEqual({ output: "done" });
          expect([hit?.source, stored.source]).toEqual([open().source, open().source]);
        });
      });
    });

    test.each([1, 2, 3, 100])("lists every row once, in pages of %d", async (limit) => {
      await withEngines(async (open) => {
        const keys = ["a", "b", "c", "d", "e"];
        await put(open(), keys.slice(0, 3).map(simple));
        await put(open(), keys.slice(3).map(simple));
        await withReader(open(), async (reader) => {
          const listed: StoredRow[] = [];
          for (let after: string | undefined; ; ) {
            const page = await reader.rows({ limit, ...(after !== undefined && { after }) });
            if (page.kind !== "rows") throw new Error(page.what);
            expect(page.rows.length).toBeLessThanOrEqual(limit);
            expect([page.sessions, page.turns]).toEqual([5, 5]);
            listed.push(...page.rows);
            after = page.next;
            if (after === undefined) break;
          }
          expect(listed.map(({ key }) => key).sort()).toEqual(keys);
          expect(listed[0]).toMatchObject({ source: open().source, turns: 1 });
        });
      });
    });

    test.each(["newest", "oldest"] as const)("sorts and pages hits, the %s first", async (sort) => {
      await withEngines(async (open) => {
        const keys = ["a", "b", "c", "d", "e"];
        await put(
          open(),
          keys.map((key, at) => session(key, "x", ["deploy"], at)),
        );
        const expected = sort === "newest" ? keys.toReversed() : keys;
        await withReader(open(), async (reader) => {
          const page = (offset: number): Promise<SearchAnswer> =>
            search(reader, "deploy", { sort, offset, limit: 2 });
          const pages = [await page(0), await page(2), await page(4), await page(6)];
          expect(pages.flatMap(keysOf)).toEqual(expected);
          expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
        });
      });
    });

    test("ranks every session with a word, and says how each matches and how many can be paged", async () => {
      await withEngines(async (open) => {
        await put(open(), [
          session("some", "x", ["deploy"], 2),
          session("all", "x", ["deploy the server"], 1),
          session("other", "x", ["nothing"], 3),
        ]);
        await withReader(open(), async (reader) => {
          const both = await search(reader, "deploy server");
          expect(both).toMatchObject({ match: "all", total: 1, ranked: 2 });
          expect(both.hits.map(({ key, match }) => [key, match])).toEqual([
            ["all", "all"],
            ["some", "some"],
          ]);
          const next = await search(reader, "deploy server", { offset: 1 });
          expect([next.total, next.ranked, ...keysOf(next)]).toEqual([1, 2, "some"]);
          expect(await search(reader, "deploy zebra")).toMatchObject({ match: "some", total: 2, ranked: 2 });
          expect(await search(reader, "zebra")).toMatchObject({
            match: "none",
            total: 0,
            ranked: 0,
            hits: [],
          });
        });
      });
    });

    test("takes only sessions with all words if hits are sorted by time or there is a phrase", async () => {
      await withEngines(async (open) => {
        await put(open(), [
          session("some", "x", ["deploy"], 2),
          session("apart", "x", ["server to deploy"], 1),
          session("phrase", "x", ["deploy server"], 0),
        ]);
        await withReader(open(), async (reader) => {
          const byTime = await search(reader, "deploy server", { sort: "newest" });
          expect([byTime.total, byTime.ranked, ...keysOf(byTime)]).toEqual([2, 2, "apart", "phrase"]);
          const quoted = await reader.search(planFor([phrase("deploy server")]));
          expect(quoted).toMatchObject({ match: "all", total: 1, ranked: 1, hits: [{ key: "phrase" }] });
          const scattered = await reader.search(planFor([phrase("server server"), ...words("deploy")]));
          expect(scattered).toMatchObject({ match: "some", total: 3, ranked: 3 });
        });
      });
    });

    test("looks for a word with typos and prefixes only if no session has it", async () => {
      await withEngines(async (open) => {
        await put(open(), [session("right", "x", ["deploy"]), session("typo", "x", ["deplyo2 release"])]);
        await withReader(open(), async (reader) => {
          const typo = await search(reader, "deplyo");
          expect(typo).toMatchObject({ match: "fuzzy", hits: [{ match: "fuzzy" }, { match: "fuzzy" }] });
          expect(keysOf(typo)).toContain("right");
          expect(await search(reader, "deplyo2")).toMatchObject({ match: "all", ranked: 1 });
          expect(await search(reader, "relea release")).toMatchObject({ match: "fuzzy", total: 1 });
        });
      });
    });

    test("scores sessions as the ranking says: shares by information, a lean on the turn before, dates", async () => {
      await withEngines(async (open) => {
        const filler = Array.from({ length: 8 }, (_, i) => session(`f${i}`, "x", ["deploy", "y"], 0));
        await put(open(), [
          ...filler,
          session("rare", "x", ["server"], 0),
          session("apart", "x", ["deploy", "y", "server"], 0),
          session("next", "x", ["deploy", "server"], 0),
          session("dated", "x", ["deploy"], 50 * DAY_MS),
        ]);
        await withReader(open(), async (reader) => {
          const { hits } = await search(reader, "deploy server", { now: 1e15 });
          expect(hits.slice(0, 3).map(({ key }) => key)).toEqual(["next", "apart", "rare"]);
          const dates = [{ from: 50 * DAY_MS, to: 51 * DAY_MS }];
          const dated = await search(reader, "deploy", { now: 1e15, dates });
          const scoreOf = (key: string): number => dated.hits.find((hit) => hit.key === key)?.score ?? 0;
          expect(scoreOf("dated") / scoreOf("apart")).toBeCloseTo(3, 3);
        });
      });
    });

    test.each<readonly [string, SearchPlan["filter"], readonly string[]]>([
      ["keys", { only: { keys: ["shop", "nowhere"] } }, ["shop"]],
      ["no keys", { only: { keys: [] } }, []],
      ["an agent", { only: { agents: ["pi"] } }, ["blog"]],
      ["a project", { only: { projects: ["/work/shop"] } }, ["shop"]],
      ["the end of a project's path", { only: { projects: ["blog"] } }, ["blog"]],
      ["the project of another log of a session", { only: { projects: ["/work/copy"] } }, ["shop"]],
      ["the repository of another log", { only: { projects: ["/work/origin"] } }, ["shop"]],
      ["a branch, ignoring case", { only: { branches: ["MAIN"] } }, ["shop"]],
      ["a tool", { only: { tools: ["bash"] } }, ["blog"]],
      ["words of a title", { only: { titles: ["shop of"] } }, ["shop"]],
      ["what is out", { not: [{ agents: ["pi"] }] }, ["shop"]],
      ["several that are out", { not: [{ agents: ["pi"] }, { projects: ["shop"] }] }, []],
      ["all of a condition that is out", { not: [{ agents: ["pi"], projects: ["shop"] }] }, ["blog", "shop"]],
      ["the time of a turn", { since: 150 }, ["blog"]],
      ["the end of time", { until: 150 }, ["shop"]],
      ["the context of a turn", { contexts: ["compacted"] }, ["blog"]],
      ["another machine", { only: { machines: ["elsewhere"] } }, []],
      ["another owner", { only: { owners: ["nobody"] } }, []],
      ["nothing", {}, ["blog", "shop"]],
    ])("filters by %s, hits and sessions without words alike", async (_, filter, expected) => {
      await withEngines(async (open) => {
        await put(open(), [
          described(
            "shop",
            {
              agent: "claude",
              project: "/work/shop",
              logs: [
                { project: "/work/shop", repository: null },
                { project: "/work/copy", repository: "/work/origin" },
              ],
              branch: "main",
            },
            { at: 100 },
          ),
          described(
            "blog",
            { agent: "pi", project: "/work/blog", tools: { Bash: 2 } },
            { at: 200, context: "compacted" },
          ),
        ]);
        await withReader(open(), async (reader) => {
          const found = await search(reader, "deploy", { filter });
          expect(keysOf(found).sort()).toEqual(expected);
          expect(found.total).toBe(expected.length);
          const browsed = await search(reader, "", { filter });
          expect(keysOf(browsed).sort()).toEqual(expected);
        });
      });
    });

    test("finds its own sessions by their machine and owner", async () => {
      await withEngines(async (open) => {
        await put(open(), [simple("a")]);
        const { machine, owner } = open().source;
        await withReader(open(), async (reader) => {
          const own = await search(reader, "deploy", {
            filter: { only: { machines: [machine], owners: [owner] } },
          });
          expect(keysOf(own)).toEqual(["a"]);
          const not = await search(reader, "deploy", { filter: { not: [{ machines: [machine] }] } });
          expect(keysOf(not)).toEqual([]);
          expect(await reader.session("a", { source: { machine, owner } })).toMatchObject({ key: "a" });
          expect(await reader.session("a", { source: { machine: "elsewhere", owner } })).toBeUndefined();
        });
      });
    });

    test("rejects a call whose signal is aborted", async () => {
      await withEngines(async (open) => {
        await put(open(), [simple("a")]);
        const options = { signal: AbortSignal.abort(new Error("too late")) };
        await expect(open().read(options)).rejects.toThrow("too late");
        await expect(open().write(options)).rejects.toThrow("too late");
        await withReader(open(), async (reader) => {
          await expect(reader.search(planFor(words("deploy")), options)).rejects.toThrow("too late");
          await expect(reader.rows({ limit: 1 }, options)).rejects.toThrow("too late");
          await expect(reader.session("a", options)).rejects.toThrow("too late");
        });
        const writer = await mustWrite(open());
        await writer.put(simple("b"));
        await expect(writer.commit({ tidy: "little", ...options })).rejects.toThrow("too late");
        await writer.close();
        await withReader(open(), async (reader) =>
          expect(keysOf(await search(reader, "deploy"))).toEqual(["a"]),
        );
      });
    });
  });
}

/** A way in which an engine fails. `use` gets engines on an index with a session `a`, and what makes them fail from then on. */
export type WithFailingEngines = (
  use: (open: () => SearchEngine, fail: () => void) => Promise<void>,
) => Promise<void>;

export type FailureKind = EngineFailure["kind"];

/** How every search engine must fail: with a value that says why. Nothing is thrown, and nothing is answered by halves. */
export function failureContract(name: string, kind: FailureKind, withEngines: WithFailingEngines): void {
  describe(`${name} that is ${kind}`, () => {
    const failure = { kind, what: expect.stringMatching(/\S/) };

    /** What an engine answers that is opened now: why it can't be read, or why a call of its reader failed. */
    const failureOf = async (
      engine: SearchEngine,
      ask: (reader: SearchReader) => Promise<unknown>,
    ): Promise<unknown> => {
      const opened = await engine.read();
      if (opened.kind !== "open") return opened;
      try {
        return await ask(opened.reader);
      } finally {
        await opened.reader.close();
      }
    };

    test.each<[string, (reader: SearchReader) => Promise<unknown>]>([
      ["a search", (reader) => reader.search(planFor(words("deploy")))],
      ["rows", (reader) => reader.rows({ limit: 10 })],
      ["a session", (reader) => reader.session("a")],
    ])("says so when asked for %s, and its error says what to do", async (_, ask) => {
      await withEngines(async (open, fail) => {
        fail();
        const failed = await failureOf(open(), ask);
        expect(failed).toEqual(failure);
        const error = engineError(failed as EngineFailure);
        // Damage is none that a user has to do anything about: the index is built again.
        if (kind === "damaged") expect(error).toBeInstanceOf(IndexDamage);
        else expect(error).toMatchObject({ hint: expect.stringMatching(/\S/), exitCode: 4 });
      });
    });

    test(kind === "damaged" ? "is as new after it was cleared and written" : "is not written", async () => {
      await withEngines(async (open, fail) => {
        fail();
        if (kind !== "damaged") {
          expect(await open().write()).toEqual(failure);
          return;
        }
        const writer = await mustWrite(open());
        writer.clear();
        await writer.put(simple("b"));
        expect(await writer.commit({ tidy: "little" })).toEqual({ kind: "committed" });
        await writer.close();
        await withReader(open(), async (reader) =>
          expect(keysOf(await search(reader, "deploy"))).toEqual(["b"]),
        );
      });
    });
  });
}

function simple(key: string): IndexedSession {
  return session(key, "x", ["deploy"]);
}

function rowOf(key: string, title: string): string {
  return session(key, title, []).row;
}

function described(key: string, attributes: Partial<RowAttributes>, turn: TinyTurn): IndexedSession {
  const row: RowAttributes = {
    agent: "claude",
    project: null,
    repository: null,
    branch: null,
    title: `The ${key} of today`,
    tools: {},
    contexts: [],
    startedAt: null,
    endedAt: null,
    ...attributes,
  };
  return { ...session(key, "x", [{ request: "deploy", ...turn }]), row: JSON.stringify(row) };
}

async function put(engine: SearchEngine, sessions: readonly IndexedSession[]): Promise<void> {
  const writer = await mustWrite(engine);
  for (const each of sessions) await writer.put(each);
  expect(await writer.commit({ tidy: "little" })).toEqual({ kind: "committed" });
  await writer.close();
}

async function search(
  reader: SearchReader,
  text: string,
  more: Partial<SearchPlan> = {},
): Promise<SearchAnswer> {
  const answer = await reader.search(planFor(text === "" ? [] : words(text), more));
  if (answer.kind !== "answer") throw new Error(answer.what);
  return answer;
}

async function withReader<T>(engine: SearchEngine, use: (reader: SearchReader) => Promise<T>): Promise<T> {
  const reader = await mustRead(engine);
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}
