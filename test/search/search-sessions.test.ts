import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Library } from "../../src/fs/library.ts";
import type { SearchEngine } from "../../src/search/engine.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import { noFilter } from "../../src/search/query/session-filter.ts";
import type { IndexAccess } from "../../src/search/refresh/index-access.ts";
import { type SearchResult, searchSessions } from "../../src/search/search-sessions.ts";
import { makeAccess, makeLibrary } from "../support/make-library.ts";

const ID = "11111111-0000-4000-8000-000000000000";

/** A library with one session of Claude Code that has these requests. */
function libraryWith(requests: readonly string[]): Library {
  const library = makeLibrary();
  const folder = join(library.environment.home, ".claude/projects/-home-ana-shop");
  mkdirSync(folder, { recursive: true });
  const lines = requests.map((content, at) =>
    JSON.stringify({
      type: "user",
      uuid: `u${at}`,
      parentUuid: at === 0 ? null : `u${at - 1}`,
      sessionId: ID,
      cwd: "/home/ana/shop",
      timestamp: `2026-11-10T10:0${at}:00Z`,
      message: { role: "user", content },
    }),
  );
  writeFileSync(join(folder, `${ID}.jsonl`), `${lines.join("\n")}\n`);
  return library;
}

async function search(library: Library, access: IndexAccess, query: string): Promise<SearchResult> {
  const [result] = await searchSessions(library, access, [
    { query: parseQuery(query), filter: noFilter, excluded: [], sort: "relevance", offset: 0, limit: 10 },
  ]);
  if (result === undefined) throw new Error("no answer");
  return result;
}

test("searchSessions() shows passages of three turns of a hit, and counts all that match", async () => {
  const library = libraryWith([
    "Rig the sloop.",
    "Nothing.",
    "Paint the sloop.",
    "Sell the sloop.",
    "Buy a sloop.",
  ]);
  const { hits } = await search(library, makeAccess(library), "sloop");
  expect(hits.map(({ snippets, matchingTurns }) => [snippets.length, matchingTurns])).toEqual([[3, 4]]);
});

test("searchSessions() highlights no stop words, unless nothing else was typed", async () => {
  const library = libraryWith(["What is it that the sloop is for? The mast, as it seems."]);
  const highlighted = async (query: string): Promise<readonly string[]> => {
    const { hits } = await search(library, makeAccess(library), query);
    return hits.flatMap(({ snippets }) =>
      snippets.flatMap(({ text, highlights }) => highlights.map(([from, to]) => text.slice(from, to))),
    );
  };
  expect(await highlighted('sloop "it that"')).toEqual(["it that", "sloop"]);
  expect(await highlighted("that the")).toEqual(["that", "the", "The"]);
});

test.each([
  ["the whole id of a session", () => ID, 0],
  [
    "the path of its log",
    (library: Library) => join(library.environment.home, `.claude/projects/-home-ana-shop/${ID}.jsonl`),
    0,
  ],
  ["a whole id in quotes", () => `"${ID}"`, 1],
  ["the start of an id", () => ID.slice(0, 8), 1],
])("searchSessions() answers %s", async (_, query, found) => {
  const library = libraryWith(["Rig the sloop.", `As in ${ID}.`]);
  const { hits, total } = await search(library, makeAccess(library), query(library));
  expect(total).toBe(1);
  expect(hits.map(({ row, snippets }) => [row.digest.id, snippets.length])).toEqual([[ID, found]]);
});

test.each([
  [".claude/projects/-home-ana-shop", `${ID}.jsonl`, 0],
  [".claude/projects/-home-ana-shop", `./${ID}.jsonl`, 0],
  [".claude", `projects/-home-ana-shop/${ID}.jsonl`, 0],
  [".claude", `${ID}.jsonl`, 1],
])("searchSessions() reads the path of a log from the folder %s: %s", async (folder, query, found) => {
  const { environment, ...library } = libraryWith(["Rig the sloop.", `As in ${ID}.jsonl`]);
  const there = { ...library, environment: { ...environment, folder: join(environment.home, folder) } };
  const { hits } = await search(there, makeAccess(there), query);
  expect(hits.map(({ row, snippets }) => [row.digest.id, snippets.length])).toEqual([[ID, found]]);
});

test("searchSessions() goes to the session with an id that others mention", async () => {
  const library = libraryWith(["Rig the sloop."]);
  const folder = join(library.environment.home, ".claude/projects/-home-ana-shop");
  const other = "22222222-0000-4000-8000-000000000000";
  const line = {
    type: "user",
    uuid: "v",
    parentUuid: null,
    sessionId: other,
    cwd: "/home/ana/shop",
    timestamp: "2026-11-12T10:00:00Z",
    message: { role: "user", content: `Look at ${ID} again` },
  };
  writeFileSync(join(folder, `${other}.jsonl`), `${JSON.stringify(line)}\n`);
  const ids = async (query: string): Promise<readonly string[]> =>
    (await search(library, makeAccess(library), query)).hits.map(({ row }) => row.digest.id);
  expect(await ids(ID)).toEqual([ID]);
  expect(await ids(`"${ID}"`)).toEqual([other]);
});

test("searchSessions() takes no total for exact if a part of the index did not answer", async () => {
  const library = libraryWith(["Rig the sloop."]);
  const access = makeAccess(library);
  const whole = await search(library, access, "sloop");
  expect([whole.total, whole.totalIsExact]).toEqual([1, true]);
  const engine: SearchEngine = {
    ...access.engine,
    async read() {
      const opened = await access.engine.read();
      if (opened.kind !== "open") return opened;
      const { reader } = opened;
      const inPart: typeof reader.search = async (plan) => {
        const answer = await reader.search(plan);
        return answer.kind === "answer" ? { ...answer, partial: "one of two did not answer" } : answer;
      };
      return { ...opened, reader: { ...reader, search: inPart } };
    },
  };
  const part = await search(library, { ...access, engine }, "sloop");
  expect([part.total, part.totalIsExact]).toEqual([1, false]);
});
