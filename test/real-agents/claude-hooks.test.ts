import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAgentHome } from "./support/agent-home.ts";
import { askClaude, linesOf } from "./support/claude.ts";
import { isRecord, listOf } from "./support/fake-model.ts";

test("the hooks of `sessions install` archive a session when it ends, before it is compacted, and recall it after", async () => {
  const home = await makeAgentHome();
  await home.json(["install", "--yes"]);
  const { id, log } = await askClaude(home, "the flux capacitor needs 1.21 gigawatts");
  const archived = await home.json(["list"]);
  expect(archived).toMatchObject({ sessions: [{ sessionId: id, archive: expect.stringContaining(".md") }] });
  const [session] = listOf(archived.sessions);
  const readable = String(isRecord(session) ? session.archive : "");
  expect(readFileSync(readable, "utf8")).toContain("1.21 gigawatts");

  const before = readFileSync(log);
  await askClaude(home, "/compact", ["--resume", id]);
  expect(existsSync(join(home.store, "logs", "hooks.log"))).toBe(false);
  expect(await home.json(["show", id])).toMatchObject({ compactions: 1 });
  expect(readFileSync(log).subarray(0, before.length).equals(before)).toBe(true);
  // The agent puts what a hook printed at the start of the compacted session into its context.
  const { requests } = await askClaude(home, "go on", ["--resume", id]);
  const sent = JSON.stringify(requests[0]?.messages);
  expect(sent).toContain("1.21 gigawatts");
  expect(sent).toContain(`sessions show ${id}`);
  expect(await home.json(["verify"])).toMatchObject({ damages: [], sources: { changed: 0, gone: 0 } });
});

test("every line that Claude Code writes is known", async () => {
  const home = await makeAgentHome();
  home.model.rule(/start an agent/, {
    call: { tool: "Agent", input: { description: "look", prompt: "look around", subagent_type: "Explore" } },
  });
  home.model.rule(/find tools/, {
    call: { tool: "ToolSearch", input: { query: "select:NotebookEdit,WebFetch", max_results: 2 } },
  });
  home.model.rule(/run something/, { call: { tool: "Bash", input: { command: "seq 1 9; exit 3" } } });
  const { id, log } = await askClaude(home, "run something", ["-n", "a name"]);
  const more = ["--resume", id, "--permission-mode", "acceptEdits"];
  for (const prompt of ["start an agent", "find tools", "/compact", "/cost", "/no-such-command", "at last"])
    await askClaude(home, prompt, more);
  const fork = await askClaude(home, "and in a fork", ["--resume", id, "--fork-session"]);
  for (const each of [log, fork.log]) {
    const types = [...new Set(linesOf(each).map(({ type }) => type))];
    expect(types).toEqual(expect.arrayContaining(["api-request", "attachment", "tools-used"]));
  }
  for (const each of [id, fork.id]) expect(await home.json(["show", each])).toMatchObject({ opaqueLines: 0 });
  expect(await home.json(["list"])).toMatchObject({ coverage: { problems: 0 } });
});
