import { describe, expect, test } from "vitest";
import { clawSummary, mergeClawSummary } from "../../../src/agents/claw/summary.ts";
import { cutLine, type SummaryMessage } from "../../../src/extract/session-messages.ts";
import { continuationText } from "../../../src/extract/summary-text.ts";
import fc from "../../support/fc.ts";

const user = (text: string): SummaryMessage => ({ role: "user", blocks: [{ kind: "text", text }] });
const said = (text: string): SummaryMessage => ({ role: "assistant", blocks: [{ kind: "text", text }] });

const conversation: readonly SummaryMessage[] = [
  user("Read src/main.rs, please."),
  {
    role: "assistant",
    blocks: [
      { kind: "thinking", chars: 1_234 },
      { kind: "text", text: "Next I look at `docs/guide.md`\nand (tests/run.py)." },
      { kind: "call", name: "read_file", input: '{"path":"src/main.rs"}' },
    ],
  },
  {
    role: "tool",
    blocks: [{ kind: "result", name: "read_file", output: "no such file: lib/x.json", isError: true }],
  },
  user("continue"),
  user("one more"),
  user("the last"),
  { role: "assistant", blocks: [{ kind: "call", name: "bash", input: "ls" }] },
];

describe("clawSummary()", () => {
  test("has every line of claw-code's own summary", () => {
    expect(clawSummary(conversation)).toBe(
      [
        "<summary>",
        "Conversation summary:",
        "- Scope: 7 earlier messages compacted (user=4, assistant=2, tool=1).",
        "- Tools mentioned: bash, read_file.",
        "- Recent user requests:",
        "  - continue",
        "  - one more",
        "  - the last",
        "- Pending work:",
        "  - Next I look at `docs/guide.md` and (tests/run.py).",
        "- Key files referenced: docs/guide.md, lib/x.json, src/main.rs.",
        "- Current work: the last",
        "- Key timeline:",
        "  - user: Read src/main.rs, please.",
        '  - assistant: thinking (1234 chars) | Next I look at `docs/guide.md` and (tests/run.py). | tool_use read_file({"path":"src/main.rs"})',
        "  - tool: tool_result read_file: error no such file: lib/x.json",
        "  - user: continue",
        "  - user: one more",
        "  - user: the last",
        "  - assistant: tool_use bash(ls)",
        "</summary>",
      ].join("\n"),
    );
  });

  test("leaves out lines that have nothing to tell", () => {
    expect(clawSummary([])).toBe(
      "<summary>\nConversation summary:\n- Scope: 0 earlier messages compacted (user=0, assistant=0, tool=0).\n- Key timeline:\n</summary>",
    );
  });

  test("cuts messages at 160 characters, the work of the moment at 200", () => {
    const summary = clawSummary([said(`todo ${"x".repeat(300)}`)]);
    expect(summary).toContain(`  - todo ${"x".repeat(155)}…\n`);
    expect(summary).toContain(`- Current work: todo ${"x".repeat(195)}…\n`);
  });

  test("takes the last three open things and the first eight files of the six kinds", () => {
    const files = "abcdefghij".split("").map((name) => `src/${name}.TS`);
    const summary = clawSummary([
      ...["a", "b", "c", "d"].map((name) => said(`remaining ${name}`)),
      user(`${files.join(" ")} src/x.py src/y.go http://z/q.ts`),
    ]);
    expect(summary).toContain("- Pending work:\n  - remaining b\n  - remaining c\n  - remaining d\n");
    expect(summary).toContain(`- Key files referenced: ${files.slice(0, 8).join(", ")}.`);
  });
});

describe("mergeClawSummary()", () => {
  const first = clawSummary([user("first"), said("one")]);
  const second = clawSummary([user("second"), said("two")]);

  test("keeps what the earlier one says, and the timeline of the new part alone", () => {
    expect(mergeClawSummary(first, second)).toBe(
      [
        "<summary>",
        "Conversation summary:",
        "- Scope: 2 earlier messages compacted (user=1, assistant=1, tool=0).",
        "- Recent user requests:",
        "  - first",
        "- Current work: one",
        "- Newly compacted context:",
        "  - Scope: 2 earlier messages compacted (user=1, assistant=1, tool=0).",
        "  - Recent user requests:",
        "    - second",
        "  - Current work: two",
        "- Key timeline:",
        "  - user: second",
        "  - assistant: two",
        "</summary>",
      ].join("\n"),
    );
  });

  test("nests no deeper with every round", () => {
    const third = mergeClawSummary(mergeClawSummary(first, second), clawSummary([user("third")]));
    expect(third.match(/Newly compacted context/g)).toHaveLength(1);
    for (const word of ["  - first", "  - second", "    - third"]) expect(third).toContain(`\n${word}\n`);
  });

  test("takes summaries of another shape line by line", () => {
    const merged = mergeClawSummary("Fixed the parser.\n\n- one\n<read-files>\na.ts\n</read-files>", second);
    expect(merged).toContain("Conversation summary:\n- Fixed the parser.\n- one\n- a.ts\n- Newly compacted");
  });

  test("loses no line of an earlier summary, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,9}( [a-z]{1,9}){0,3}$/), { maxLength: 8 }),
        (lines) => {
          const merged = mergeClawSummary(lines.map((line) => `- ${line}`).join("\n"), second);
          for (const line of lines) expect(merged).toContain(`- ${line}\n`);
        },
      ),
    );
  });
});

describe("continuationText()", () => {
  test("has the sentences that claw-code knows a compaction by", () => {
    expect(continuationText("<analysis>hm</analysis><summary>\nConversation summary:\n- a\n</summary>")).toBe(
      "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n" +
        "Summary:\nConversation summary:\n- a\n\n" +
        "Recent messages are preserved verbatim.\nContinue the conversation from where it left off without asking the user any further questions.",
    );
  });
});

describe("cutLine()", () => {
  test.each([
    ["a  b\n c", 10, "a b c"],
    ["abcdef", 6, "abcdef"],
    ["abcdefg", 6, "abcdef…"],
    ["😀😀😀", 2, "😀😀…"],
    ["😀😀", 2, "😀😀"],
    [`${" ".repeat(900)}x`, 2, "…"],
  ])("%j at %i is %j", (text, max, line) => {
    expect(cutLine(text, max)).toBe(line);
  });
});
