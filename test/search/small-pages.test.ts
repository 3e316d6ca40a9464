import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Library } from "../../src/fs/library.ts";
import type { SearchEngine } from "../../src/search/engine.ts";
import { parseQuery } from "../../src/search/query/parse-query.ts";
import { noFilter, type SessionFilter } from "../../src/search/query/session-filter.ts";
import { type SearchRequest, searchSessions } from "../../src/search/search-sessions.ts";
import { listSessions } from "../../src/search/session-catalog.ts";
import { makeAccess, makeLibrary } from "../support/make-library.ts";

function demoLibrary(): Library {
  const library = makeLibrary();
  cpSync(fileURLToPath(new URL("../../fixtures/demo", import.meta.url)), library.environment.home, {
    recursive: true,
  });
  return library;
}

/** An engine that returns no more than two sessions or rows at once, whatever the limit. */
function inPagesOfTwo(engine: SearchEngine): SearchEngine {
  return {
    ...engine,
    async read() {
      const opened = await engine.read();
      if (opened.kind !== "open") return opened;
      const { reader } = opened;
      return {
        ...opened,
        reader: {
          ...reader,
          search: (plan) => reader.search({ ...plan, limit: Math.min(2, plan.limit) }),
          rows: (request) => reader.rows({ ...request, limit: 2 }),
        },
      };
    },
  };
}

function request(
  text: string,
  filter: Partial<SessionFilter>,
  excluded: readonly Partial<SessionFilter>[] = [],
): SearchRequest {
  return {
    query: parseQuery(text),
    filter: { ...noFilter, ...filter },
    excluded: excluded.map((each) => ({ ...noFilter, ...each })),
    sort: "newest",
    offset: 0,
    limit: 2,
  };
}

test.each<readonly [string, SearchRequest]>([
  ["a file", request("", { files: ["*.ts"] })],
  ["an agent", request("", { agents: ["claude"] })],
  ["files that are out", request("", {}, [{ files: ["*.ts"] }])],
  ["commands that are out", request("", {}, [{ commands: ["vitest"] }])],
  ["an agent's commands that are out", request("", {}, [{ commands: ["vitest"], agents: ["claude"] }])],
])("a search by %s finds the same in an engine with small pages", async (_, asked) => {
  const library = demoLibrary();
  const access = makeAccess(library);
  const whole = await searchSessions(library, access, [asked]);
  expect(whole[0]?.total).toBeGreaterThan(0);
  expect(whole[0]?.total).toBeLessThan(13);
  expect(await searchSessions(library, { ...access, engine: inPagesOfTwo(access.engine) }, [asked])).toEqual(
    whole,
  );
});

test("a list has all sessions of an engine with small pages", async () => {
  const library = demoLibrary();
  const access = makeAccess(library);
  const whole = await listSessions(library, access);
  const { rows } = await listSessions(library, { ...access, engine: inPagesOfTwo(access.engine) });
  expect(new Set(rows.map(({ digest }) => digest.id))).toEqual(
    new Set(whole.rows.map(({ digest }) => digest.id)),
  );
  expect(rows.length).toBe(whole.rows.length);
});
