import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findLogs } from "../../src/agents/find-sessions.ts";
import { makeLibrary } from "../support/make-library.ts";

const demo = fileURLToPath(new URL("../../fixtures/demo", import.meta.url));

test("findLogs() finds each file once where roots lie within one another", () => {
  const library = makeLibrary();
  const { home } = library.environment;
  cpSync(demo, home, { recursive: true });
  const pathsOf = (claude: readonly string[]): readonly string[] => {
    const sources = { ...library.config.sources, claude };
    const found = findLogs({ ...library, config: { ...library.config, sources } }, []);
    return found.flatMap(({ format, files }) =>
      format.name === "claude" ? files.map(({ path }) => path) : [],
    );
  };
  const own = pathsOf([]);
  expect(own.length).toBeGreaterThan(3);
  const within = pathsOf([
    join(home, ".claude/projects"),
    join(home, ".claude/projects/-home-ana-shop"),
    join(home, ".pi"),
  ]);
  expect(new Set(within).size).toBe(within.length);
  expect(within.slice(0, own.length)).toEqual(own);
  expect(within.length).toBeGreaterThan(own.length);
});
