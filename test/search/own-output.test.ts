import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { agents } from "../../src/agents/agents.ts";
import { commandTable } from "../../src/cli/command-table.ts";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import { mcpTools } from "../../src/integrations/mcp/tools.ts";
import { QUOTE_HEAD } from "../../src/render/agent/quote-text.ts";
import { RECALL_MARK } from "../../src/render/agent/recall-packet.ts";
import { asksSessions, historyCommands, isOwnCall, serverTools } from "../../src/search/own-output.ts";
import { sessionDocuments } from "../../src/search/session-documents.ts";
import type { Step } from "../../src/session/session.ts";
import { plainSession, reply, toolCall } from "../support/plain-session.ts";
import { readFixture } from "../support/read-fixture.ts";

describe("asksSessions()", () => {
  test.each([
    'sessions search "token refresh" --json --limit 5',
    "sessions show 3f542803 --turns 11-13",
    "sessions pending --project .",
    "cd /work && sessions grep 'ENOENT' --json | head -50",
    "(sessions list --since 7d)",
    "SESSIONS_HOME=/tmp/x FOO='a b' sessions search retry",
    "npx sessions search retry",
    "npx -y agent-sessions search retry",
    "npm run sessions -- search retry",
    "deno task sessions search retry",
    "node /opt/sessions/dist/sessions.cjs search retry",
    "node /opt/sessions/dist/sessions.js search retry",
    "/usr/local/bin/sessions files src/a.ts",
    "sessions --json search retry",
    "for w in a b; do sessions search $w; done",
    "git status\nsessions search retry",
    "x=$(sessions search retry -q)",
  ])("knows a question to this program: %j", (command) => {
    expect(asksSessions(command)).toBe(true);
  });

  test.each([
    "ls sessions",
    "cd sessions && cat list",
    "grep -rn sessions search/",
    "cat sessions/search.ts",
    "pytest tests/test_sessions.py",
    "tmux list-sessions",
    "git commit -m 'sessions search is faster'",
    "./sessions-list show",
    "sessions searching",
    "sessions archive",
    "cat > notes.md <<'EOF'\nsessions search retry\nEOF",
    "echo sessions",
    "",
  ])("leaves other commands alone: %j", (command) => {
    expect(asksSessions(command)).toBe(false);
  });

  test("every command either prints what old sessions say, or is known not to", () => {
    const quiet =
      "overview stats serve archive restore verify forget index compact flatten unflatten mcp completion complete guard install uninstall doctor remote sync push help version";
    const names = commandTable.map(({ name }) => name);
    expect([...historyCommands, ...quiet.split(" ")].toSorted()).toEqual(names.toSorted());
  });

  test.each(historyCommands)("knows a question to this program: sessions %s", (name) => {
    expect(asksSessions(`sessions ${name} x`)).toBe(true);
  });

  test("takes no longer for a hostile command", () => {
    const hostile = ["A=", "npx -", "a/", "--x ", "A='", "; "].map(
      (part) => `${part.repeat(20_000)} sessions`,
    );
    for (const command of hostile) expect(asksSessions(command)).toBe(false);
  });
});

describe("isOwnCall()", () => {
  const isOwn = (name: string): boolean => isOwnCall({ name, files: [] });

  test("knows every tool of the MCP server, as each agent names it", () => {
    expect(serverTools.toSorted()).toEqual(mcpTools.map(({ name }) => name).toSorted());
    for (const tool of serverTools)
      for (const prefix of [
        "mcp__sessions__",
        "mcp__plugin_sessions_sessions__",
        "mcp__agent-sessions__",
        "mcp_sessions_",
        "sessions__",
        "sessions_",
        "sessions-",
        "sessions.",
        "plugin:sessions:",
      ])
        expect(isOwn(prefix + tool), prefix + tool).toBe(true);
    for (const tool of ["sessions_search", "sessions_read"]) expect(isOwn(tool)).toBe(true);
  });

  test.each([
    "read_session",
    "sessions_list",
    "mysessions_read_session",
    "sessions_read_session_log",
    "sessionsread_session",
    "",
  ])("leaves other tools alone: %j", (name) => expect(isOwn(name)).toBe(false));
});

const note = (text: string): Step => ({
  at: null,
  line: 1,
  context: "current",
  kind: "note",
  about: "output",
  text,
});

function wordsOf(session: ReturnType<typeof plainSession>): string {
  return JSON.stringify(sessionDocuments(session, extractDigest(session), false).map(({ fields }) => fields));
}

describe("sessionDocuments()", () => {
  test("leaves out what this program answered, and how it was asked", () => {
    const words = wordsOf(
      plainSession({
        turns: [
          {
            request: "how did we solve it?",
            steps: [
              toolCall({
                name: "Bash",
                command: "sessions search zebra --json",
                output: "quoted zebra giraffe",
              }),
              toolCall({
                name: "Bash",
                command: "sessions show nosuch",
                output: "Cannot find giraffe",
                isError: true,
              }),
              toolCall({ name: "Bash", command: "npm test", output: "okapi passed" }),
              toolCall({ name: "mcp__sessions__search_sessions", output: "quoted giraffe" }),
              toolCall({ name: "mcp__plugin_sessions_sessions__read_session", output: "quoted giraffe" }),
              toolCall({
                name: "read",
                files: [{ path: "/h/.pi/agent/skills/session-finder/SKILL.md", mode: "read" }],
                output: "for example giraffe",
              }),
              reply("It was the lemur."),
            ],
          },
          { request: "sessions grep giraffe", via: "bash", steps: [note("giraffe giraffe")] },
          { request: "ls sessions", via: "bash", steps: [note("tapir")] },
        ],
      }),
    );
    for (const own of ["zebra", "giraffe"]) expect(words).not.toContain(own);
    for (const kept of ["how did we solve it", "okapi", "lemur", "ls sessions", "tapir", "npm test"]) {
      expect(words).toContain(kept);
    }
  });

  test("leaves out what a hook recalled", () => {
    const words = wordsOf(
      plainSession({
        turns: [{ request: "go on", steps: [note(`${RECALL_MARK} Quoted giraffe`), note("tapir")] }],
      }),
    );
    expect(words).not.toContain("giraffe");
    expect(words).toContain("tapir");
  });
});

/** How an agent names a tool of the server `sessions` in its logs. */
const toolNames: Readonly<Record<string, string>> = {
  claude: "mcp__sessions__search_sessions",
  pi: "sessions_search",
  claw: "mcp__sessions__search_sessions",
  codex: "mcp__sessions__search_sessions",
  gemini: "mcp_sessions_search_sessions",
  qwen: "mcp__sessions__search_sessions",
  opencode: "sessions_search_sessions",
  copilot: "sessions-search_sessions",
};

describe.each(agents.map(({ name }) => name))("sessionDocuments(), %s", (agent) => {
  const folder = join(import.meta.dirname, "../../fixtures", agent, "ok");

  /** The words of a log of the agent in which one call has another name and another result. */
  function wordsWith(tool: string, output: string): string {
    for (const name of fs.readdirSync(folder)) {
      if (name.includes(".expected.")) continue;
      const { session } = readFixture(agent, join(folder, name));
      const text = fs.readFileSync(join(folder, name), "utf8");
      const call = session.turns
        .flatMap(({ steps }) => steps.flatMap((step) => (step.kind === "tool" ? step.call : [])))
        .find(
          ({ name, result }) =>
            /^\w[\w .]* [\w .]*$/.test(result?.text ?? "") &&
            text.includes(`"${name}"`) &&
            text.includes(`"${result?.text}"`),
        );
      if (call?.result === undefined) continue;
      const path = join(fs.mkdtempSync(join(tmpdir(), "sessions-own-output-")), name);
      onTestFinished(() => fs.rmSync(join(path, ".."), { recursive: true }));
      fs.writeFileSync(
        path,
        text
          .replaceAll(`"${call.result.text}"`, () => JSON.stringify(output))
          .replaceAll(`"${call.name}"`, () => JSON.stringify(tool)),
      );
      return wordsOf(readFixture(agent, path).session);
    }
    throw new Error(`no call in ${folder}`);
  }

  test("leaves out what this program answered, by the tool and by how the answer begins", () => {
    expect(wordsWith("zoo_search", "the giraffe is here")).toContain("giraffe");
    expect(wordsWith(toolNames[agent] ?? "", "the giraffe is here")).not.toContain("giraffe");
    expect(wordsWith("zoo_search", `${QUOTE_HEAD}\n> the giraffe is here`)).not.toContain("giraffe");
  });
});
