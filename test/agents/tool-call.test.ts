import { describe, expect, test } from "vitest";
import { isShellTool, readToolCall } from "../../src/agents/tool-call.ts";
import type { FileTouch } from "../../src/session/entry.ts";
import { createTextBudget, defaultTextLimits } from "../../src/session/text-budget.ts";

const call = (name: string, input: unknown): ReturnType<typeof readToolCall> =>
  readToolCall("id", name, input, createTextBudget());

const reads = (path: string): FileTouch => ({ path, mode: "read" });
const writes = (path: string): FileTouch => ({ path, mode: "write" });

describe("readToolCall()", () => {
  test.each<[string, unknown, readonly FileTouch[]]>([
    ["read", { path: "a.ts" }, [reads("a.ts")]],
    ["Read", { file_path: "a.ts" }, [reads("a.ts")]],
    ["read_file", { path: "a.ts" }, [reads("a.ts")]],
    ["mcp__files__read_file", { path: "a.ts" }, [reads("a.ts")]],
    ["edit", { path: "a.ts", edits: [] }, [writes("a.ts")]],
    ["edit_file", '{"path":"a.ts"}', [writes("a.ts")]],
    ["write_file", { path: "", file_path: "b.ts" }, [writes("b.ts")]],
    ["NotebookEdit", { notebook_path: "n.ipynb" }, [writes("n.ipynb")]],
    ["read", { path: 7 }, []],
    ["read", { path: ["a.ts"] }, []],
    ["read", null, []],
    ["read", "not json", []],
    ["grep", { path: "src", pattern: "x" }, []],
    ["constructor", { path: "a.ts" }, []],
    ["__proto__", { path: "a.ts" }, []],
    ["", undefined, []],
    [
      "apply_patch",
      "*** Begin Patch\n*** Add File: a b.ts \r\n*** Update File: c.ts\n*** End Patch",
      [writes("a b.ts"), writes("c.ts")],
    ],
    ["apply_patch", { input: "*** Begin Patch\n*** Delete File: c.ts\n*** End Patch" }, [writes("c.ts")]],
    ["apply_patch", "*** Update File: outside.ts", []],
    [
      "shell",
      { command: ["bash", "-lc", "apply_patch <<E\n*** Begin Patch\n*** Add File: x.ts\n*** End Patch\nE"] },
      [writes("x.ts")],
    ],
    ["update_plan", { plan: [{ step: "*** Begin Patch\n*** Add File: x.ts" }] }, []],
  ])("%s %j touches %j", (name, input, files) => {
    expect(call(name, input).files).toEqual(files);
  });

  test.each<[string, unknown, string | undefined]>([
    ["bash", { command: "ls -la" }, "ls -la"],
    ["exec_command", '{"cmd":"git status"}', "git status"],
    ["shell", { command: ["bash", "-lc", "npm test && echo 'ok'"] }, "npm test && echo 'ok'"],
    ["shell", { command: ["/usr/bin/zsh", "-c", "echo $HOME"] }, "echo $HOME"],
    ["shell", { command: ["pwsh.exe", "-Command", "Get-Item ."] }, "Get-Item ."],
    ["shell", { command: ["git", "commit", "-m", "it's done"] }, "git commit -m 'it'\\''s done'"],
    ["shell", { command: ["bash", "script.sh", "x"] }, "bash script.sh x"],
    ["shell", { command: ["sh", "-c", "a", "b"] }, "sh -c a b"],
    ["shell", { command: [1, null] }, undefined],
    ["shell", { command: { command: "ls" } }, undefined],
    ["bash", { command: "" }, undefined],
    ["bash", '{}{"command": "echo hello"}', "echo hello"],
    ["read", { command: "ls" }, undefined],
  ])("%s %j runs %j", (name, input, command) => {
    expect(call(name, input).command).toBe(command);
  });

  test.each<[string, unknown, unknown]>([
    [
      "TodoWrite",
      {
        todos: [
          { content: "a", status: "in_progress" },
          { content: "b", status: "completed" },
        ],
      },
      {
        kind: "list",
        items: [
          { text: "a", status: "in_progress" },
          { text: "b", status: "completed" },
        ],
      },
    ],
    [
      "update_plan",
      '{"plan":[{"step":"a","status":"pending"}]}',
      { kind: "list", items: [{ text: "a", status: "pending" }] },
    ],
    ["update_plan", { explanation: "no plan" }, undefined],
    [
      "todo",
      {
        items: ["a", "", { text: "b", done: true }, { title: "c", state: "In-Progress" }, { text: 4 }, null],
      },
      {
        kind: "list",
        items: [
          { text: "a", status: "pending" },
          { text: "b", status: "completed" },
          { text: "c", status: "in_progress" },
        ],
      },
    ],
    [
      "todo_write",
      {
        todos: [
          { content: "a", status: "cancelled" },
          { content: "b", status: "constructor" },
        ],
      },
      {
        kind: "list",
        items: [
          { text: "a", status: "deleted" },
          { text: "b", status: "pending" },
        ],
      },
    ],
    ["todo", { todos: [] }, { kind: "list", items: [] }],
    ["bash", { todos: [{ content: "a" }] }, undefined],
  ])("%s %j says of the work: %j", (name, input, work) => {
    expect(call(name, input).work).toEqual(work);
  });

  test("returns the length of the whole input and keeps its head", () => {
    const long = call("write", { path: "a.ts", content: "x".repeat(10_000) });
    expect(long.inputChars).toBe(JSON.stringify({ path: "a.ts", content: "x".repeat(10_000) }).length);
    expect(long.input.length).toBe(2_000);
  });
});

describe("isShellTool()", () => {
  test.each<[string, boolean]>([
    ["bash", true],
    ["shell_exec", true],
    ["run_terminal", true],
    ["container.exec", true],
    ["PowerShell", true],
    ["read", false],
    ["write_stdin", false],
    ["toString", false],
  ])("%s: %j", (name, expected) => {
    expect(isShellTool(name)).toBe(expected);
  });
});

test("readToolCall() keeps a command whole where nothing of inputs is kept, as an index does", () => {
  const budget = createTextBudget({ ...defaultTextLimits, inputChars: 0 });
  const call = readToolCall("id", "exec_command", JSON.stringify({ cmd: "npx vitest run" }), budget);
  expect(call).toMatchObject({ input: "", command: "npx vitest run" });
});
