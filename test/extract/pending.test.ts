import { describe, expect, test } from "vitest";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import type { WorkItem } from "../../src/session/entry.ts";
import type { Session, Step } from "../../src/session/session.ts";
import { plainSession, reply, thinking, toolCall } from "../support/plain-session.ts";

/** Open work of a session, each as `source: text`. */
function openIn(session: Session): readonly string[] {
  return extractDigest(session).pending.map(({ source, text }) => `${source}: ${text}`);
}

function sessionWith(steps: readonly Step[], given: Parameters<typeof plainSession>[0] = {}): Session {
  return plainSession({ turns: [{ request: "Fix the import", steps }], ...given });
}

const note = (about: "interrupt" | "error" | "output", text: string): Step => ({
  at: null,
  line: 1,
  context: "current",
  kind: "note",
  about,
  text,
});

const todo = (text: string, status: WorkItem["status"] = "pending"): WorkItem => ({ text, status });

describe("the agent's own list is open work", () => {
  const work = [todo("Write the test"), todo("Fix batch 2", "in_progress"), todo("Plan", "completed")];

  test("and comes first", () => {
    const session = sessionWith(
      [reply("The parser is ready.\n\nNext: the docs of it.\n\nShall I go on or stop?")],
      {
        work,
      },
    );
    expect(openIn(session)).toEqual([
      "todo: Write the test",
      "todo: Fix batch 2",
      "next: the docs of it.",
      "question: Shall I go on or stop?",
    ]);
  });

  test.each([
    ["Done. The import works.", []],
    ["## All comments addressed\n\nCommitted.", []],
    ["The implementation is complete.", []],
    ["## Batch 2 complete\n\nThree files changed.", ["todo: Write the test"]],
    ["Wrote the test and committed. Write the test: done.", ["todo: Fix batch 2"]],
    ["The plan is almost complete.", ["todo: Write the test", "todo: Fix batch 2"]],
    ["Step 1 is done.", ["todo: Write the test", "todo: Fix batch 2"]],
  ])("unless the last reply reports it done: %j", (text, open) => {
    expect(openIn(sessionWith([reply(text)], { work }))).toEqual(open);
  });
});

describe("a list that was left long ago", () => {
  const listed = toolCall({ name: "TodoWrite", isWork: true });
  const sessionOf = (turns: number, last: string): Session =>
    plainSession({
      turns: Array.from({ length: turns }, (_, at) => ({
        request: `Step ${at + 1}`,
        steps: at === 0 ? [listed, reply("Planned.")] : [reply(at === turns - 1 ? last : "Ok.")],
      })),
      work: [todo("Write the test")],
    });

  test.each([
    [12, "Ready to commit these changes?", ["next: Ready to commit these changes?"]],
    [4, "Ready to commit these changes?", ["todo: Write the test", "next: Ready to commit these changes?"]],
    [12, "Which one do you prefer?", ["todo: Write the test", "question: Which one do you prefer?"]],
  ])("of %i turns is not open beside %j if that finishes the work", (turns, last, open) => {
    expect(openIn(sessionOf(turns, last))).toEqual(open);
  });
});

describe("only the end of a session counts", () => {
  test("of several replies the one after the last tool call", () => {
    const steps = [reply("Next steps:\n- Look at it"), toolCall({ name: "Bash" }), reply("It is fixed.")];
    expect(openIn(sessionWith(steps))).toEqual([]);
  });

  test("the list that is ticked off after the last words is not in the way", () => {
    const steps = [reply("Want me to commit?"), toolCall({ name: "TodoWrite", isWork: true })];
    expect(openIn(sessionWith(steps))).toEqual(["next: Want me to commit?"]);
  });

  test("a shell line of the user comes after the end", () => {
    const session = plainSession({
      turns: [
        { request: "Fix it", steps: [reply("Want me to commit?")] },
        { request: "ls", via: "bash", steps: [toolCall({ name: "bash", command: "ls" })] },
      ],
    });
    expect(openIn(session)).toEqual(["next: Want me to commit?"]);
  });

  test("a session that was continued in another one has its open ends there", () => {
    expect(openIn(sessionWith([reply("Want me to commit?")], { continuedIn: "other" }))).toEqual([]);
  });
});

describe("a question of a tool", () => {
  const ask = { name: "AskUserQuestion", questions: ["Which colour?", "Which size?"] };

  test("is open if there is no answer", () => {
    const steps = [reply("One thing."), toolCall({ ...ask, unanswered: true })];
    expect(openIn(sessionWith(steps))).toEqual(["question: Which colour?", "question: Which size?"]);
  });

  test("is open if the user left it", () => {
    const steps = [toolCall({ ...ask, isError: true }), note("interrupt", "[Request interrupted by user]")];
    expect(openIn(sessionWith(steps))).toEqual(["question: Which colour?", "question: Which size?"]);
  });

  test("is not open after its answer", () => {
    expect(openIn(sessionWith([toolCall(ask), reply("Blue it is.")]))).toEqual([]);
  });
});

describe("a request without an answer is interrupted:", () => {
  test.each<[string, readonly Step[], string]>([
    ["nothing followed", [], "Fix the import"],
    ["the user stopped it", [reply("Looking."), note("interrupt", "stopped")], "Fix the import"],
    [
      "an error stopped it",
      [toolCall({ name: "Bash" }), { ...reply("overloaded"), isError: true } as Step],
      "Fix the import",
    ],
    ["it was still thinking", [toolCall({ name: "Bash" }), thinking("hm")], "Fix the import"],
    [
      "the log ends in a tool call",
      [reply("Found it. Let me run the tests."), toolCall({ name: "Bash", unanswered: true })],
      "Fix the import; stopped at: Let me run the tests.",
    ],
  ])("%s", (_, steps, text) => {
    expect(openIn(sessionWith(steps))).toEqual([`interrupted: ${text}`]);
  });

  test.each<[string, readonly Step[]]>([
    ["it was answered in the end", [note("interrupt", "stopped"), reply("It is fixed.")]],
    [
      "the last thing was a change that succeeded",
      [toolCall({ name: "Edit", files: [{ path: "a.ts", mode: "write" }] })],
    ],
    ["the user went back to before the answer", [{ ...reply("It is fixed."), context: "branch" } as Step]],
  ])("but not if %s", (_, steps) => {
    expect(openIn(sessionWith(steps))).toEqual([]);
  });

  test("the agent's own list says better what a log without an end leaves open", () => {
    const steps = [
      toolCall({ name: "TodoWrite", isWork: true }),
      toolCall({ name: "Bash", unanswered: true }),
    ];
    expect(openIn(sessionWith(steps, { work: [todo("Run CI")] }))).toEqual(["todo: Run CI"]);
    expect(openIn(sessionWith(steps, { work: [todo("Run CI", "completed")] }))).toEqual([]);
  });

  test("a command without arguments counts as the request", () => {
    const command: Step = {
      at: null,
      line: 1,
      context: "current",
      kind: "note",
      about: "command",
      text: "/deploy",
    };
    const preamble = [command, reply("Now the upload."), toolCall({ name: "Bash", unanswered: true })];
    expect(openIn(plainSession({ preamble }))).toEqual(["interrupted: /deploy; stopped at: Now the upload."]);
  });

  test.each(["/model", "status --help", "doctor --json --all"])(
    "not so %j, which is for a program",
    (line) => {
      expect(openIn(plainSession({ turns: [{ request: line }] }))).toEqual([]);
      const command: Step = {
        at: null,
        line: 1,
        context: "current",
        kind: "note",
        about: "command",
        text: line,
      };
      expect(openIn(plainSession({ preamble: [command] }))).toEqual([]);
    },
  );

  test.each(["List files", "Fix the -v flag of the parser, please"])("but %j", (request) => {
    expect(openIn(plainSession({ turns: [{ request }] }))).toEqual([`interrupted: ${request}`]);
  });

  test("of a long request the first and the last line are shown", () => {
    const request = `Look at this:\n${"error in the log\n".repeat(20)}Find out why.`;
    expect(openIn(plainSession({ turns: [{ request }] }))).toEqual([
      "interrupted: Look at this: Find out why.",
    ]);
  });
});

test("words like next and todo are no open work", () => {
  const steps = [reply("TODO comments are gone, next to nothing is pending, and the remaining tests pass.")];
  expect(openIn(sessionWith(steps))).toEqual([]);
});
