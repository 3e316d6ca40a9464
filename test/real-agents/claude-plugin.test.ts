import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, test } from "vitest";
import { type AgentHome, makeAgentHome } from "./support/agent-home.ts";
import { askClaude, callDeferred, rest, saidByContext, saidIn } from "./support/claude.ts";
import { listOf, type ModelRequest } from "./support/fake-model.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Adds this repository as a marketplace and installs its plugin, as a user would; the program is beside it if it was built. */
async function installPlugin(home: AgentHome, isBuilt = true): Promise<void> {
  const folder = join(home.home, "agent-sessions");
  mkdirSync(folder);
  for (const name of ["plugin", ".claude-plugin"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  if (isBuilt) symlinkSync(dirname(inject("bundle")), join(folder, "dist"));
  await claude(home, ["plugin", "marketplace", "add", folder]);
  await claude(home, ["plugin", "install", "sessions@agent-sessions"]);
  expect(await claude(home, ["plugin", "list"])).toMatch(/sessions@agent-sessions[\s\S]*enabled/);
}

async function claude(home: AgentHome, args: readonly string[]): Promise<string> {
  const { code, out, err } = await home.agent("claude", args);
  expect(code, out + err).toBe(0);
  return out;
}

/** What hooks could not do. */
function hookLog({ store }: AgentHome): string {
  const path = join(store, "logs", "hooks.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** How often the context of a request has a text. */
function countIn(request: ModelRequest | undefined, text: string): number {
  return JSON.stringify(request?.body ?? "").split(text).length - 1;
}

test("the plugin and the marketplace pass the checks of Claude Code, those of its directory included", async () => {
  const home = await makeAgentHome();
  const plugin = await claude(home, [
    "plugin",
    "validate",
    join(root, "plugin"),
    "--strict",
    "--profile",
    "directory",
  ]);
  expect(plugin).toContain("These checks found nothing to report");
  expect(await claude(home, ["plugin", "validate", root, "--strict"])).toContain("Validation passed");
});

describe("the plugin, installed from its folder", () => {
  test("has a healthy server, and the model finds an earlier session with it", async () => {
    const home = await makeAgentHome();
    await installPlugin(home);
    expect(await claude(home, ["mcp", "list"])).toMatch(/^plugin:sessions:sessions: .* Connected$/m);
    const { id } = await askClaude(home, "the flux capacitor needs 1.21 gigawatts");
    callDeferred(home, /how much power/, "search_sessions", { query: "flux gigawatts" });
    const { requests, id: second } = await askClaude(home, "how much power did it need?");
    const said = saidIn(requests.at(-1) ?? fail()).join("\n");
    expect(said).toContain("mcp__plugin_sessions_sessions__search_sessions");
    expect(said).toContain(`session ${id}`);
    expect(said).toContain("> ");
    expect(said).toContain("1.21 gigawatts");
    // What the server answered is not found as if it had been said there.
    expect(await home.json(["search", "1.21 gigawatts"])).toMatchObject({
      hits: [{ sessionId: id }],
    });
    expect(second).not.toBe(id);
  });

  test("archives a session when it ends, before it is compacted, and recalls it after", async () => {
    const home = await makeAgentHome();
    await installPlugin(home);
    const { id, log } = await askClaude(home, "the flux capacitor needs 1.21 gigawatts");
    expect(await home.json(["list"])).toMatchObject({
      sessions: [{ sessionId: id, archive: expect.stringContaining(".md") }],
    });
    await askClaude(home, "/compact", ["--resume", id]);
    const { requests } = await askClaude(home, "go on", ["--resume", id]);
    expect(countIn(requests[0], "[sessions recall]")).toBe(1);
    expect(hookLog(home)).toBe("");
    rest(log);
    expect(await home.json(["verify"])).toMatchObject({ damages: [], sources: { changed: 0, gone: 0 } });
  });

  test.each([
    { name: "compactish", args: " --keep 1", has: "[output compacted]", says: "Session Compacted (dry run)" },
    { name: "flatten", args: "", has: "[FLATTENED id=", says: "would be moved out" },
  ])(
    "/$name shows the dry run, makes the copy, and says how to resume it",
    async ({ name, args, has, says }) => {
      const home = await makeAgentHome();
      await installPlugin(home);
      home.model.rule(/count to (\d+)/, ({ asked }) => ({
        call: { tool: "Bash", input: { command: `seq 1 ${/count to (\d+)/.exec(asked)?.[1]}` } },
      }));
      const { id, log } = await askClaude(home, "count to 400");
      await askClaude(home, "count to 401", ["--resume", id]);
      const before = readFileSync(log);

      const dry = await askClaude(home, `/sessions:${name}${args} -n`, ["--resume", id]);
      expect(saidIn(dry.requests.at(-1) ?? fail()).at(-1)).toContain(says);
      expect(listOf((await home.json(["list"])).sessions)).toHaveLength(1);

      const { requests } = await askClaude(home, `/sessions:${name}${args}`, ["--resume", id]);
      const shown = saidIn(requests.at(-1) ?? fail()).at(-1) ?? "";
      expect(shown).toContain(says);
      const copy = /claude --resume ([0-9a-f-]{36})/.exec(shown)?.[1] ?? "";
      expect(copy).not.toBe("");
      expect(copy).not.toBe(id);
      expect(readFileSync(log).subarray(0, before.length).equals(before)).toBe(true);

      // The command itself was waiting when the copy was made, and is no part of its conversation.
      const promised = await saidByContext(home, copy);
      const resumed = await askClaude(home, "go on", ["--resume", copy]);
      expect(saidIn(resumed.requests[0] ?? fail())).toEqual([...promised, "user: go on"]);
      expect(promised.join("\n")).toContain(has);
      expect(
        JSON.stringify((await askClaude(home, "and here?", ["--resume", id])).requests[0]?.messages),
      ).not.toContain(has);
    },
  );

  test("says in a new session what to install if the program is missing, and stops nothing", async () => {
    const home = await makeAgentHome();
    await installPlugin(home, false);
    const words = ["-p", "hello", "--output-format", "stream-json", "--verbose", "--include-hook-events"];
    const { code, out } = await home.agent("claude", words);
    expect(code).toBe(0);
    expect(out).toContain("npm install -g agent-sessions");
    const { id } = await askClaude(home, "hello again");
    await askClaude(home, "/compact", ["--resume", id]);
    expect(await home.json(["show", id])).toMatchObject({ compactions: 1 });
  });
});

describe("the plugin and `sessions install` side by side", () => {
  test.each([
    ["install first", true],
    ["plugin first", false],
  ])("%s: everything happens once", async (_, isInstalledFirst) => {
    const home = await makeAgentHome();
    if (isInstalledFirst) await home.json(["install", "--yes"]);
    await installPlugin(home);
    if (!isInstalledFirst) await home.json(["install", "--yes"]);
    const servers = await claude(home, ["mcp", "list"]);
    expect(servers.match(/Connected/g)).toHaveLength(2);

    const { id, requests: first } = await askClaude(home, "the flux capacitor needs 1.21 gigawatts");
    expect(countIn(first[0], "__search_sessions")).toBe(1);
    expect(countIn(first[0], "mcp__sessions__search_sessions")).toBe(1);
    await askClaude(home, "/compact", ["--resume", id]);
    const { requests } = await askClaude(home, "go on", ["--resume", id]);
    expect(countIn(requests[0], "[sessions recall]")).toBe(1);
    const [session] = listOf((await home.json(["list"])).sessions);
    expect(session).toMatchObject({ sessionId: id, archive: expect.stringContaining(".md") });
    expect(hookLog(home)).toBe("");

    // Without the installation the plugin does it all.
    await home.json(["uninstall", "--yes"]);
    const after = await askClaude(home, "and now?", ["--resume", id]);
    expect(countIn(after.requests[0], "mcp__plugin_sessions_sessions__search_sessions")).toBe(1);
  });
});

function fail(): never {
  throw new Error("the agent asked nothing");
}
