import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeCliDocument } from "../../../scripts/make-cli.ts";
import { makeManPage } from "../../../scripts/make-man.ts";
import { agents } from "../../../src/agents/agents.ts";
import { commandTable } from "../../../src/cli/command-table.ts";

test("docs/CLI.md is up to date with the command table (`npm run docs:cli`)", async () => {
  const written = readFileSync(new URL("../../../docs/CLI.md", import.meta.url), "utf8");
  expect(written).toBe(await makeCliDocument());
});

test("docs/CLI.md explains every command", async () => {
  const document = await makeCliDocument();
  for (const { name } of commandTable) expect(document).toContain(`\n## ${name}\n`);
});

describe("man/sessions.1", () => {
  const path = fileURLToPath(new URL("../../../man/sessions.1", import.meta.url));

  test("is up to date with the command table (`npm run docs:cli`)", async () => {
    expect(readFileSync(path, "utf8")).toBe(await makeManPage());
  });

  test("explains every command that help shows", async () => {
    const page = await makeManPage();
    const shown = commandTable.filter(({ hidden }) => hidden !== true);
    for (const { name } of shown) expect(page).toContain(`\n.SS sessions ${name}`);
    expect(page).not.toMatch(/^(?!\.(?:\\"|TH|SH|SS|PP|TP|B|I|nf|fi)\b|\.\\")\./m);
  });

  test("names every agent, and the variables that say where its sessions are", async () => {
    const page = (await makeManPage()).replaceAll("\\-", "-");
    for (const { displayName, placeVariables } of agents) {
      expect(page).toContain(displayName);
      for (const name of placeVariables) expect(page).toContain(name);
    }
  });

  // Debian's man-db: without it nothing can read the page here.
  test.skipIf(spawnSync("man", ["--version"]).status !== 0)("is read by man without a warning", () => {
    const { status, stdout, stderr } = spawnSync("man", ["--warnings", "-l", path], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, MANWIDTH: "80", LC_ALL: "C.UTF-8", MANPAGER: "cat" },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("SYNOPSIS");
  });
});
