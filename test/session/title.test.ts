import { describe, expect, test } from "vitest";
import { namesOfAgents } from "../../src/agents/agents.ts";
import type { Compaction, Step, ToolCall, Turn } from "../../src/session/session.ts";
import { chooseTitle, saysSomething } from "../../src/session/title.ts";

type Sources = Parameters<typeof chooseTitle>[0];

const turn = (request: string, steps: readonly Step[] = [], via: Turn["via"] = "typed"): Turn => ({
  number: 1,
  uid: null,
  at: null,
  line: 1,
  context: "current",
  via,
  request,
  steps,
});
const step = (rest: { readonly kind: string }): Step =>
  ({ at: null, line: 1, context: "current", ...rest }) as Step;
const call = (fields: Partial<ToolCall>, output = "", isError = false): Step =>
  step({
    kind: "tool",
    call: {
      id: "c",
      name: "Tool",
      input: "",
      inputChars: 0,
      files: [],
      result: { isError, exitCode: null, text: output, chars: output.length },
      ...fields,
    },
  } as { readonly kind: string });
const readFile = (path: string, output: string): Step => call({ files: [{ path, mode: "read" }] }, output);
const note = (text: string, about = "meta"): Step => step({ kind: "note", about, text } as { kind: string });
const summary = (text: string): Step =>
  step({ kind: "summary", of: "compaction", text } as { readonly kind: string });
const bare = (name: string): Step => note(name, "command");

function titleOf(sources: Partial<Sources>): string | null {
  const nothing: Sources = {
    agent: "claude",
    agentNames: namesOfAgents(),
    given: [],
    branch: null,
    preamble: [],
    turns: [],
    compactions: [],
    subagents: [],
  };
  return chooseTitle({ ...nothing, ...sources }).title;
}

describe("chooseTitle()", () => {
  const requests: readonly (readonly [requests: readonly string[], title: string])[] = [
    [["add retries to the uploader"], "add retries to the uploader"],
    [["Implement the following plan:\n\n# Plan: Retry uploads\n\n## Context\nThey fail."], "Retry uploads"],
    [["Implement the following plan:\n\n# Fix: Retry uploads\n\n## Context"], "Fix: Retry uploads"],
    [["Implement the following plan: retry uploads three times"], "retry uploads three times"],
    [["/orchestrator create a todo app"], "create a todo app"],
    [["/review 158", "yes", "bring it up to date with main"], "bring it up to date with main"],
    [["continue", "rename the uploader"], "rename the uploader"],
    [["8", "hi", "port the theme selector"], "port the theme selector"],
    [["https://example.com/issues/288", "port the theme selector"], "port the theme selector"],
    [["[Image #1] the margin of the button is wrong"], "the margin of the button is wrong"],
    [["Hey Claude, explain the renderer module"], "explain the renderer module"],
    [["ok, so we need a faster parser"], "so we need a faster parser"],
    [["the parser says:\n```text\nno such file\n```\nwhy?"], "the parser says: no such file why?"],
    [
      ["@CLAUDE.md を最新の状態にアップデートしてください"],
      "@CLAUDE.md を最新の状態にアップデートしてください",
    ],
    [["/Users/me/shop/notes.md explains the problem"], "/Users/me/shop/notes.md explains the problem"],
    // Nothing says anything: then the first words are better than none.
    [["hello"], "hello"],
    [["/review 158"], "/review 158"],
  ];
  test.each(requests)("takes the request that says something: %j", (texts, title) => {
    expect(titleOf({ turns: texts.map((text) => turn(text)) })).toBe(title);
  });

  test("never takes a shell line of the user, unless there is nothing else", () => {
    const shell = turn("uv run pytest --verbose", [], "bash");
    expect(titleOf({ turns: [shell, turn("fix the browser tests")] })).toBe("fix the browser tests");
    expect(titleOf({ turns: [shell] })).toBe("! uv run pytest --verbose");
  });

  const topics: readonly (readonly [what: string, steps: readonly Step[], title: string])[] = [
    [
      "a plan that was read",
      [readFile("/shop/.impl/plan.md", "     1→# Plan: Retry uploads")],
      "Retry uploads",
    ],
    ["a plan that was presented", [call({ plan: "# Retry uploads\n\nThree times." })], "Retry uploads"],
    ["a plan without headings", [call({ plan: "Retry uploads three times." })], "Retry uploads three times."],
    [
      "a pull request",
      [call({ command: "gh pr view 7" }, "title:\tRetry uploads\nstate:\tOPEN")],
      "Retry uploads",
    ],
    [
      "a pull request as JSON",
      [call({ command: "gh pr view 7 --json title" }, '{"body":"","title":"Retry \\"big\\" uploads"}')],
      'Retry "big" uploads',
    ],
    [
      "a teammate's task",
      [note('<teammate-message teammate_id="lead" summary="Retry uploads">\nGo.\n</teammate-message>')],
      "Retry uploads",
    ],
    [
      "a teammate's task in its own words",
      [
        note(
          '<teammate-message teammate_id="lead">\nYou are the tester. Check all uploads.\n</teammate-message>',
        ),
      ],
      "Check all uploads.",
    ],
    [
      "the summary of what came before",
      [
        summary(
          "Summary:\n1. Primary Request and Intent:\n   The user asked me to retry uploads. Then more.",
        ),
      ],
      "retry uploads",
    ],
    ["the goal of a summary", [summary("## Goal\nRetry uploads\n\n## Progress")], "Retry uploads"],
    [
      "a commit",
      [call({ command: "git add . && git commit -m \"$(cat <<'EOF'\nRetry uploads\n\nBecause.\nEOF\n)\"" })],
      "Retry uploads",
    ],
    [
      "a commit after a review",
      [call({ command: 'git commit -am "Address PR review: retry uploads"' })],
      "retry uploads",
    ],
  ];
  test.each(topics)("else %s, with the command that started it", (_, steps, title) => {
    expect(titleOf({ turns: [turn("/ship 7", steps, "command")] })).toBe(`${title} (/ship 7)`);
    expect(titleOf({ preamble: [bare("/ship"), ...steps] })).toBe(`${title} (/ship)`);
    expect(titleOf({ turns: [turn("continue", steps)] })).toBe(title);
  });

  test("skips plans that could not be read, and files that only have plan in their name", () => {
    const steps = [
      call({ files: [{ path: "plan.md", mode: "read" }] }, "# No such file", true),
      readFile("docs/post-plan-checks.md", "# Checks after a plan"),
    ];
    expect(titleOf({ turns: [turn("go", steps)] })).toBe("go");
  });

  test("uses the branch if nothing else names a topic", () => {
    expect(titleOf({ turns: [turn("go")], branch: "me/retry-big-uploads-03-01-1131" })).toBe(
      "retry big uploads",
    );
    expect(titleOf({ turns: [turn("go")], branch: "main" })).toBe("go");
  });

  test("takes given titles first; the user's own, whatever it says", () => {
    const turns = [turn("add retries to the uploader")];
    expect(titleOf({ given: [{ from: "custom", text: "x1" }], turns })).toBe("x1");
    expect(titleOf({ given: [{ from: "generated", text: "Uploader" }], turns })).toBe("Uploader");
    expect(titleOf({ given: [{ from: "generated", text: "8" }], turns })).toBe("add retries to the uploader");
    const greeted = [turn("hello"), ...turns];
    expect(titleOf({ given: [{ from: "generated", text: "hello" }], turns: greeted })).toBe(
      "add retries to the uploader",
    );
    expect(titleOf({ given: [{ from: "custom", text: "hello" }], turns: greeted })).toBe("hello");
  });

  test("falls back to a sub-agent's prompt, and to nothing", () => {
    const subagent = {
      id: "a",
      type: null,
      description: null,
      callId: null,
      turn: null,
      prompt: "check all uploads",
      steps: [],
      source: null,
    };
    expect(titleOf({ subagents: [subagent] })).toBe("check all uploads");
    expect(titleOf({})).toBeNull();
  });

  test("takes the topic of a compaction summary that has no place among the turns", () => {
    const compaction = { summary: "## Goal\nRetry uploads" } as Compaction;
    expect(titleOf({ turns: [turn("go")], compactions: [compaction] })).toBe("Retry uploads");
  });

  test("cuts at a word, and says so", () => {
    const title = titleOf({ turns: [turn("retry ".repeat(100))] }) ?? "";
    expect(title.length).toBeLessThanOrEqual(200);
    expect(title).toMatch(/retry…$/);
  });
});

describe("saysSomething()", () => {
  test.each(["", "8", "continue", "yes please", "hello", "/", "who are you?", "--help", "let's go"])(
    "is false for %j",
    (text) => {
      expect(saysSomething(text)).toBe(false);
    },
  );
  test.each(["List files", "mise run lint fails", "CHANGELOG.md update"])("is true for %j", (text) => {
    expect(saysSomething(text)).toBe(true);
  });
});

test.each([
  ["qwen", "hey qwen, fix the giraffe importer", "fix the giraffe importer"],
  ["qwen", "Hi Claude, fix the giraffe importer", "fix the giraffe importer"],
  ["gemini", "Hello there Gemini CLI! Fix the giraffe importer", "Fix the giraffe importer"],
  ["copilot", "Copilot: fix the giraffe importer", "fix the giraffe importer"],
  ["copilot", "ok, hey copilot, fix the giraffe importer", "fix the giraffe importer"],
  // The name of another agent may be what it is about.
  ["claude", "codex: fix the giraffe importer", "codex: fix the giraffe importer"],
  ["pi", "pick a giraffe importer", "pick a giraffe importer"],
])("a title in a session of %s leaves out who is addressed: %s", (agent, request, title) => {
  expect(titleOf({ agent, turns: [turn(request)] })).toBe(title);
});

test("a request that only addresses the agent is no title", () => {
  const turns = [turn("hey qwen can you help me"), turn("Fix the giraffe importer")];
  expect(titleOf({ agent: "qwen", turns })).toBe("Fix the giraffe importer");
});
