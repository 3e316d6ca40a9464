import { describe, expect, test } from "vitest";
import { estimateJsonTokens, type FittedJson, fitJson } from "../../../src/render/agent/fit-json.ts";
import fc from "../../support/fc.ts";

const note = ({ value, dropped }: FittedJson): object => ({ ...value, cut: { dropped } });

const hit = (number: number): object => ({
  sessionId: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  title: "t".repeat(300),
  source: `/home/ana/${"long/".repeat(30)}${number}.jsonl`,
  files: ["/a", "/b", "/c", "/d", "/e"],
  tools: { Bash: 3, Edit: 2, Read: 9, Grep: 1, Write: 4 },
  snippets: [1, 2, 3].map((turn) => ({ turn, text: `${turn} ${"word ".repeat(90)}`, highlights: [[2, 5]] })),
});

describe("fitJson()", () => {
  test("leaves alone what fits", () => {
    const answer = { schemaVersion: 1, hits: [{ text: "short", highlights: [[0, 5]] }] };
    expect(fitJson(answer, 1_500, note)).toEqual(answer);
  });

  test("shortens texts and inner lists before it leaves out a hit", () => {
    const answer = { schemaVersion: 1, total: 5, hits: [1, 2, 3, 4, 5].map(hit) };
    const fitted = fitJson(answer, 1_500, note);
    expect(estimateJsonTokens(JSON.stringify(answer))).toBeGreaterThan(2_500);
    expect(estimateJsonTokens(JSON.stringify(fitted))).toBeLessThanOrEqual(1_500);
    expect(fitted).toMatchObject({ schemaVersion: 1, total: 5, cut: { dropped: {} } });
    const hits = "hits" in fitted && Array.isArray(fitted.hits) ? fitted.hits : [];
    expect(hits).toHaveLength(5);
    for (const [at, each] of hits.entries()) {
      const whole = hit(at + 1);
      expect(Object.keys(each)).toEqual(Object.keys(whole));
      // What is to be used as it is stays as it is.
      expect(each).toMatchObject({
        sessionId: "sessionId" in whole && whole.sessionId,
        source: "source" in whole && whole.source,
      });
      expect(each.snippets[0].text).toMatch(/^1 word .*…$/);
      expect(each.snippets[0].highlights).toEqual([]);
    }
  });

  test("leaves out the last ones where even that is too much, and says how many", () => {
    const fitted = fitJson({ hits: Array.from({ length: 30 }, (_, at) => hit(at)) }, 1_500, note);
    expect(estimateJsonTokens(JSON.stringify(fitted))).toBeLessThanOrEqual(1_500);
    const hits = "hits" in fitted && Array.isArray(fitted.hits) ? fitted.hits : [];
    expect(hits.length).toBeGreaterThan(3);
    expect(fitted).toMatchObject({ cut: { dropped: { hits: 30 - hits.length } } });
    expect(hits[0]).toMatchObject({ sessionId: "00000000-0000-4000-8000-000000000000" });
  });

  test("keeps one item, however small the budget", () => {
    expect(fitJson({ hits: [hit(1), hit(2)] }, 1, note)).toMatchObject({ cut: { dropped: { hits: 1 } } });
  });

  test("takes control characters out, also of keys, and keeps line ends", () => {
    const dirty = { text: "a\u001b[31mred\u0007\nb\u202ec", tools: { "x\u0000y": 1 } };
    expect(fitJson(dirty, 100, note)).toEqual({ text: "ared\nbc", tools: { xy: 1 } });
  });

  test("keeps all fields at the top, whatever the answer is", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue()),
        fc.nat(2_000),
        (answer, budget) => {
          const fitted = fitJson(answer, budget, note);
          expect(Object.keys(fitted)).toEqual(expect.arrayContaining(Object.keys(answer)));
          for (const [key, value] of Object.entries(answer)) {
            expect(Array.isArray(Object.getOwnPropertyDescriptor(fitted, key)?.value)).toBe(
              Array.isArray(value),
            );
          }
        },
      ),
    );
  });
});
