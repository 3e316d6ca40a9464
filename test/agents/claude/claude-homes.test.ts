import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openSession } from "../../../src/search/open-session.ts";
import { withCatalog } from "../../../src/search/session-catalog.ts";
import { makeAccess, makeLibrary } from "../../support/make-library.ts";

/** Whole folders of Claude Code: what only several files show together. `mayAlso` leaves open whether a session is listed. */
const claimSchema = z.object({
  why: z.string(),
  sessions: z.array(z.looseObject({ id: z.string() })),
  stubs: z.array(z.object({ id: z.string(), project: z.string(), requests: z.array(z.string()) })).optional(),
  mayAlso: z.array(z.string()).optional(),
  problems: z.number().optional(),
});

const root = fileURLToPath(new URL("../../../fixtures/claude/homes/", import.meta.url));
const names = readdirSync(root);

describe("a folder of Claude Code", () => {
  test("has homes to be checked", () => {
    expect(names.length).toBeGreaterThan(10);
  });

  test.each(names)("%s", async (name) => {
    const claim = claimSchema.parse(JSON.parse(readFileSync(`${root}${name}/expected.json`, "utf8")));
    const library = makeLibrary({ variables: { CLAUDE_CONFIG_DIR: root + name } });
    const { rows, problems } = await withCatalog(library, makeAccess(library), (catalog) => catalog);
    const listed = rows.filter(({ state }) => state !== "stub").map(({ digest }) => digest.id);
    expect(listed.filter((id) => claim.mayAlso?.includes(id) !== true).sort(), claim.why).toEqual(
      claim.sessions.map(({ id }) => id).sort(),
    );
    if (claim.problems !== undefined) expect(problems.length, claim.why).toBe(claim.problems);
    for (const { id, project, requests } of claim.stubs ?? []) {
      const { session, state } = openSession(library, [id]);
      expect(
        { state, project: session.project, requests: session.turns.map(({ request }) => request) },
        claim.why,
      ).toEqual({
        state: "stub",
        project,
        requests,
      });
      expect(rows.find(({ digest }) => digest.id === id)?.state, claim.why).toBe("stub");
    }
    for (const { id, turns, subagents, ...rest } of claim.sessions) {
      const { session, digest } = openSession(library, [id]);
      if (turns !== undefined) expect(session.turns, claim.why).toMatchObject(turns as object[]);
      if (subagents !== undefined) {
        const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
          a.id < b.id ? -1 : 1;
        expect(session.subagents.toSorted(byId), claim.why).toMatchObject(
          (subagents as { readonly id: string }[]).toSorted(byId),
        );
      }
      expect({ ...session, ...digest }, claim.why).toMatchObject(rest);
    }
  });
});
