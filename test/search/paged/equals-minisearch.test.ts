import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../../../src/fs/node-disk.ts";
import type { IndexedSession } from "../../../src/search/engine.ts";
import { openSegments } from "../../../src/search/paged/embedded-engine.ts";
import type { MergePolicy } from "../../../src/search/paged/merge-policy.ts";
import type { ReusePolicy } from "../../../src/search/paged/reuse-turns.ts";
import { createSegmentsView } from "../../../src/search/paged/segments-view.ts";
import { evaluate } from "../../../src/search/ranking/evaluate.ts";
import type { IndexView } from "../../../src/search/ranking/index-view.ts";
import type { QueryNode } from "../../../src/search/ranking/query-node.ts";
import { type DocumentSet, documentsIn } from "../../../src/search/ranking/scorer.ts";
import fc from "../../support/fc.ts";
import { arbitraryChanges, arbitraryQuery } from "../../support/index/index-arbitraries.ts";
import { applyChanges, engineIn, survivors, withIndexFolder } from "../../support/index/index-folder.ts";
import { createOracle } from "../../support/index/minisearch-oracle.ts";
import { smallSchema } from "../../support/index/small-schema.ts";

const boosts = smallSchema.fields.map(({ boost }) => boost);

function withView<T>(folder: string, use: (view: IndexView) => T): T {
  const opened = openSegments(nodeDisk, folder, smallSchema);
  if (opened.kind !== "open") throw new Error(JSON.stringify(opened));
  try {
    return use(createSegmentsView(opened.segments, smallSchema.fields));
  } finally {
    opened.close();
  }
}

function scoresOf(view: IndexView, set: DocumentSet, name: (doc: number) => string): Map<string, number> {
  const scores = new Map<string, number>();
  for (const doc of documentsIn(set)) scores.set(name(doc), set.scores[doc] ?? 0);
  expect(scores.size, "a document is there once").toBe(set.count);
  expect(view.documents.card).toBeLessThanOrEqual(view.space.card);
  return scores;
}

function evaluateByName(
  view: IndexView,
  clauses: readonly QueryNode[],
): { card: Map<string, number>; turn: Map<string, number> } {
  const { card, turn } = evaluate(view, clauses, boosts);
  const sessions = view.sessionsOfTurns();
  return {
    card: scoresOf(view, card, (doc) => `${view.key(doc)}#0`),
    turn: scoresOf(view, turn, (doc) => `${view.key(sessions[doc] ?? 0)}#${view.turn(doc).number}`),
  };
}

function expectSameScores(actual: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): void {
  expect([...actual.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [id, score] of wanted) {
    expect(Math.abs((actual.get(id) ?? 0) - score)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(score)));
  }
}

/** The texts that are kept, of both kinds, are those that were put last, whatever was merged and stayed where it was. */
function expectSameTexts(view: IndexView, wanted: ReadonlyMap<string, IndexedSession>): void {
  const found = new Map<string, unknown>();
  for (let session = 0; session < view.space.card; session++) {
    if (view.gone()[session] === 1) continue;
    const turns = view.turnsOf(session).flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, i) => ({
        ...view.turnTexts(from + i),
        ...view.turnTextsApart(from + i),
      })),
    );
    found.set(view.key(session), turns);
  }
  const kept = [...wanted].map(([key, { documents }]) => {
    const turns = documents.filter(({ turn }) => turn > 0);
    return [key, turns.map(({ fields }) => asKept(fields))] as const;
  });
  expect(found).toEqual(new Map(kept));
}

/** In UTF-8, in which half a character is a sign that stands for it. */
function asKept(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(fields).filter(([, text]) => text !== "");
  return Object.fromEntries(kept.map(([name, text]) => [name, Buffer.from(text).toString()]));
}

/** Whatever is the same stays where it is. */
const keepAll: ReusePolicy = (sizes) => sizes.length;

const plans: Readonly<Record<string, MergePolicy>> = {
  never: () => [],
  "the first two whenever there are three": (segments) => (segments.length > 2 ? [0, 1] : []),
  "everything into one": (segments) => (segments.length > 1 ? segments.map((_, i) => i) : []),
  "what has gaps": (segments) => {
    const gap = segments.findIndex(({ documents, living }) => living < documents);
    return gap === -1 ? [] : [gap];
  },
};

describe("evaluate() over segments gives the scores of one MiniSearch built from what is left", () => {
  for (const [name, plan] of Object.entries(plans)) {
    test(`for any changes and any query, merging ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          arbitraryChanges,
          fc.array(fc.array(arbitraryQuery, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
          async (changes, queries) => {
            await withIndexFolder(async (folder) => {
              await applyChanges(engineIn(folder, { merge: plan, reuse: keepAll }), changes);
              const left = survivors(changes);
              const oracle = createOracle(smallSchema, [...left.values()]);
              withView(folder, (view) => {
                expectSameTexts(view, left);
                for (const clauses of queries) {
                  const found = evaluateByName(view, clauses);
                  expectSameScores(found.card, oracle.search("card", clauses));
                  expectSameScores(found.turn, oracle.search("turn", clauses));
                }
              });
            });
          },
        ),
        { numRuns: 100 },
      );
    });
  }
});
