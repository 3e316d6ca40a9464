import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { run } from "../../src/cli/run.ts";
import { quickDisk } from "../crash/quick-disk.ts";
import { filesBelow } from "../support/archive/source-files.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";
import { callOf, putToolLog, TOOL_SESSION, toolLog } from "../support/shrink/tool-log.ts";

const NOW = Date.UTC(2026, 10, 16, 12);

const EVENT = JSON.stringify({ hook_event_name: "PreCompact", transcript_path: "/a/log.jsonl" });

/** One line of each command. null: it opens the store never, or only when a client calls a tool. */
const lines: Readonly<Record<string, readonly string[] | null>> = {
  overview: [],
  search: ["zanzibar"],
  grep: ["zanzibar"],
  list: [],
  show: [TOOL_SESSION],
  files: ["a.ts"],
  pending: [],
  projects: [],
  stats: [],
  resume: [TOOL_SESSION],
  index: ["--rebuild"],
  archive: [],
  restore: [TOOL_SESSION, "--force"],
  export: [TOOL_SESSION, "--format", "md"],
  compact: [TOOL_SESSION],
  flatten: [TOOL_SESSION],
  unflatten: [TOOL_SESSION],
  retrieve: [TOOL_SESSION, "toolu_a"],
  summary: [TOOL_SESSION, "--format", "markdown"],
  retention: ["set", "60"],
  forget: [TOOL_SESSION, "--yes"],
  verify: [],
  doctor: [],
  install: ["--agent", "claude", "--yes"],
  uninstall: ["--agent", "claude", "--yes"],
  hook: ["pre-compact"],
  guard: [],
  mcp: null,
  // It needs a terminal; without one it opens nothing.
  pick: null,
  // The words after Tab: an index that can't be read completes nothing.
  complete: null,
  completion: null,
  serve: [],
  remote: ["add", "nas", "/nas"],
  sync: [],
  push: [],
  help: null,
  version: null,
};

/** A store with something in everything, of which a newer program says that it is its own. */
async function newerStore(input = ""): Promise<TestWorld & { readonly store: string }> {
  const made = makeWorld({ nowMs: NOW, input });
  const world = { ...made, disk: quickDisk, store: join(made.home, ".sessions") };
  putToolLog(world.home, toolLog([callOf("Bash", 3_000, { command: "echo zanzibar" }, "toolu_a")]));
  for (const argv of [["archive"], ["index"], ["flatten", TOOL_SESSION]])
    expect(await run(argv, world)).toBe(0);
  fs.writeFileSync(join(world.store, "version.json"), '{"version":3}\n');
  return world;
}

/** Every file with its content and time. */
function stateOf(folder: string): readonly (readonly unknown[])[] {
  return [...filesBelow(folder)].map(([name, bytes]) => [
    name,
    bytes.toString("base64"),
    fs.statSync(join(folder, name)).mtimeMs,
  ]);
}

describe("a store of a newer version", () => {
  test("is a question that every command has an answer to", () => {
    expect(Object.keys(lines).toSorted()).toEqual(commandTable.map(({ name }) => name).toSorted());
  });

  const used = Object.entries(lines).flatMap(([name, line]) =>
    line === null || name === "hook" || name === "guard" ? [] : [{ argv: [name, ...line] }],
  );
  test.each(used)("is refused, and neither it nor a log is changed: $argv", async ({ argv }) => {
    const world = await newerStore();
    const before = stateOf(world.home);
    expect(await run(argv, world)).toBe(5);
    expect(`${world.out()}${world.err()}`).toContain("its version is 3");
    expect(stateOf(world.home)).toEqual(before);
  });

  test("is reported in the log of the hooks, and not changed otherwise", async () => {
    const world = await newerStore(EVENT);
    const before = stateOf(world.home);
    expect(await run(["hook", "pre-compact"], world)).toBe(0);
    const log = join(world.store, "logs", "hooks.log");
    expect(fs.readFileSync(log, "utf8")).toContain("its version is 3");
    fs.rmSync(join(world.store, "logs"), { recursive: true });
    expect(stateOf(world.home)).toEqual(before);
  });

  test("is named there by the guard, too", async () => {
    const world = await newerStore();
    const before = stateOf(world.home);
    expect(await run(["guard"], world)).toBe(5);
    fs.rmSync(join(world.store, "logs"), { recursive: true });
    expect(stateOf(world.home)).toEqual(before);
  });

  test("is shown by doctor, with what the hooks had to say of it", async () => {
    const world = await newerStore(EVENT);
    await run(["hook", "pre-compact"], world);
    const before = world.out().length;
    expect(await run(["doctor", "--json"], world)).toBe(5);
    const answer = JSON.parse(world.out().slice(before));
    expect(answer).toMatchObject({ ok: false, checks: [{ name: "store" }, { name: "background" }] });
    expect(answer.checks[1].details.join("\n")).toContain("its version is 3");
  });
});
