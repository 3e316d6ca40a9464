import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pi } from "../../../src/agents/pi/pi.ts";
import { readPiTrail } from "../../../src/agents/pi/read-log.ts";
import { splitLines } from "../../../src/jsonl/lines.ts";
import { createSessionBuilder } from "../../../src/session/session-builder.ts";
import { sessionContext } from "../../../src/session/session-context.ts";
import { createTextBudget } from "../../../src/session/text-budget.ts";
import { randomPiLog } from "../../support/random-pi-log.ts";

/** What Pi's own code loads: see fixtures/pi/library/make.mjs. */
const rows = readFileSync(new URL("../../../fixtures/pi/library/answers.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => z.object({ seed: z.number(), context: z.array(z.number()) }).parse(JSON.parse(line)));

/** Lines of which something is in the context. */
function linesInContext(log: string): ReadonlySet<number> {
  const builder = createSessionBuilder(pi.leafRule);
  const parser = pi.parser({
    emit: (entry) => builder.add(entry),
    budget: createTextBudget(),
    path: "/logs/pi.jsonl",
    isSubagent: false,
  });
  for (const line of splitLines([Buffer.from(log)])) parser.line(line);
  const session = builder.finish({ agent: "pi", id: "s", facts: parser.finish(), lines: 0, problems: [] });
  const lineOfTurn = new Map(session.turns.map(({ number, line }) => [number, line]));
  return new Set(
    sessionContext(session).map((item) =>
      item.kind === "step" ? item.step.line : (lineOfTurn.get(item.turn) ?? 0),
    ),
  );
}

describe("the context of a Pi session", () => {
  test("has what Pi itself loads, of trees of every kind", () => {
    let compared = 0;
    for (const { seed, context } of rows) {
      const log = randomPiLog(seed);
      // Edits of the context are told beside it.
      if (log.includes('"context_edit"')) continue;
      compared++;
      const { entries } = readPiTrail([Buffer.from(log)]);
      const ours = linesInContext(log);
      for (const { index, line, says } of entries) {
        const isLoaded = context.includes(index);
        if (!isLoaded) expect(ours.has(line), `log ${seed}, line ${line}`).toBe(false);
        // Results stand with their calls, and a message may be empty, a prompt but a list of tools.
        else if (
          says.kind !== "message" ||
          (!["toolResult", "system"].includes(says.role) && says.tokens > 0)
        )
          expect(ours.has(line), `log ${seed}, line ${line}`).toBe(true);
      }
    }
    expect(compared).toBeGreaterThan(100);
  });
});
