import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contextTexts, readFixture } from "../../support/read-fixture.ts";

/** A new case is two files and no code: a log, and what must come out of it. Keys that a claim lacks are not looked at. */
const claimSchema = z.object({
  why: z.string(),
  session: z.record(z.string(), z.unknown()).optional(),
  context: z.array(z.string()).optional(),
  problems: z.number().optional(),
  opaqueLines: z.number().optional(),
});

const root = fileURLToPath(new URL("../../../fixtures/claude/", import.meta.url));
const names = ["ok", "broken"].flatMap((folder) =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => `${folder}/${name.replace(/\.jsonl$/, "")}`),
);

describe("a Claude Code log", () => {
  test("has logs with expected files", () => {
    expect(names.length).toBeGreaterThan(60);
  });

  test.each(names)("%s", (name) => {
    const claim = claimSchema.parse(JSON.parse(readFileSync(`${root}${name}.expected.json`, "utf8")));
    const { session, digest } = readFixture("claude", `${root}${name}.jsonl`);
    const { id: _, turns, compactions, ...rest } = claim.session ?? {};
    if (claim.problems !== undefined) expect(session.problems.length, claim.why).toBe(claim.problems);
    if (claim.opaqueLines !== undefined) expect(session.opaqueLines, claim.why).toBe(claim.opaqueLines);
    if (turns !== undefined) expect(session.turns, claim.why).toMatchObject(turns as object[]);
    if (compactions !== undefined) {
      expect(
        session.compactions.map((compaction) => ({ ...compaction, summaryStarts: compaction.summary ?? "" })),
        claim.why,
      ).toEqual(
        (compactions as readonly { readonly summaryStarts?: string }[]).map(({ summaryStarts, ...claimed }) =>
          expect.objectContaining({
            ...claimed,
            summaryStarts: expect.stringMatching(startingWith(summaryStarts ?? "")),
          }),
        ),
      );
    }
    expect({ ...session, ...digest }, claim.why).toMatchObject(rest);
    if (claim.context !== undefined) expect(contextTexts(session), claim.why).toEqual(claim.context);
  });
});

function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
}
