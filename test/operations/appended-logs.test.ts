import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { refreshIndex } from "../../src/operations/indexing/refresh-index.ts";
import fc from "../support/fc.ts";
import { dumpIndex, dumpRebuilt, keepingEngine } from "../support/index-dump.ts";
import { makeLibrary } from "../support/make-library.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));

/** The logs of the example history, sub-agents included, as paths below a home. */
const logs = readdirSync(demo, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".jsonl"))
  .sort();

/** What happens between two refreshes: so much more of some logs is there. */
const arbitraryStep = fc.array(
  fc.record({ log: fc.nat(logs.length - 1), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  { minLength: 1, maxLength: 4 },
);

describe("an index that follows logs as they grow", () => {
  test("is the one that is built from nothing, whatever pieces come", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 2, maxLength: 5 }), async (steps) => {
        const library = makeLibrary();
        const { home } = library.surroundings;
        cpSync(demo, home, { recursive: true });
        const rest = logs.map((log) => {
          const path = join(home, log);
          const bytes = readFileSync(path);
          // A third is there from the beginning, cut anywhere.
          const at = Math.floor(bytes.length / 3);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, bytes.subarray(0, at));
          return { path, bytes, at };
        });
        const engine = keepingEngine(library);
        await refreshIndex(library, { engine });
        for (const step of [...steps, logs.map((_, log) => ({ log, share: 1 }))]) {
          for (const { log, share } of step) {
            const file = rest[log];
            if (file === undefined) continue;
            const end = file.at + Math.ceil((file.bytes.length - file.at) * share);
            appendFileSync(file.path, file.bytes.subarray(file.at, end));
            file.at = end;
          }
          await refreshIndex(library, { engine });
          expect(await dumpIndex(engine)).toEqual(await dumpRebuilt(library));
        }
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});
