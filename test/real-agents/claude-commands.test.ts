import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAgentHome } from "./support/agent-home.ts";
import { askClaude, saidByContext, saidIn } from "./support/claude.ts";
import { listOf } from "./support/fake-model.ts";

test("/compactish that `install` wrote shows the dry run, makes the copy, and says how to resume it", async () => {
  const home = await makeAgentHome();
  await home.json(["install", "--yes"]);
  expect(readFileSync(join(home.home, ".claude", "commands", "compactish.md"), "utf8")).not.toBe("");
  home.model.rule(/count to (\d+)/, ({ asked }) => ({
    call: { tool: "Bash", input: { command: `seq 1 ${/count to (\d+)/.exec(asked)?.[1]}` } },
  }));
  const { id, log } = await askClaude(home, "count to 400");
  await askClaude(home, "count to 401", ["--resume", id]);
  const before = readFileSync(log);
  const run = async (command: string): Promise<string> => {
    const { requests } = await askClaude(home, command, ["--resume", id]);
    const last = requests.at(-1);
    return (last === undefined ? [] : saidIn(last)).at(-1) ?? "";
  };

  expect(await run("/compactish --keep 1 -n")).toContain("Session Compacted (dry run)");
  expect(listOf((await home.json(["list"])).sessions)).toHaveLength(1);
  const copy = /claude --resume ([0-9a-f-]{36})/.exec(await run("/compactish --keep 1"))?.[1] ?? "";
  expect(copy).not.toBe("");
  expect(copy).not.toBe(id);
  expect(readFileSync(log).subarray(0, before.length).equals(before)).toBe(true);
  expect((await saidByContext(home, copy)).join("\n")).toContain("[output compacted]");

  // Without them the words are only a prompt.
  await home.json(["uninstall", "--yes"]);
  expect(await run("/compactish -n")).not.toContain("Session Compacted");
});
