import { describe, expect, test } from "vitest";
import type { Clause } from "../../../src/search/ranking/search-plan.ts";
import {
  keysOf,
  phrase,
  planFor,
  session,
  type TinyTurn,
  withHistory,
  word,
  words,
} from "../../support/index/tiny-history.ts";

describe("the words of a query", () => {
  const history = [
    session("both-in-one", "login", ["token refresh fails", "something else"]),
    session("far-apart", "other", ["token only", "unrelated", { reply: "refresh only" }]),
    session("in-card", "token", ["about nothing", "refresh here"]),
    session("one-word", "misc", ["token alone"]),
    session("near", "misc", ["tokens refreshed"]),
  ];

  test("count for all if each is in some document of the session; sessions with any of them can be paged", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(planFor(words("token refresh")));
      expect(answer.hits.map(({ key, match }) => `${key} ${match}`).sort()).toEqual([
        "both-in-one all",
        "far-apart all",
        "in-card all",
        "one-word some",
      ]);
      expect([answer.match, answer.total, answer.ranked, answer.totalIsExact]).toEqual(["all", 3, 4, true]);
      expect(keysOf(answer)[0]).toBe("both-in-one");
    });
  });

  test("that the index has are never replaced by others that look like them", async () => {
    await withHistory([...history, session("typo", "misc", ["tokne"])], async (search) => {
      expect(await search(planFor(words("tokne")))).toMatchObject({ match: "all", total: 1, ranked: 1 });
      const narrowing = [word("login", { fields: ["title"] })];
      expect(await search(planFor(words("tokne"), { narrowing }))).toMatchObject({ match: "some", total: 1 });
      // A name is there if one of its forms is.
      const name: Clause = { kind: "any", of: [word("tokens2refresh"), word("", { terms: ["tokne"] })] };
      expect(keysOf(await search(planFor([name])))).toEqual(["typo"]);
    });
  });

  test("are looked for with prefixes and typos only if the index does not have them", async () => {
    await withHistory(history, async (search) => {
      const typo = await search(planFor(words("tokne refrehs")));
      expect(typo.hits.map(({ key, match }) => `${key} ${match}`).sort()).toEqual([
        "both-in-one fuzzy",
        "far-apart fuzzy",
        "in-card fuzzy",
        "one-word some",
      ]);
      expect([typo.match, typo.total, typo.ranked]).toEqual(["fuzzy", 3, 4]);
      expect(typo.terms.toSorted()).toEqual(["refresh", "token"]);
      const prefix = await search(planFor(words("unrel")));
      expect([prefix.match, ...keysOf(prefix)]).toEqual(["fuzzy", "far-apart"]);
    });
  });

  test("may be missing in a session that comes first, but not if hits are sorted by time", async () => {
    const filler = Array.from({ length: 60 }, (_, i) => `filler${i}`).join(" ");
    const sessions = [
      session("scattered", "misc", [
        `cache ${filler}`,
        "nothing",
        `stale ${filler}`,
        "nothing",
        `deploy ${filler}`,
      ]),
      session("meant", "stale cache", ["the cache is stale", "stale cache again"]),
      session("one-word", "misc", ["deploy"]),
      ...Array.from({ length: 20 }, (_, i) => session(`other${i}`, "deploy", ["deploy"])),
    ];
    await withHistory(sessions, async (search) => {
      const answer = await search(planFor(words("stale cache deploy")));
      expect([answer.match, answer.total, answer.ranked]).toEqual(["all", 1, 23]);
      expect(answer.hits[0]).toMatchObject({ key: "meant", match: "some" });
      expect(answer.hits.find(({ key }) => key === "scattered")).toMatchObject({ match: "all" });
      const byTime = await search(planFor(words("stale cache deploy"), { sort: "newest" }));
      expect([byTime.total, byTime.ranked, ...keysOf(byTime)]).toEqual([1, 1, "scattered"]);
    });
  });

  test("that narrow the search are never left out", async () => {
    await withHistory(history, async (search) => {
      const narrowing = [word("login", { fields: ["title"] })];
      const all = await search(planFor(words("token"), { narrowing }));
      expect([all.match, ...keysOf(all)]).toEqual(["all", "both-in-one"]);
      const some = await search(planFor(words("token qqqqqqq"), { narrowing }));
      expect([some.match, ...keysOf(some)]).toEqual(["some", "both-in-one"]);
      const none = await search(
        planFor(words("token"), { narrowing: [word("qqqqqqq", { fields: ["title"] })] }),
      );
      expect(none.hits).toEqual([]);
    });
  });

  test("need not all be there where no session has them all", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(planFor(words("fails qqqqqqq alone")));
      expect([answer.match, ...keysOf(answer).sort()]).toEqual(["some", "both-in-one", "one-word"]);
    });
  });

  test("that the index does not have are answered with ones that look like them", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(planFor(words("xnrelatxd")));
      // Two typos in nine letters are forgiven, so this one is found; three are not.
      expect(answer.match).toBe("fuzzy");
      const none = await search(planFor(words("uxxelatxd")));
      expect(none).toMatchObject({ match: "none", total: 0, hits: [] });
      expect(none.nearestWords).toEqual([{ word: "uxxelatxd", nearest: ["unrelated"] }]);
    });
  });

  test.each([
    ["one typo of four letters", "sbil", "fuzzy"],
    ["one typo of three letters", "obr", "none"],
    ["two typos of seven letters", "hxrbxur", "none"],
    ["two typos of eight letters", "mxinsxil", "fuzzy"],
    ["another number", "berth42", "none"],
    ["three letters of a longer word", "mai", "fuzzy"],
    ["two letters of a longer word", "ma", "none"],
  ])("match nearly or not at all: %s", async (_, typed, match) => {
    const ship = session("ship", "x", ["sail oar harbour mainsail berth41"]);
    await withHistory([ship], async (search) => {
      expect((await search(planFor(words(typed)))).match).toBe(match);
    });
  });

  test("match as a prefix where that is asked for, and that counts as all", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(
        planFor([word("refresh", { prefix: true }), word("tok", { prefix: true })]),
      );
      expect(answer.match).toBe("all");
      expect(keysOf(answer)).toContain("near");
    });
  });

  test("that allow no typos are searched exactly", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(planFor([word("tokne", { isTolerant: false })]));
      expect(answer.match).toBe("none");
    });
  });

  test("in groups are met by any group, and of a prefix group the last one may go on", async () => {
    await withHistory(history, async (search) => {
      const clause: Clause = {
        kind: "any",
        of: [word("", { terms: ["alone", "tok"], prefix: true }), word("", { terms: ["refresh", "fails"] })],
      };
      const answer = await search(planFor([clause]));
      expect([answer.match, ...keysOf(answer).sort()]).toEqual(["all", "both-in-one", "one-word"]);
      const first = word("", { terms: ["tok", "alone"], prefix: true });
      expect((await search(planFor([{ ...first, isTolerant: false }]))).match).toBe("none");
    });
  });

  test("may be limited to fields", async () => {
    await withHistory(history, async (search) => {
      const inTitle = await search(planFor([word("token", { fields: ["title"] })]));
      expect(keysOf(inTitle)).toEqual(["in-card"]);
      const inReply = await search(planFor([word("refresh", { fields: ["reply"] })]));
      expect(keysOf(inReply)).toEqual(["far-apart"]);
    });
  });

  test("of one field asked for twice are alternatives", async () => {
    await withHistory(history, async (search) => {
      const either = {
        kind: "any",
        of: [word("login", { fields: ["title"] }), word("other", { fields: ["title"] })],
      } as const;
      const answer = await search(planFor(words("token"), { narrowing: [either] }));
      expect(keysOf(answer).sort()).toEqual(["both-in-one", "far-apart"]);
    });
  });

  test("no session with an excluded one in any of its documents is a hit", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(planFor(words("token"), { excluded: [word("unrelated"), word("login")] }));
      expect(keysOf(answer).sort()).toEqual(["in-card", "one-word"]);
      const prefixed = await search(planFor(words("token"), { excluded: [word("refr", { prefix: true })] }));
      expect(keysOf(prefixed)).toEqual(["one-word"]);
    });
  });

  test("more than thirty-two are no different", async () => {
    const many = Array.from({ length: 70 }, (_, i) => `w${i}`);
    await withHistory(
      [session("all", "x", [many.join(" ")]), session("most", "x", [many.slice(1).join(" ")])],
      async (search) => {
        const answer = await search(planFor(words(many.join(" "))));
        expect([answer.match, answer.total, ...keysOf(answer)]).toEqual(["all", 1, "all", "most"]);
        const some = await search(planFor(words(`${many.join(" ")} qqqqqqqqqq`)));
        expect([some.match, ...keysOf(some)]).toEqual(["some", "all", "most"]);
      },
    );
  });
});

describe("a phrase", () => {
  const history = [
    session("together", "x", ["the Token  \n refresh fails"]),
    session("apart", "x", ["refresh the token"]),
    session("in-title", "token refresh", ["nothing"]),
    session("two-turns", "x", ["token", "refresh"]),
  ];

  test("is found where its words stand together, whatever the space and the case", async () => {
    const lower = history.map((entry) => ({
      ...entry,
      documents: entry.documents.map((document) => ({ ...document })),
    }));
    await withHistory(lower, async (search) => {
      const answer = await search(planFor([{ kind: "phrase", text: "token refresh", terms: ["refresh"] }]));
      expect(keysOf(answer).sort()).toEqual(["in-title", "together"]);
      expect([answer.total, answer.totalIsExact]).toEqual([2, true]);
    });
  });

  test("shows the turns that have it, not those that only have its words", async () => {
    await withHistory(
      [
        session("s", "x", [
          "token refresh token refresh reversed refresh token",
          "refresh token token",
          "a token refresh b",
        ]),
      ],
      async (search) => {
        const answer = await search(planFor([phrase("a token refresh b")]));
        expect(answer.hits[0]?.turns.map(({ turn }) => turn)).toEqual([3]);
      },
    );
  });

  test("is no part of other words, but may have another ending", async () => {
    await withHistory(
      [
        session("inside", "x", ["this item, code 137"]),
        session("words", "x", ["it is it, with code 1"]),
        session("endings", "x", ["exit codes"]),
        session("colours", "x", ["[\u001b[31merror\u001b[39m] resolve failed"]),
        session("name", "x", ["call tokenRefreshNow"]),
      ],
      async (search) => {
        const found = async (text: string, terms: readonly string[]): Promise<readonly string[]> => {
          const answer = await search(planFor([{ kind: "phrase", text, terms }]));
          return answer.match === "all" ? keysOf(answer) : [];
        };
        expect(await found("is it", [])).toEqual([]);
        expect(await found("is it", ["it"])).toEqual(["words"]);
        expect(await found("code 1", ["code"])).toEqual(["words"]);
        expect(await found("[error] resolve", ["resolve"])).toEqual(["colours"]);
        expect(await found("exit code", ["exit"])).toEqual(["endings"]);
        expect(await found("tokenRefresh", ["call"])).toEqual(["name"]);
      },
    );
  });

  test("is excluded where the words are in a row, not where they are scattered", async () => {
    await withHistory(history, async (search) => {
      const answer = await search(
        planFor([], { excluded: [{ kind: "phrase", text: "token refresh", terms: ["refresh"] }] }),
      );
      expect(keysOf(answer).sort()).toEqual(["apart", "two-turns"]);
    });
  });

  test("is found, and excluded, in texts that are kept apart", async () => {
    const output = (text: string): TinyTurn => ({ request: "a token", output: text });
    const sessions = [
      session("there", "x", ["nothing", output("the token refresh of today")]),
      session("reversed", "x", [output("refresh the token")]),
      session("torn", "x", [{ request: "the token", output: "refresh of today" }]),
    ];
    const clause = { kind: "phrase", text: "token refresh", terms: ["token", "refresh"] } as const;
    await withHistory(sessions, async (search) => {
      const answer = await search(planFor([clause]));
      expect([answer.match, answer.total, answer.totalIsExact, ...keysOf(answer)]).toEqual([
        "all",
        1,
        true,
        "there",
      ]);
      const [turn, ...others] = answer.hits[0]?.turns ?? [];
      expect([turn?.turn, await turn?.fieldsApart()]).toEqual([2, { output: "the token refresh of today" }]);
      expect(others).toEqual([]);
      expect(keysOf(await search(planFor([{ kind: "any", of: [clause, phrase("not there")] }])))).toEqual([
        "there",
      ]);
      expect(keysOf(await search(planFor([], { excluded: [clause] }))).sort()).toEqual(["reversed", "torn"]);
      const elsewhere = { ...clause, fields: ["request"] };
      expect((await search(planFor([elsewhere]))).match).toBe("none");
      expect(keysOf(await search(planFor([{ ...clause, fields: ["output"] }])))).toEqual(["there"]);
    });
  });

  test("is looked for in no text that has only some of its words, however many there are", async () => {
    const torn = Array.from({ length: 4_500 }, (_, i) =>
      session(`s${i}`, "x", [{ request: "token", reply: "refresh", output: "token" }]),
    );
    const sessions = [
      ...torn,
      session("there", "x", [{ output: "so long a text, with the token refresh in it" }]),
    ];
    await withHistory(sessions, async (search) => {
      const answer = await search(planFor([phrase("token refresh")]));
      expect([answer.total, answer.totalIsExact, ...keysOf(answer)]).toEqual([1, true, "there"]);
      const rest = await search(
        planFor([], { excluded: [{ kind: "phrase", text: "token refresh", terms: ["token", "refresh"] }] }),
      );
      expect([rest.total, rest.totalIsExact]).toEqual([4_500, true]);
    });
  });

  test("that is excluded leaves a session that was not looked into, and then the total is no exact one", async () => {
    const sessions = Array.from({ length: 4_010 }, (_, i) => session(`s${i}`, "x", ["refresh the token"]));
    await withHistory(sessions, async (search) => {
      const rest = await search(
        planFor([], { excluded: [{ kind: "phrase", text: "token refresh", terms: ["token", "refresh"] }] }),
      );
      expect([rest.total, rest.totalIsExact]).toEqual([4_010, false]);
    });
  });

  test("is shown in as many turns as fit, up to five", async () => {
    const turns = Array.from({ length: 8 }, () => "token refresh");
    await withHistory([session("s", "x", turns)], async (search) => {
      const [hit] = (await search(planFor([phrase("token refresh")], { turnsPerHit: 8 }))).hits;
      expect(hit?.turns).toHaveLength(5);
    });
  });

  test("is looked for beside another one that is in many turns", async () => {
    const turns = [
      ...Array.from({ length: 8 }, () => "token refresh token refresh"),
      "token refresh exit code",
    ];
    await withHistory([session("s", "x", turns)], async (search) => {
      const answer = await search(planFor([phrase("token refresh"), phrase("exit code")]));
      expect([answer.match, ...keysOf(answer)]).toEqual(["all", "s"]);
    });
  });

  test("is looked for in two hundred texts once a page is full, and then the total is a lower bound", async () => {
    const sessions = Array.from({ length: 230 }, (_, i) =>
      session(`s${String(i).padStart(3, "0")}`, "x", [i % 2 === 0 ? "token refresh" : "refresh token"]),
    );
    await withHistory(sessions, async (search) => {
      const answer = await search(planFor([phrase("token refresh")]));
      expect([answer.total, answer.totalIsExact]).toEqual([100, false]);
      const more = await search(planFor([phrase("token refresh")], { offset: 110 }));
      expect([more.total, more.totalIsExact]).toEqual([115, true]);
      expect(keysOf(more)).not.toContain(keysOf(answer)[0]);
    });
  });

  test("is found where many other texts have its words", async () => {
    const sessions = Array.from({ length: 600 }, (_, i) =>
      session(`s${i}`, "x", [
        i === 599 ? "a much longer text, in which the token refresh is" : "refresh token",
      ]),
    );
    await withHistory(sessions, async (search) => {
      const answer = await search(planFor([phrase("token refresh")]));
      expect([answer.match, ...keysOf(answer), answer.totalIsExact]).toEqual(["all", "s599", true]);
    });
  });
});

describe("a filter", () => {
  const history = [
    session("old", "deploy", [{ request: "deploy one", at: 100, context: "compacted" }], 150),
    session(
      "new",
      "deploy",
      [
        { request: "deploy two", at: 200 },
        { request: "other", at: 300, context: "subagent" },
      ],
      300,
    ),
    session("timeless", "deploy", [{ request: "deploy three" }]),
    session("stub", "deploy", [], 250),
  ];

  test.each([
    ["since", { since: 150 }, ["new", "stub"]],
    ["until", { until: 150 }, ["old"]],
    ["a time between", { since: 250, until: 260 }, ["stub"]],
    ["a time that only another turn of the session has", { since: 300 }, ["new"]],
    ["a context", { contexts: ["compacted" as const] }, ["old"]],
    ["a context that another turn has", { contexts: ["subagent" as const] }, ["new"]],
    ["keys", { only: { keys: ["old", "timeless", "never was"] } }, ["old", "timeless"]],
    ["no keys at all", { only: { keys: [] } }, []],
    ["keys that are out", { not: [{ keys: ["new"] }, { keys: ["stub"] }] }, ["old", "timeless"]],
    ["nothing", {}, ["new", "old", "stub", "timeless"]],
  ])("by %s keeps what passes", async (_, filter, keys) => {
    await withHistory(history, async (search) => {
      const answer = await search(planFor(words("deploy"), { filter }));
      expect(keysOf(answer).sort()).toEqual(keys);
      expect(answer.total).toBe(keys.length);
    });
  });

  test("shows only turns that pass it", async () => {
    await withHistory(history, async (search) => {
      const [hit] = (await search(planFor(words("deploy"), { filter: { since: 300 } }))).hits;
      expect(hit?.turns).toEqual([]);
      const [other] = (await search(planFor(words("deploy"), { filter: { since: 200 } }))).hits;
      expect(other?.turns.map(({ turn }) => turn)).toEqual([1]);
    });
  });

  test("alone, without words, finds all that pass, newest first", async () => {
    await withHistory(history, async (search) => {
      const all = await search(planFor([]));
      expect([all.match, ...keysOf(all)]).toEqual(["all", "new", "stub", "old", "timeless"]);
      const none = await search(planFor([], { filter: { since: 1000 } }));
      expect(none).toMatchObject({ match: "none", total: 0, hits: [] });
    });
  });
});

describe("the order of hits", () => {
  test("is by score, then by key", async () => {
    const same = ["c", "a", "b"].map((key) => session(key, "same words", ["same words"]));
    await withHistory([session("z", "same", ["same same same"]), ...same], async (search) => {
      const answer = await search(planFor(words("words")));
      expect(keysOf(answer)).toEqual(["a", "b", "c"]);
    });
  });

  test("prefers the recent one of two that are equally good", async () => {
    const day = 86_400_000;
    const history = [session("a", "x", ["deploy"], 0), session("b", "x", ["deploy"], 90 * day)];
    await withHistory(history, async (search) => {
      expect(keysOf(await search(planFor(words("deploy"), { now: 91 * day })))).toEqual(["b", "a"]);
    });
  });

  test("counts a session of today a tenth more, and half as much of that with every 30 days", async () => {
    const day = 86_400_000;
    const ages = { today: 0, tomorrow: -1, "30-days": 30, "60-days": 60 };
    const dated = Object.entries(ages).map(([key, age]) => session(key, "x", ["deploy"], (100 - age) * day));
    await withHistory([...dated, session("timeless", "x", ["deploy"])], async (search) => {
      const { hits } = await search(planFor(words("deploy"), { now: 100 * day }));
      const plain = hits.find(({ key }) => key === "timeless")?.score ?? 0;
      expect(plain).toBeGreaterThan(0);
      const factors = hits.map(({ key, score }) => `${key} ${(score / plain).toFixed(6)}`);
      expect(factors).toEqual([
        "today 1.100000",
        "tomorrow 1.100000",
        "30-days 1.050000",
        "60-days 1.025000",
        "timeless 1.000000",
      ]);
    });
  });

  test("counts the best turn twice, the card once, and three tenths of the turn before", async () => {
    const history = [
      session("card", "deploy", ["x"]),
      session("turn", "x", ["deploy"]),
      session("both", "deploy", ["deploy", "x", "deploy"]),
      session("leaning", "x", ["deploy", "deploy"]),
    ];
    await withHistory(history, async (search) => {
      const { hits } = await search(planFor(words("deploy")));
      const scoreOf = (wanted: string): number => hits.find(({ key }) => key === wanted)?.score ?? 0;
      const turn = hits.find(({ key }) => key === "turn")?.turns[0]?.score ?? 0;
      expect(turn).toBeGreaterThan(0);
      expect(scoreOf("turn")).toBeCloseTo(2 * turn, 9);
      expect(scoreOf("both")).toBeCloseTo(scoreOf("card") + 2 * turn, 9);
      expect(scoreOf("leaning")).toBeCloseTo(2 * 1.3 * turn, 9);
    });
  });

  test("counts a rare word for more than a frequent one", async () => {
    const history = [
      session("rare", "x", ["zebra"]),
      ...Array.from({ length: 9 }, (_, i) => session(`frequent${i}`, "x", ["deploy deploy deploy"])),
    ];
    await withHistory(history, async (search) => {
      expect(keysOf(await search(planFor(words("deploy zebra"))))[0]).toBe("rare");
    });
  });

  test("counts a session three times at a date of the query, and less with every day before and after", async () => {
    const day = 86_400_000;
    const dates = [{ from: 100 * day, to: 101 * day - 1 }];
    const days = { within: 100.5, "7-after": 108 - 1 / day, "3-before": 97, "year-after": 465 };
    const dated = Object.entries(days).map(([key, at]) => session(key, "x", ["deploy"], at * day));
    await withHistory([...dated, session("timeless", "x", ["deploy"])], async (search) => {
      const { hits } = await search(planFor(words("deploy"), { dates, now: 1e15 }));
      const plain = hits.find(({ key }) => key === "timeless")?.score ?? 0;
      expect(hits.map(({ key, score }) => `${key} ${(score / plain).toFixed(6)}`).sort()).toEqual([
        "3-before 2.000000",
        "7-after 2.000000",
        "timeless 1.000000",
        "within 3.000000",
        "year-after 1.000000",
      ]);
    });
  });

  test("is by time where that is asked for, sessions without a time last", async () => {
    const history = [
      session("a", "x", ["deploy"], 5),
      session("b", "x", ["deploy"], 9),
      session("n", "x", ["deploy"]),
    ];
    await withHistory(history, async (search) => {
      expect(keysOf(await search(planFor(words("deploy"), { sort: "newest" })))).toEqual(["b", "a", "n"]);
      expect(keysOf(await search(planFor(words("deploy"), { sort: "oldest" })))).toEqual(["a", "b", "n"]);
    });
  });

  test("is the same on every page, and the total too", async () => {
    const history = Array.from({ length: 25 }, (_, i) =>
      session(`s${i}`, "x", [`deploy ${"pad ".repeat(i)}`]),
    );
    await withHistory(history, async (search) => {
      const all = await search(planFor(words("deploy"), { limit: 100 }));
      expect(all.total).toBe(25);
      const pages: string[] = [];
      for (let offset = 0; offset < 30; offset += 7) {
        const page = await search(planFor(words("deploy"), { offset, limit: 7 }));
        expect(page.total).toBe(25);
        pages.push(...keysOf(page));
      }
      expect(pages).toEqual(keysOf(all));
    });
  });
});

describe("a hit", () => {
  test("is one per session, with its best turns and their texts, its row and the texts of its card", async () => {
    const entry = session("s", "about deploy", [
      "nothing",
      { request: "deploy", reply: "deploy deploy", at: 7, context: "branch" },
      "a long text around deploy",
      { errors: "deploy" },
    ]);
    await withHistory([entry, session("t", "x", ["y"])], async (search) => {
      const answer = await search(planFor(words("deploy"), { turnsPerHit: 2 }));
      expect(answer.hits).toHaveLength(1);
      const [hit] = answer.hits;
      expect(hit).toMatchObject({ key: "s", row: entry.row, match: "all", matchingTurns: 3 });
      // Turns enough: the texts of the card are not opened.
      expect(hit?.card).toBeUndefined();
      expect(hit?.turns.map(({ turn }) => turn)).toEqual([2, 3]);
      expect(hit?.turns[0]).toMatchObject({
        at: 7,
        context: "branch",
        fields: { request: "deploy", reply: "deploy deploy" },
      });
      expect(answer.terms).toEqual(["deploy"]);
      const more = await search(planFor(words("deploy"), { turnsPerHit: 4 }));
      expect(more.hits[0]?.card).toEqual({ title: "about deploy" });
    });
  });

  test("counts a turn once that a fork copied: for the original, or where that is gone for the first copy", async () => {
    const original = session("original", "x", [{ request: "deploy", identity: "u1" }]);
    const copies = ["fork-b", "fork-a"].map((key) =>
      session(key, "x", [{ request: "deploy", identity: "u1", copied: true }, { request: "own work" }]),
    );
    await withHistory([...copies, original], async (search) => {
      expect(keysOf(await search(planFor(words("deploy"))))).toEqual(["original"]);
      expect(keysOf(await search(planFor(words("own")))).sort()).toEqual(["fork-a", "fork-b"]);
      const withoutIt = await search(planFor(words("deploy"), { filter: { not: [{ keys: ["original"] }] } }));
      expect(keysOf(withoutIt)).toEqual(["fork-a"]);
    });
    await withHistory(copies, async (search) => {
      expect(keysOf(await search(planFor(words("deploy"))))).toEqual(["fork-a"]);
    });
  });
});
