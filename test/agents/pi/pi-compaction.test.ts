import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compactionLine } from "../../../src/agents/pi/compact.ts";
import { preparePiCompaction } from "../../../src/agents/pi/cut.ts";
import { type PiTrail, readPiTrail, type TrailEntry } from "../../../src/agents/pi/read-log.ts";
import { loadPi } from "../../support/pi-loader.ts";
import { randomPiLog } from "../../support/random-pi-log.ts";

/** What Pi's own code says: see fixtures/pi/library/make.mjs. */
const rowSchema = z.object({
  seed: z.number(),
  keepRecentTokens: z.number(),
  sha256: z.string(),
  context: z.array(z.number()),
  answer: z
    .object({
      firstKept: z.number(),
      history: z.number(),
      turnPrefix: z.number(),
      tokensBefore: z.number(),
      earlier: z.string().nullable(),
      readFiles: z.array(z.string()),
      modifiedFiles: z.array(z.string()),
    })
    .nullable(),
  after: z.array(z.number()).nullable(),
});
const rows = readFileSync(new URL("../../../fixtures/pi/library/answers.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => rowSchema.parse(JSON.parse(line)));

function entryOf({ entries }: PiTrail, id: string): TrailEntry {
  const entry = entries.findLast((each) => each.id === id);
  if (entry === undefined) throw new Error(`There is no entry ${id}`);
  return entry;
}

describe("preparePiCompaction()", () => {
  test("has answers of Pi itself to compare with, of every kind", () => {
    expect(rows.length).toBeGreaterThanOrEqual(200);
    const answers = rows.flatMap(({ answer }) => answer ?? []);
    expect(answers.length).toBeGreaterThan(80);
    expect(answers.filter(({ turnPrefix }) => turnPrefix > 0).length).toBeGreaterThan(20);
    expect(answers.filter(({ earlier }) => earlier !== null).length).toBeGreaterThan(10);
  });

  test("cuts where Pi cuts, summarises what Pi summarises and counts as Pi counts", () => {
    for (const { seed, keepRecentTokens, sha256, answer } of rows) {
      const log = randomPiLog(seed);
      expect(createHash("sha256").update(log).digest("hex").slice(0, 16), `log ${seed}`).toBe(sha256);
      const trail = readPiTrail([Buffer.from(log)]);
      const prepared = preparePiCompaction(trail.entries, { keepRecentTokens, onlyBeyondTokens: null });
      const ours =
        "nothing" in prepared
          ? null
          : {
              firstKept: entryOf(trail, prepared.firstKept.id).index,
              history: prepared.history.length,
              turnPrefix: prepared.turnPrefix.length,
              tokensBefore: prepared.tokensBefore,
              earlier: prepared.earlier,
              readFiles: prepared.readFiles,
              modifiedFiles: prepared.modifiedFiles,
            };
      expect(ours, `log ${seed}`).toEqual(answer);
    }
  });

  test("leaves a log from which Pi loads the same as after its own compaction", () => {
    for (const { seed, keepRecentTokens, context, after } of rows) {
      const log = randomPiLog(seed);
      expect(loadPi(log).context, `log ${seed}`).toEqual(context);
      const trail = readPiTrail([Buffer.from(log)]);
      const prepared = preparePiCompaction(trail.entries, { keepRecentTokens, onlyBeyondTokens: null });
      if ("nothing" in prepared) continue;
      const { tokensBefore, system } = prepared;
      const line = compactionLine(trail, {
        summary: "s",
        tokensBefore,
        system,
        now: 0,
        details: { readFiles: [], modifiedFiles: [] },
        firstKept: entryOf(trail, prepared.firstKept.id),
        leaf: entryOf(trail, prepared.leaf.id),
      });
      const loaded = loadPi(log + Buffer.from(line).toString());
      expect(loaded.context, `log ${seed}`).toEqual(after);
      expect(loaded.last).toMatchObject({ type: "compaction", summary: "s", tokensBefore });
    }
  });

  test("does nothing below the threshold of --auto", () => {
    const trail = readPiTrail([Buffer.from(randomPiLog(2))]);
    const ask = (onlyBeyondTokens: number): object =>
      preparePiCompaction(trail.entries, { keepRecentTokens: 600, onlyBeyondTokens });
    expect(ask(3_045)).toEqual({ nothing: "its context of 3045 tokens is not beyond 3045" });
    expect(ask(3_044)).toMatchObject({ tokensBefore: 3_045 });
  });
});
