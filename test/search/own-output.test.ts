import { describe, expect, test } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import { RECALL_MARK } from "../../src/render/agent/recall-packet.ts";
import { asksSessions, historyCommands } from "../../src/search/own-output.ts";
import { sessionDocuments } from "../../src/search/session-documents.ts";
import type { Step } from "../../src/session/session.ts";
import { plainSession, reply, toolCall } from "../support/plain-session.ts";

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
