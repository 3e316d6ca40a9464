import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { packWithoutCompression } from "../support/pack-zstd.ts";
import { type AgentHome, makeAgentHome, type Run } from "./support/agent-home.ts";
import { isRecord, listOf } from "./support/fake-model.ts";

const SETTINGS =
  '# mine\nhide_agent_reasoning = true # quiet\n\n[mcp_servers.other]\ncommand = "true"\nenabled = false\n';

/** Gives Codex settings of its user's own. */
function withSettings({ home }: AgentHome): string {
  const path = join(home, ".codex", "config.toml");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, SETTINGS);
  return path;
}

async function codex(home: AgentHome, ...args: readonly string[]): Promise<Run> {
  const done = await home.agent("codex", args);
  expect(done.code, done.out + done.err).toBe(0);
  return done;
}

async function onlySession(home: AgentHome): Promise<{ readonly id: string; readonly log: string }> {
  const [session] = listOf((await home.json(["list"])).sessions);
  const { sessionId, source } = isRecord(session) ? session : {};
  return { id: String(sessionId), log: String(source) };
}

const EXEC = ["exec", "--skip-git-repo-check"] as const;

test("`sessions install --agent codex`: Codex lists the server, its model finds an earlier session, and uninstall restores the files", async () => {
  const home = await makeAgentHome();
  const settings = withSettings(home);
  await home.json(["install", "--agent", "codex", "--yes"]);
  const { out } = await codex(home, "mcp", "list");
  expect(out).toMatch(/^other .*disabled/m);
  expect(out).toMatch(/^sessions .* mcp .*enabled/m);

  await codex(home, ...EXEC, "the flux capacitor needs 1.21 gigawatts");
  const { id } = await onlySession(home);
  home.model.rule(/how much power/, ({ tools }) => ({
    call: {
      tool: tools.find((name) => name.endsWith("search_sessions")) ?? "search_sessions",
      input: { query: "flux gigawatts" },
    },
  }));
  const before = home.model.requests.length;
  // Codex does not wait for servers unless it must.
  await codex(home, "-c", "mcp_servers.sessions.required=true", ...EXEC, "how much power did it need?");
  const requests = home.model.requests.slice(before);
  const answered = JSON.stringify(requests.at(-1)?.messages);
  expect(answered).toContain(`session ${id}`);
  expect(answered).toContain("1.21 gigawatts");

  await home.json(["uninstall", "--yes"]);
  expect(readFileSync(settings, "utf8")).toBe(SETTINGS);
  expect(existsSync(join(home.home, ".codex", "hooks.json"))).toBe(false);
  expect((await codex(home, "mcp", "list")).out).not.toMatch(/^sessions /m);
});

test("the hooks of `sessions install` archive a session of Codex before it is compacted and when it ends, and recall it after", async () => {
  const home = await makeAgentHome();
  await home.json(["install", "--agent", "codex", "--yes"]);
  await codex(home, ...EXEC, "the flux capacitor needs 1.21 gigawatts");
  const { id } = await onlySession(home);
  // Hooks that the user has not trusted do not run.
  expect(await home.json(["list"])).toMatchObject({ sessions: [{ archive: null }] });

  const trusted = ["-c", "model_auto_compact_token_limit=5", ...EXEC, "--dangerously-bypass-hook-trust"];
  await codex(home, ...trusted, "resume", id, "and how many for a DeLorean?");
  expect(await home.json(["show", id])).toMatchObject({ compactions: 1 });
  const log = join(home.store, "logs", "hooks.log");
  expect(existsSync(log) ? readFileSync(log, "utf8") : "").toBe("");
  const last = JSON.stringify(home.model.requests.at(-1)?.messages);
  expect(last.split("[sessions recall]")).toHaveLength(2);
  expect(last).toContain("> the flux capacitor needs 1.21 gigawatts");
  expect(await home.json(["verify"])).toMatchObject({ damages: [], sources: { changed: 0, gone: 0 } });
});

test("a log that is packed, and a fork of it, are read as Codex reads them", async () => {
  const home = await makeAgentHome();
  await codex(home, ...EXEC, "the flux capacitor needs 1.21 gigawatts");
  const { id, log } = await onlySession(home);
  const shown = await home.json(["show", id]);
  writeFileSync(`${log}.zst`, packWithoutCompression(readFileSync(log)));
  rmSync(log);
  expect(await home.json(["show", id])).toMatchObject({
    requests: listOf(shown.requests),
    timeline: listOf(shown.timeline),
  });
  expect(await home.json(["search", "gigawatts"])).toMatchObject({ hits: [{ sessionId: id }] });

  await codex(home, ...EXEC, "resume", id, "is it still there?");
  expect(JSON.stringify(home.model.requests.at(-1)?.messages)).toContain("1.21 gigawatts");
  await codex(home, ...EXEC, "fork", id, "and in a fork?");
  expect(JSON.stringify(home.model.requests.at(-1)?.messages)).toContain("1.21 gigawatts");
  const [fork] = listOf((await home.json(["search", "and in a fork"])).hits);
  const forkId = String(isRecord(fork) ? fork.sessionId : "");
  // Its log has only its own lines; the rest is in the other one.
  expect(await home.json(["show", forkId])).toMatchObject({
    parent: { kind: "fork", session: id },
    requests: ["the flux capacitor needs 1.21 gigawatts", "is it still there?", "and in a fork?"].map(
      (text) => ({ text }),
    ),
  });
});
