import { describe, expect, it } from "vitest";
import { createRedactor } from "../../src/redact/redact.ts";
import { freshSets, loadFreshSet, measureFresh } from "../support/fresh-samples.ts";
import { measureQuality } from "../support/redact-quality.ts";
import { loadSampleSet } from "../support/secret-samples.ts";

const { find, redact } = createRedactor();

describe("the labelled texts", () => {
  it("are as many as the figures claim", () => {
    const dev = loadSampleSet("dev");
    const heldOut = loadSampleSet("held-out");
    const secrets = dev.withSecrets.flatMap((sample) => sample.secrets);
    expect(secrets.length).toBeGreaterThanOrEqual(300);
    expect(new Set(secrets.map((secret) => secret.kind)).size).toBeGreaterThanOrEqual(25);
    expect(dev.lookAlikes.length).toBeGreaterThanOrEqual(600);
    expect(heldOut.withSecrets.flatMap((sample) => sample.secrets).length).toBeGreaterThanOrEqual(100);
    expect(heldOut.lookAlikes.length).toBeGreaterThanOrEqual(200);
  });

  it("are the same in every run", () => {
    expect(loadSampleSet("dev")).toEqual(loadSampleSet("dev"));
  });

  it.each(["dev", "held-out"] as const)(
    "of the %s set are told apart with recall and precision of at least 0.95",
    (set) => {
      const quality = measureQuality(loadSampleSet(set), find);
      const mistakes = quality.mistakes
        .map(({ what, kind, sample }) => `${what} ${kind} [${sample}]`)
        .join("\n");
      expect(quality.recall, mistakes).toBeGreaterThanOrEqual(0.95);
      expect(quality.precision, mistakes).toBeGreaterThanOrEqual(0.95);
    },
  );

  it("of the dev set leave no kind behind", () => {
    const { kinds } = measureQuality(loadSampleSet("dev"), find);
    const weak = kinds.filter(
      (kind) => kind.covered < kind.secrets * 0.95 || kind.right < kind.findings * 0.95,
    );
    expect(weak).toEqual([]);
  });
});

describe("the fresh texts", () => {
  it("are as many as the figures claim", () => {
    const { secrets, lookAlikes } = loadFreshSet("dev");
    expect([secrets.length, lookAlikes.length]).toEqual([120, 50]);
    expect(loadFreshSet("neighbours").secrets.length).toBeGreaterThanOrEqual(180);
  });

  it.each(freshSets)("of the %s set lose at least 98 of 100 secrets", (name) => {
    const set = loadFreshSet(name);
    const missed = measureFresh(set, redact).missed.map(({ id }) => id);
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(set.secrets.length * 0.02);
  });

  it.each(freshSets)("of the %s set that look alike stay", (name) => {
    expect(measureFresh(loadFreshSet(name), redact).touched.map(({ id }) => id)).toEqual([]);
  });

  it.each(freshSets)("of the %s set are the same masked twice as once", (name) => {
    for (const { id, text } of loadFreshSet(name).secrets) {
      const once = redact(text);
      expect(redact(once), id).toBe(once);
    }
  });
});

describe("measureQuality()", () => {
  const set = {
    withSecrets: [{ id: "a", text: "key abcdef", secrets: [{ kind: "x", start: 4, end: 10 }] }],
    lookAlikes: [{ id: "b", text: "nothing here", secrets: [] }],
  };

  it("counts a secret that is covered only in part as missed", () => {
    expect(
      measureQuality(set, (text) => (text.startsWith("key") ? [{ kind: "x", start: 4, end: 9 }] : [])).recall,
    ).toBe(0);
  });

  it("counts a finding in a look-alike against precision", () => {
    expect(measureQuality(set, () => [{ kind: "x", start: 4, end: 10 }])).toMatchObject({
      recall: 1,
      precision: 0.5,
    });
  });

  it("counts a finding that takes along too much as wrong", () => {
    const wide = {
      ...set,
      withSecrets: [
        { id: "a", text: `${"w".repeat(20)} abcdef`, secrets: [{ kind: "x", start: 21, end: 27 }] },
      ],
    };
    expect(
      measureQuality(wide, (text) => (text.startsWith("w") ? [{ kind: "x", start: 0, end: 27 }] : [])),
    ).toMatchObject({
      recall: 1,
      precision: 0,
    });
  });
});
