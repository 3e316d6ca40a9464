import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeCliDocument } from "../../../scripts/make-cli.ts";
import { commandTable } from "../../../src/cli/command-table.ts";

test("docs/CLI.md is up to date with the command table (`npm run docs:cli`)", async () => {
  const written = readFileSync(new URL("../../../docs/CLI.md", import.meta.url), "utf8");
  expect(written).toBe(await makeCliDocument());
});

test("docs/CLI.md explains every command", async () => {
  const document = await makeCliDocument();
  for (const { name } of commandTable) expect(document).toContain(`\n## ${name}\n`);
});
