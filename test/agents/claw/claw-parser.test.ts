import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { claw } from "../../../src/agents/claw/claw.ts";
import { splitLines } from "../../../src/jsonl/lines.ts";
import type { Entry } from "../../../src/session/entry.ts";
import { createTextBudget } from "../../../src/session/text-budget.ts";

const message = (text: string): string =>
  `{"message":{"blocks":[{"text":"${text}","type":"text"}],"role":"user"},"type":"message"}\n`;

/** What has been emitted before the parser is told that the log has ended. */
function emittedBeforeTheEnd(text: string): readonly Entry[] {
  const entries: Entry[] = [];
  const parser = claw.parser({
    emit: (entry) => entries.push(entry),
    budget: createTextBudget(),
    path: "/x.jsonl",
    isSubagent: false,
  });
  for (const line of splitLines([Buffer.from(text)])) parser.line(line);
  return entries;
}

describe("clawFormat.parser()", () => {
  test("reads the lines after a torn header as they come, and does not hold the log", () => {
    const entries = emittedBeforeTheEnd(`{"created_at_ms":17\n${message("one").repeat(50)}`);
    expect(entries.filter((entry) => entry.kind === "request")).toHaveLength(49);
  });

  test("holds at most 64 MB of a possible whole-file log", () => {
    const line = `"${"x".repeat(1024 * 1024)}",\n`;
    const entries = emittedBeforeTheEnd(`{"messages":[\n${line.repeat(65)}`);
    expect(entries.filter((entry) => entry.kind === "opaque" && entry.problem !== undefined)).toHaveLength(
      66,
    );
  });
});
