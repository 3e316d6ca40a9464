import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryDisk } from "../../src/fs/memory-disk.ts";
import { nodeProcesses } from "../../src/fs/processes.ts";
import { isStopWord } from "../../src/search/analysis/stop-words.ts";
import { openEngine } from "../../src/search/open-engine.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import type { SessionFilter } from "../../src/search/query/session-filter.ts";
import { type SearchResult, searchSessions } from "../../src/search/search-sessions.ts";
import { withCatalog } from "../../src/search/session-catalog.ts";
import { askQueries, figuresOf, type Outcome } from "../quality/ask-queries.ts";
import { libraryIn } from "../support/library-in.ts";
import { createSeededRandom, type SeededRandom } from "../support/seeded-random.ts";
import { realHome, temporaryFolder } from "./support/real-home.ts";

const store = temporaryFolder();
const home = realHome();
const library = libraryIn(home, { store: store.path });
const access = {
  engine: openEngine(library, nodeProcesses),
  inMemory: () => openEngine({ disk: createMemoryDisk(library.now), places: library.places }, nodeProcesses),
};
let outcomes: readonly Outcome[] = [];

beforeAll(async () => {
  outcomes = await askQueries(home, store.path);
});
afterAll(store.remove);

describe("the labelled queries", () => {
  test("are enough, and a part of them is held out", () => {
    expect(outcomes.length).toBeGreaterThan(300);
    expect(outcomes.filter(({ asked }) => asked.heldOut === true).length).toBeGreaterThan(100);
  });

  test("find their session first for four of five, and among five for nineteen of twenty", () => {
    const { first, inFive } = figuresOf(outcomes);
    expect(first).toBeGreaterThanOrEqual(0.8);
    expect(inFive).toBeGreaterThanOrEqual(0.95);
  });

  test("do so where they were never looked at", () => {
    const { first, inFive } = figuresOf(outcomes.filter(({ asked }) => asked.heldOut === true));
    expect(first).toBeGreaterThanOrEqual(0.8);
    expect(inFive).toBeGreaterThanOrEqual(0.95);
  });
});

const NO_FILTER: SessionFilter = {
  projects: [],
  files: [],
  agents: [],
  branches: [],
  tools: [],
  commands: [],
  errors: [],
  titles: [],
  contexts: [],
  since: undefined,
  until: undefined,
};

function ask(queries: readonly string[]): Promise<readonly SearchResult[]> {
  return searchSessions(
    library,
    access,
    queries.map((query) => ({
      query: parseQuery(query),
      filter: NO_FILTER,
      excluded: [],
      sort: "relevance" as const,
      offset: 0,
      limit: 10,
    })),
  );
}

interface Quoted {
  readonly id: string;
  readonly words: readonly string[];
}

/**
 * Some words in a row out of a request of each of so many sessions, that no other request has. One of them
 * is long: of words like "is there any" thousands of texts are made, and a phrase is looked for in 200.
 */
async function quotes(random: SeededRandom, count: number): Promise<readonly Quoted[]> {
  const requests = await withCatalog(library, access, async ({ rows, digestOf }) =>
    Promise.all(
      rows.map(async (row) => ({
        id: row.digest.id,
        texts: ((await digestOf(row))?.requests ?? []).map(({ text }) => text.replace(/\s+/g, " ")),
      })),
    ),
  );
  const found: Quoted[] = [];
  while (found.length < count) {
    const { id, texts } = random.pick(requests);
    const words = (
      random.pick(texts.length === 0 ? [""] : texts).match(/[A-Za-z]{2,}(?: [A-Za-z]{2,}){6}/g) ?? []
    ).map((text) => text.split(" "));
    if (words.length === 0) continue;
    const quoted = random.pick(words);
    const isAlone = requests.every(
      (other) => other.id === id || !other.texts.some((text) => text.includes(quoted.join(" "))),
    );
    if (isAlone && quoted.some((word) => word.length > 6 && !isStopWord(word)))
      found.push({ id, words: quoted });
  }
  return found;
}

/** The longest word with two neighbours exchanged. */
function withTypo(words: readonly string[]): readonly string[] {
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? "";
  const at = Math.floor(longest.length / 2);
  const wrong = `${longest.slice(0, at - 1)}${longest.charAt(at)}${longest.charAt(at - 1)}${longest.slice(at + 1)}`;
  return words.map((word) => (word === longest ? wrong : word));
}

test("a phrase out of any session finds it first", async () => {
  const sample = await quotes(createSeededRandom(4), 60);
  const answers = await ask(sample.map(({ words }) => `"${words.join(" ")}"`));
  const missed = sample.filter(({ id }, index) => answers[index]?.hits[0]?.row.digest.id !== id);
  expect(missed).toEqual([]);
  expect(new Set(answers.map(({ match }) => match))).toEqual(new Set(["all"]));
});

test("the words of it find it without quotes, and with a typo still", async () => {
  const sample = await quotes(createSeededRandom(5), 60);
  const plain = await ask(sample.map(({ words }) => words.join(" ")));
  const typed = await ask(sample.map(({ words }) => withTypo(words).join(" ")));
  const share = (answers: readonly SearchResult[], most: number): number =>
    sample.filter(({ id }, index) =>
      answers[index]?.hits.slice(0, most).some(({ row }) => row.digest.id === id),
    ).length / sample.length;
  expect(share(plain, 1)).toBeGreaterThanOrEqual(0.85);
  expect(share(plain, 5)).toBeGreaterThanOrEqual(0.95);
  expect(share(typed, 1)).toBeGreaterThanOrEqual(0.8);
  expect(share(typed, 5)).toBeGreaterThanOrEqual(0.9);
  const fuzzy = typed.filter(({ match }) => match === "fuzzy");
  expect(fuzzy.length / sample.length).toBeGreaterThanOrEqual(0.75);
});
