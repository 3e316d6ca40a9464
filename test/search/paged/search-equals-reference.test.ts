import { expect, test } from "vitest";
import type { IndexDocument, IndexedSession } from "../../../src/search/engine.ts";
import type { SearchFilter } from "../../../src/search/ranking/search-plan.ts";
import fc from "../../support/fc.ts";
import { arbitraryChanges, arbitraryWord } from "../../support/index/index-arbitraries.ts";
import {
  applyChanges,
  engineIn,
  mustRead,
  survivors,
  withIndexFolder,
} from "../../support/index/index-folder.ts";
import { createOracle, type Oracle } from "../../support/index/minisearch-oracle.ts";
import { smallSchema } from "../../support/index/small-schema.ts";
import { eachTerm } from "../../support/index/terms-of.ts";
import { planFor, word } from "../../support/index/tiny-history.ts";

interface Expected {
  readonly key: string;
  readonly score: number;
}

const DAY_MS = 86_400_000;
/** Sessions of the first quarter of an hour of 1970, some weeks later. */
const NOW: number = 40 * DAY_MS;

/** A tenth at most, halved every 30 days (docs/decisions/ranking.md). */
function recency(at: number | null): number {
  return at === null ? 1 : 1 + 0.1 * 0.5 ** ((NOW - at) / (30 * DAY_MS));
}

function passes({ at, context }: IndexDocument, { since, until, contexts }: SearchFilter): boolean {
  if (contexts !== undefined && !contexts.includes(context)) return false;
  if (since === undefined && until === undefined) return true;
  return at !== null && at >= (since ?? at) && at <= (until ?? at);
}

/** The rules of ranking in their plainest form, over the scores of a real MiniSearch. */
function reference(
  oracle: Oracle,
  sessions: readonly IndexedSession[],
  wanted: readonly string[],
  unwanted: readonly string[],
  filter: SearchFilter,
): { readonly all: Expected[]; readonly some: Expected[] } {
  const node = (term: string) =>
    ({ kind: "term", term, prefix: false, maxDistance: 0, boost: 1, fields: 0xffff }) as const;
  const scores = {
    card: oracle.search("card", wanted.map(node)),
    turn: oracle.search("turn", wanted.map(node)),
  };
  const has = (document: IndexDocument, term: string): boolean => {
    let found = false;
    const kind = document.turn === 0 ? "card" : "turn";
    for (const field of smallSchema.fields) {
      if (field.kind !== kind) continue;
      const text = document.fields[field.name] ?? "";
      const look = (other: string): void => {
        found ||= other === term;
      };
      eachTerm(text, look, smallSchema.createAnalyzer);
    }
    return found;
  };
  const found: (Expected & { readonly words: number; readonly plain: number })[] = [];
  for (const { key, documents } of sessions) {
    if (documents.some((document) => unwanted.some((term) => has(document, term)))) continue;
    const [card, ...turns] = documents;
    if (card === undefined) continue;
    const counted = turns.filter((turn) => passes(turn, filter) && scores.turn.has(`${key}#${turn.turn}`));
    // A session of which only the card is known stands in no context.
    const anyPasses =
      turns.length === 0
        ? filter.contexts === undefined && passes(card, filter)
        : turns.some((turn) => passes(turn, filter));
    const withCard = anyPasses && scores.card.has(`${key}#0`) ? [card] : [];
    const matching = [...withCard, ...counted];
    if (matching.length === 0) continue;
    const best = Math.max(0, ...counted.map(({ turn }) => scores.turn.get(`${key}#${turn}`) ?? 0));
    const cardScore = withCard.length === 0 ? 0 : (scores.card.get(`${key}#0`) ?? 0);
    const count = (documents: readonly IndexDocument[]): number =>
      wanted.filter((term) => documents.some((document) => has(document, term))).length;
    const spread = count(matching) / wanted.length;
    const together = Math.max(...matching.map((document) => count([document]))) / wanted.length;
    const plain = (cardScore + 2 * best) * spread * together;
    const score = plain * recency(card.at);
    found.push({ key, score, plain, words: count(matching) });
  }
  const whole = found.filter(({ words }) => words === wanted.length);
  const best = Math.max(...whole.map(({ plain }) => plain));
  // Of three words one may be missing, where what has the others is better than all that has every one.
  const least = wanted.length - Math.floor(wanted.length / 3);
  const nearly = found.filter(({ words, plain }) => words < wanted.length && words >= least && plain > best);
  return { all: whole.length === 0 ? [] : [...whole, ...nearly], some: found };
}

function expectRanked(hits: readonly Expected[], wanted: readonly Expected[]): void {
  const scores = new Map(wanted.map(({ key, score }) => [key, score]));
  expect(hits.map(({ key }) => key).sort()).toEqual([...scores.keys()].sort());
  hits.forEach(({ key, score }, i) => {
    expect(score).toBeCloseTo(scores.get(key) ?? -1, 9);
    const next = hits[i + 1];
    if (next === undefined) return;
    expect(next.score).toBeLessThanOrEqual(score);
    if (next.score === score) expect(next.key > key).toBe(true);
  });
}

test("a search ranks sessions as the rules say, over the scores of one MiniSearch", async () => {
  const arbitraryFilter: fc.Arbitrary<SearchFilter> = fc.oneof(
    fc.constant({}),
    fc.record({ since: fc.integer({ min: -1000, max: 1_000_000 }) }),
    fc.record({ until: fc.integer({ min: -1000, max: 1_000_000 }) }),
    fc.record({
      contexts: fc.subarray(["current", "compacted", "branch", "subagent"] as const, { minLength: 1 }),
    }),
  );
  const arbitraryAsk = fc.record({
    wanted: fc.uniqueArray(arbitraryWord, { minLength: 1, maxLength: 4 }),
    unwanted: fc.uniqueArray(arbitraryWord, { maxLength: 1 }),
    filter: arbitraryFilter,
  });
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryChanges,
      fc.array(arbitraryAsk, { minLength: 3, maxLength: 8 }),
      async (changes, asks) => {
        await withIndexFolder(async (folder) => {
          const engine = engineIn(folder, { reuse: (sizes) => sizes.length });
          await applyChanges(engine, changes);
          const sessions = [...survivors(changes).values()];
          const oracle = createOracle(smallSchema, sessions);
          const reader = await mustRead(engine);
          for (const { wanted, unwanted, filter } of asks) {
            const { all, some } = reference(oracle, sessions, wanted, unwanted, filter);
            const answer = await reader.search(
              planFor(
                wanted.map((term) => word(term)),
                { unwanted: unwanted.map((term) => word(term)), filter, now: NOW, limit: 100 },
              ),
            );
            if (answer.kind !== "answer") throw new Error(answer.what);
            if (all.length > 0) {
              answered++;
              expect([answer.match, answer.total]).toEqual(["all", all.length]);
              expectRanked(answer.hits, all);
            } else {
              expect(answer.match).not.toBe("all");
            }
            if (some.length === 0 && answer.match === "some") expect(answer.total).toBeGreaterThan(0);
          }
          await reader.close();
        });
      },
    ),
    { numRuns: 150 },
  );
  expect(answered).toBeGreaterThan(50);
});
