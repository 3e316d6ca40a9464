import { expect, test } from "vitest";
import type { IndexDocument, IndexedSession } from "../../../src/search/engine.ts";
import type { DateSpan, SearchFilter } from "../../../src/search/ranking/search-plan.ts";
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

/** Three times at the date, halved every 7 days after and every 3 days before it. */
function nearDate(at: number | null, dates: readonly DateSpan[]): number {
  if (at === null) return 1;
  const factors = dates.map(({ from, to }) => {
    if (at < from) return 1 + 2 * 0.5 ** ((from - at) / (3 * DAY_MS));
    return at > to ? 1 + 2 * 0.5 ** ((at - to) / (7 * DAY_MS)) : 3;
  });
  return Math.max(1, ...factors);
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
  { wanted, excluded, filter, dates }: Ask,
): { readonly ranked: readonly Expected[]; readonly whole: readonly string[] } {
  const node = (term: string) =>
    ({ kind: "term", term, prefix: false, maxDistance: 0, boost: 1, fields: 0xffff }) as const;
  const scores = {
    card: oracle.search("card", wanted.map(node)),
    turn: oracle.search("turn", wanted.map(node)),
  };
  const turnsInAll = sessions.flatMap(({ documents }) => documents.slice(1));
  const weights = wanted.map((term) => {
    const having = turnsInAll.filter((turn) => hasTerm(turn, term)).length;
    return Math.max(0.001, Math.log(1 + (turnsInAll.length - having + 0.5) / (having + 0.5)));
  });
  const shareOf = (isMet: (term: string) => boolean): number => {
    const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
    return sum(weights.filter((_, i) => isMet(wanted[i] ?? ""))) / sum(weights);
  };

  const ranked: Expected[] = [];
  const whole: string[] = [];
  for (const { key, documents } of sessions) {
    if (documents.some((document) => excluded.some((term) => hasTerm(document, term)))) continue;
    const [card, ...turns] = documents;
    if (card === undefined) continue;
    const scoreOf = (turn: IndexDocument): number => scores.turn.get(`${key}#${turn.turn}`) ?? 0;
    const counts = (turn: IndexDocument | undefined): turn is IndexDocument =>
      turn !== undefined && passes(turn, filter) && scoreOf(turn) > 0;
    // A session of which only the card is known is in no context.
    const anyPasses =
      turns.length === 0
        ? filter.contexts === undefined && passes(card, filter)
        : turns.some((turn) => passes(turn, filter));
    const cardScore = anyPasses ? (scores.card.get(`${key}#0`) ?? 0) : 0;
    const matching = [...(cardScore > 0 ? [card] : []), ...turns.filter(counts)];
    if (matching.length === 0) continue;

    const cardShare = cardScore > 0 ? shareOf((term) => hasTerm(card, term)) : 0;
    const leaning = turns.flatMap((turn, i) => {
      if (!counts(turn)) return [];
      const before = turns[i - 1];
      const share = shareOf((term) => hasTerm(turn, term));
      if (!counts(before)) return [{ score: scoreOf(turn), share }];
      const onlyBefore = shareOf((term) => hasTerm(before, term) && !hasTerm(turn, term));
      return [{ score: scoreOf(turn) + 0.3 * scoreOf(before), share: share + 0.3 * onlyBefore }];
    });
    const best = Math.max(0, ...leaning.map(({ score, share }) => score * share));
    const most = Math.max(cardShare, ...leaning.map(({ share }) => share));
    const score = (cardScore * cardShare + 2 * best) * most;
    ranked.push({ key, score: score * recency(card.at) * nearDate(card.at, dates) });
    const isWhole = wanted.every((term) => matching.some((document) => hasTerm(document, term)));
    if (isWhole) whole.push(key);
  }
  return { ranked, whole };
}

function hasTerm(document: IndexDocument, term: string): boolean {
  let found = false;
  const kind = document.turn === 0 ? "card" : "turn";
  for (const field of smallSchema.fields) {
    if (field.kind !== kind) continue;
    const look = (other: string): void => {
      found ||= other === term;
    };
    eachTerm(document.fields[field.name] ?? "", look, smallSchema.createAnalyzer);
  }
  return found;
}

/** The hits are the best `limit` of those that are expected, in order. */
function expectRanked(hits: readonly Expected[], expected: readonly Expected[], limit: number): void {
  const scores = new Map(expected.map(({ key, score }) => [key, score]));
  expect(hits.length).toBe(Math.min(limit, expected.length));
  hits.forEach(({ key, score }, i) => {
    expect(score).toBeCloseTo(scores.get(key) ?? -1, 9);
    scores.delete(key);
    const next = hits[i + 1];
    if (next === undefined) return;
    expect(next.score).toBeLessThanOrEqual(score);
    if (next.score === score) expect(next.key > key).toBe(true);
  });
  const last = hits.at(-1)?.score ?? 0;
  for (const score of scores.values()) expect(score).toBeLessThanOrEqual(last + 1e-9);
}

const arbitraryFilter: fc.Arbitrary<SearchFilter> = fc.oneof(
  fc.constant({}),
  fc.record({ since: fc.integer({ min: -1000, max: 1_000_000 }) }),
  fc.record({ until: fc.integer({ min: -1000, max: 1_000_000 }) }),
  fc.record({
    contexts: fc.subarray(["current", "compacted", "branch", "subagent"] as const, { minLength: 1 }),
  }),
);

const arbitraryDate: fc.Arbitrary<DateSpan> = fc
  .tuple(fc.integer({ min: -20 * DAY_MS, max: 20 * DAY_MS }), fc.integer({ min: 0, max: 10 * DAY_MS }))
  .map(([from, length]) => ({ from, to: from + length }));

interface Ask {
  readonly wanted: readonly string[];
  readonly excluded: readonly string[];
  readonly filter: SearchFilter;
  readonly dates: readonly DateSpan[];
  readonly limit: number;
}

const arbitraryAsk: fc.Arbitrary<Ask> = fc.record({
  wanted: fc.uniqueArray(arbitraryWord, { minLength: 1, maxLength: 4 }),
  excluded: fc.uniqueArray(arbitraryWord, { maxLength: 1 }),
  filter: arbitraryFilter,
  dates: fc.array(arbitraryDate, { maxLength: 2 }),
  // Small pages leave out sessions by their bounds.
  limit: fc.constantFrom(1, 2, 100),
});

test("a search ranks sessions as the rules say, over the scores of one MiniSearch", async () => {
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
          for (const ask of asks) {
            const { ranked, whole } = reference(oracle, sessions, ask);
            const { filter, dates, limit } = ask;
            // Typos would be other words; the reference knows none.
            const exact = (term: string) => word(term, { isTolerant: false });
            const plan = { excluded: ask.excluded.map(exact), filter, dates, limit, now: NOW };
            const answer = await reader.search(planFor(ask.wanted.map(exact), plan));
            if (answer.kind !== "answer") throw new Error(answer.what);
            const match = whole.length > 0 ? "all" : ranked.length > 0 ? "some" : "none";
            const total = whole.length > 0 ? whole.length : ranked.length;
            expect([answer.match, answer.total, answer.ranked]).toEqual([match, total, ranked.length]);
            expectRanked(answer.hits, ranked, limit);
            for (const hit of answer.hits) expect(hit.match).toBe(whole.includes(hit.key) ? "all" : "some");
            if (whole.length > 0) answered++;
          }
          await reader.close();
        });
      },
    ),
    { numRuns: 150 },
  );
  expect(answered).toBeGreaterThan(50);
});
