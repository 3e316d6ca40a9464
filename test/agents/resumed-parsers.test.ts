import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import { agents } from "../../src/agents/agents.ts";
import { defaultTextLimits } from "../../src/session/text-budget.ts";
import fc from "../support/fc.ts";
import { damage, fixtureLogs } from "../support/format-fuzz.ts";
import { lineEnds, parseBytes, parseInPieces } from "../support/parse-logs.ts";

describe.each(agents.map((format) => [format.displayName, format] as const))(
  "a parser of %s that goes on from what another one saved",
  (_, format: Agent) => {
    const logs = fixtureLogs(format);

    test("reads what one parser reads at once, wherever a log was cut", () => {
      let cuts = 0;
      for (const log of logs) {
        const whole = parseBytes(format, log);
        for (const end of lineEnds(log)) {
          const pieces = parseInPieces(format, log, [end]);
          if (pieces === undefined) continue;
          expect(pieces).toEqual(whole);
          cuts++;
        }
      }
      expect(cuts).toBeGreaterThan(30);
    });

    test("reads what one parser reads at once of whatever lines, in however many pieces", () => {
      const lines = logs.flatMap((log) => log.toString("latin1").split("\n"));
      const arbitraryLines = fc.array(fc.constantFrom(...lines), { minLength: 2, maxLength: 40 });
      const places = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(arbitraryLines, fc.option(damage), places, (chosen, harm, cuts) => {
          const joined = Buffer.from(chosen.join("\n"), "latin1");
          const log = harm === null ? joined : harm(joined);
          const ends = lineEnds(log);
          if (ends.length === 0) return;
          const sorted = [...new Set(cuts.map((cut) => ends[cut % ends.length] ?? 0))].sort((a, b) => a - b);
          const pieces = parseInPieces(format, log, sorted);
          if (pieces !== undefined) expect(pieces).toEqual(parseBytes(format, log));
        }),
        { numRuns: 300 },
      );
    });

    test("keeps as much of the texts, where there is little room for them", () => {
      const limits = { ...defaultTextLimits, totalChars: 600 };
      for (const log of logs) {
        const ends = lineEnds(log);
        const pieces = parseInPieces(format, log, ends, limits);
        if (pieces !== undefined) expect(pieces).toEqual(parseInPieces(format, log, [], limits));
      }
    });
  },
);
