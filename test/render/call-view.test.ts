import { describe, expect, test } from "vitest";
import { viewCall } from "../../src/render/call-view.ts";
import fc from "../support/fc.ts";
import { type PlainCall, plainCall } from "../support/plain-session.ts";

const view = (call: PlainCall) => viewCall(plainCall(call), "/p");
const inputs = (call: PlainCall) =>
  view(call)
    .details.filter(({ of }) => of === "input")
    .map(({ part }) => part);

describe("viewCall()", () => {
  test.each<[string, PlainCall, string]>([
    ["its command", { name: "Bash", command: "ls -l" }, "ls -l"],
    [
      "the file within the project",
      { name: "Read", input: { file_path: "/p/a.ts" }, files: [{ path: "/p/a.ts", mode: "read" }] },
      "a.ts",
    ],
    [
      "several files",
      {
        name: "patch",
        inputText: "*** Begin Patch",
        input: {},
        files: ["/p/a", "/q/b"].map((path) => ({ path, mode: "write" })),
      },
      "a",
    ],
    ["what it looks for", { name: "Grep", input: { pattern: "a|b", path: "/p/src" } }, "a|b in src"],
    ["its description", { name: "Task", input: { prompt: "long", description: "short" } }, "short"],
    [
      "the first line of a plan",
      { name: "ExitPlanMode", input: { plan: "x" }, plan: "\n# Do it\n1. now" },
      "Do it",
    ],
    [
      "a task and what becomes of it",
      { name: "TaskUpdate", input: { taskId: "1", status: "completed" } },
      "1 completed",
    ],
    ["nothing", { name: "TaskList", input: {} }, ""],
    ["its text", { name: "odd", inputText: "no json" }, "no json"],
  ])("is about %s", (_, call, subject) => {
    expect(view(call).subject).toBe(subject);
  });

  test.each<[PlainCall, string, string]>([
    [{ name: "Bash", command: "x", exitCode: 0 }, "done", ""],
    [{ name: "Bash", command: "x", exitCode: 3 }, "failed", "exit 3"],
    [{ name: "Edit", exitCode: null, isError: true }, "failed", "failed"],
    [{ name: "Edit", unanswered: true }, "unknown", "no result"],
  ])("of %j is %s", (call, state, outcome) => {
    expect(view(call)).toMatchObject({ state, outcome });
  });

  test.each<[string, PlainCall, unknown]>([
    [
      "a command that its line cuts, as shell",
      { name: "Bash", command: "a\nb" },
      [{ kind: "code", language: "sh", text: "a\nb" }],
    ],
    ["no command twice", { name: "Bash", command: "a b" }, []],
    [
      "an edit as a diff",
      { name: "Edit", input: { old_string: "1\n2\n3\n4\nx\n5", new_string: "1\n2\n3\n4\ny\n5" } },
      [{ kind: "code", language: "diff", text: " 2\n 3\n 4\n-x\n+y\n 5" }],
    ],
    [
      "several edits",
      {
        name: "edit",
        input: {
          path: "/p/a",
          edits: [
            { oldText: "a", newText: "" },
            { oldText: "", newText: "b" },
          ],
        },
        files: [{ path: "/p/a", mode: "write" }],
      },
      [{ kind: "code", language: "diff", text: "-a\n\n+b" }],
    ],
    [
      "a new file in its language",
      {
        name: "Write",
        input: { file_path: "/p/a.ts", content: "let a" },
        files: [{ path: "/p/a.ts", mode: "write" }],
      },
      [{ kind: "code", language: "ts", text: "let a" }],
    ],
    [
      "a list of work",
      {
        name: "TodoWrite",
        input: {
          todos: [
            { content: "a", status: "completed" },
            { content: "b", status: "in_progress" },
            { content: "c", status: "odd" },
          ],
        },
      },
      [{ kind: "code", language: "text", text: "[x] a\n[~] b\n[ ] c" }],
    ],
    ["a plan as prose", { name: "ExitPlanMode", plan: "# a" }, [{ kind: "prose", text: "# a" }]],
    [
      "what has no form of its own by its name",
      {
        name: "Read",
        input: { file_path: "/p/a", offset: 3, all: false },
        files: [{ path: "/p/a", mode: "read" }],
      },
      [{ kind: "code", language: "text", text: "offset: 3" }],
    ],
    [
      "a patch",
      { name: "apply_patch", inputText: "*** Begin Patch\n-a" },
      [{ kind: "code", language: "diff", text: "*** Begin Patch\n-a" }],
    ],
    [
      "input that is cut, with a note",
      { name: "Write", inputText: '{"content":"long te', inputChars: 5_000 },
      [{ kind: "code", language: "text", text: "long te" }],
    ],
  ])("shows %s", (_, call, parts) => {
    expect(inputs(call)).toEqual(parts);
  });

  test("says how much of a long text is shown", () => {
    const { details } = view({ name: "Bash", command: "x", output: "y".repeat(2_000), outputChars: 48_213 });
    expect(details.map(({ note }) => note)).toEqual(["The first 2,000 of 48,213 characters"]);
  });

  test("takes any input", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((json) => json.slice(0, 20)),
        ),
        (inputText) => {
          expect(view({ name: "x", inputText }).name).toBe("x");
        },
      ),
    );
  });
});
