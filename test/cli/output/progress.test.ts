import { describe, expect, test } from "vitest";
import { createProgress, progressLine } from "../../../src/cli/output/progress.ts";
import { makeWorld } from "../../support/make-world.ts";

const MB = 1024 * 1024;
const state = { files: 120, filesTotal: 1402, bytes: 24 * MB, bytesTotal: 300 * MB };

describe("progressLine()", () => {
  test("shows files, bytes, rate and time left", () => {
    expect(progressLine("Indexing", state, 4_000)).toBe(
      "Indexing 120 of 1,402 files, 24 MB of 300 MB, 6.0 MB/s, 46 s left",
    );
  });

  test("guesses no rate from the first moments", () => {
    expect(progressLine("Indexing", state, 500)).toBe("Indexing 120 of 1,402 files, 24 MB of 300 MB");
  });
});

describe("createProgress()", () => {
  const moving = (columns?: number) => {
    const world = makeWorld(columns === undefined ? {} : { columns });
    let nowMs = 0;
    return { world: { ...world, now: () => nowMs }, err: world.err, to: (ms: number) => (nowMs = ms) };
  };

  test("draws at most ten times a second, not in the first moments, and erases at the end", () => {
    const { world, err, to } = moving(80);
    const progress = createProgress("Indexing", world);
    for (let ms = 0; ms <= 1_000; ms += 10) {
      to(ms);
      progress.update(state);
      if (ms === 290) expect(err()).toBe("");
    }
    expect(err().split("Indexing")).toHaveLength(1 + 8);
    progress.end();
    expect(err().endsWith("\r\x1b[K")).toBe(true);
  });

  test("keeps its line shorter than the terminal", () => {
    const { world, err, to } = moving(20);
    const progress = createProgress("Indexing", world);
    to(500);
    progress.update(state);
    expect(err()).toBe("\r\x1b[KIndexing 120 of…");
  });

  test("says nothing where no terminal shows it", () => {
    const { world, err, to } = moving();
    const progress = createProgress("Indexing", world);
    to(5_000);
    progress.update(state);
    progress.end();
    expect(err()).toBe("");
  });

  test("erases nothing that it did not draw", () => {
    const { world, err } = moving(80);
    createProgress("Indexing", world).end();
    expect(err()).toBe("");
  });
});
