import { describe, expect, test } from "vitest";
import { localSource, type SessionHit, type TurnHit } from "../../src/search/engine.ts";
import type { SessionRow } from "../../src/search/refresh/session-row.ts";
import { type ShownTerms, snippetsOf } from "../../src/search/search-snippets.ts";

const row = { startedAt: 5 } as SessionRow;

interface Texts {
  readonly output?: string;
  readonly [field: string]: string | undefined;
}

/** Notes the turns whose output was opened. */
function turnsOf(texts: readonly Texts[], opened: number[] = []): readonly TurnHit[] {
  return texts.map(({ output, ...fields }, index) => ({
    turn: index + 1,
    at: null,
    context: "current",
    score: 1,
    fields: fields as Record<string, string>,
    fieldsApart: async () => {
      opened.push(index + 1);
      return { ...(output !== undefined && { output }) };
    },
  }));
}

function hitOf(turns: readonly TurnHit[], card?: Readonly<Record<string, string>>): SessionHit {
  return {
    key: "k",
    source: localSource,
    row: "",
    score: 1,
    match: "all",
    card,
    turns,
    matchingTurns: turns.length,
    unstored: [],
  };
}

function shown(words: string, ...phrases: readonly string[]): ShownTerms {
  return { terms: new Set(words.split(" ")), phrases };
}

const noLogs = (): never => {
  throw new Error("no log is read");
};

const rolesOf = async (hit: SessionHit, terms: ShownTerms): Promise<readonly string[]> =>
  (await snippetsOf(row, hit, terms, noLogs)).map(({ turn, role, text }) => `${turn} ${role}: ${text}`);

describe("snippetsOf()", () => {
  test("opens no output where another text has a word", async () => {
    const opened: number[] = [];
    const turns = turnsOf([{ output: "a sloop" }, { reply: "the sloop", output: "a sloop" }], opened);
    expect(await rolesOf(hitOf(turns), shown("sloop mast"))).toEqual(["2 reply: the sloop"]);
    expect(
      await rolesOf(hitOf(turnsOf([{ output: "a sloop" }], opened), { title: "Sloop" }), shown("sloop")),
    ).toEqual(["1 summary: Sloop"]);
    expect(opened).toEqual([]);
  });

  test("shows the output of each turn if nothing else has a word", async () => {
    const turns = turnsOf([{ output: "a sloop" }, { reply: "no", output: "none" }, { output: "two sloops" }]);
    expect(await rolesOf(hitOf(turns, { title: "Harbour" }), shown("sloop"))).toEqual([
      "1 output: a sloop",
      "3 output: two sloops",
    ]);
  });

  test("prefers the output that has a phrase to texts that have a word of it", async () => {
    const opened: number[] = [];
    const turns = turnsOf(
      [
        { reply: "tall and ship", output: "the tall ship" },
        { reply: "a tall ship", output: "the tall ship" },
      ],
      opened,
    );
    expect(await rolesOf(hitOf(turns), shown("tall ship", "tall ship"))).toEqual([
      "1 output: the tall ship",
      "2 reply: a tall ship",
    ]);
    expect(opened).toEqual([1]);
  });

  test("prefers the request among texts that are equally good, then the reply", async () => {
    const turns = turnsOf([
      { command: "rig sloop", reply: "the sloop", request: "a sloop" },
      { file: "sloop", command: "rig sloop", reply: "the sloop" },
    ]);
    expect(await rolesOf(hitOf(turns), shown("sloop mast"))).toEqual([
      "1 request: a sloop",
      "2 reply: the sloop",
    ]);
  });

  test("shows up to 240 characters", async () => {
    const turns = turnsOf([{ reply: `the sloop ${"sails on and on ".repeat(40)}` }]);
    const [snippet] = await snippetsOf(row, hitOf(turns), shown("sloop"), noLogs);
    expect(snippet?.text.length).toBeGreaterThan(200);
    expect(snippet?.text.length).toBeLessThanOrEqual(242);
  });

  test("shows the phrase where its words stand in many other places before it", async () => {
    const before = "the ship, so tall, ".repeat(20);
    const filler = "all hands on deck\n".repeat(40);
    const turns = turnsOf([{ reply: before, output: `${before}${filler}here is the tall ship at last` }]);
    const [snippet] = await snippetsOf(row, hitOf(turns), shown("tall ship", "tall ship"), noLogs);
    expect(snippet).toMatchObject({ role: "output", text: expect.stringContaining("the tall ship at last") });
  });
});
