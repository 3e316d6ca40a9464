import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Agent } from "../../src/agents/agent.ts";
import { parseBytes } from "./parse-logs.ts";
import { contextTexts, readFixture } from "./read-fixture.ts";

/**
 * What must come out of a log: every entry and fact of its parser, and, where it matters, what the
 * session made of them says. Of the session only the keys that are given are looked at.
 */
const claimSchema = z.strictObject({
  why: z.string().min(10),
  facts: z.record(z.string(), z.unknown()),
  entries: z.array(z.record(z.string(), z.unknown())),
  session: z.record(z.string(), z.unknown()).optional(),
  context: z.array(z.string()).optional(),
});

const EXPECTED = ".expected.json";

/** A new case is two files and no code: `<name>.jsonl` (or `.json`) and `<name>.expected.json`. */
export function checkExpected(format: Agent, atLeast: number): void {
  const root = fileURLToPath(new URL(`../../fixtures/${format.name}/`, import.meta.url));
  const names = ["ok", "broken"].flatMap((folder) =>
    readdirSync(root + folder).map((name) => `${folder}/${name}`),
  );
  const logs = names.filter((name) => !name.endsWith(EXPECTED));

  describe(`a log of ${format.displayName}`, () => {
    test("has a file beside it that says what must come out", () => {
      expect(logs.length).toBeGreaterThanOrEqual(atLeast);
      const expected = names.filter((name) => name.endsWith(EXPECTED));
      expect(expected.sort()).toEqual(logs.map(expectedOf).sort());
    });

    test.each(logs)("%s", (name) => {
      const claim = claimSchema.parse(JSON.parse(readFileSync(root + expectedOf(name), "utf8")));
      const bytes = readFileSync(root + name);
      const parsed = parseBytes(format, bytes, { path: `/logs/${name}` });
      expect(parsed.facts, claim.why).toEqual(claim.facts);
      expect(parsed.entries, claim.why).toEqual(claim.entries);
      expect(format.owns(bytes.subarray(0, 64 * 1024)), claim.why).toBe(true);
      if (claim.session === undefined && claim.context === undefined) return;
      const { session } = readFixture(format.name, root + name);
      expect(session, claim.why).toMatchObject(claim.session ?? {});
      if (claim.context !== undefined) expect(contextTexts(session), claim.why).toEqual(claim.context);
    });
  });
}

function expectedOf(name: string): string {
  return name.replace(/\.jsonl?$/, EXPECTED);
}
