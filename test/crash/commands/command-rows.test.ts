import { expect, it } from "vitest";
import { commandTable } from "../../../src/cli/command-table.ts";
import { commandRows } from "./command-rows.ts";

/** These write nothing, or nothing but the index, which `search` and `index` stand for. */
const writesNothing: readonly string[] = [
  "overview",
  "grep",
  "list",
  "files",
  "pending",
  "projects",
  "stats",
  "complete",
  // `completion install` writes as `install` does.
  "completion",
  "resume",
  "verify",
  "summary",
  // Its keys call the same verbs of the library as `export` and `restore`.
  "pick",
  // Its tools call the same verbs of the library as the commands.
  "mcp",
  // So do its buttons.
  "serve",
  // Its one file is replaced as `install` replaces those of agents.
  "remote",
  // What it does to the store is killed in sync-crash.test.ts.
  "sync",
  // It writes to a cluster, and here only the index.
  "push",
  "help",
  "version",
];

it("has a row for every command that writes", () => {
  const named = new Set(commandRows.map(({ name }) => name.split(/[ ,]/)[0]));
  const missing = commandTable.map(({ name }) => name).filter((name) => !named.has(name));
  expect(missing.toSorted()).toEqual(writesNothing.toSorted());
});

it("names no two rows alike", () => {
  expect(new Set(commandRows.map(({ name }) => name)).size).toBe(commandRows.length);
});
