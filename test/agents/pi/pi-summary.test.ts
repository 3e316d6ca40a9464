import { describe, expect, test } from "vitest";
import {
  mergePiSections,
  type PiSections,
  parsePiSections,
  piBranchSummary,
  piSummary,
  renderPiSections,
} from "../../../src/agents/pi/summary.ts";
import type { Session, Step } from "../../../src/session/session.ts";
import fc from "../../support/fc.ts";
import { plainSession } from "../../support/plain-session.ts";

const place = { at: null, line: 1, context: "current" } as const;
const reply = (text: string): Step => ({ kind: "reply", ...place, text, isError: false });
const tool = (command: string, text: string, isError: boolean): Step => ({
  kind: "tool",
  ...place,
  call: {
    id: command,
    name: "bash",
    input: JSON.stringify({ command }),
    inputChars: 1,
    files: [],
    command,
    result: { isError, exitCode: isError ? 2 : 0, text, chars: text.length },
  },
});

function sessionOf(turns: readonly (readonly [string, ...Step[]])[], work: Session["work"] = []): Session {
  return {
    ...plainSession(),
    work,
    turns: turns.map(([request, ...steps], at) => ({
      number: at + 1,
      uid: null,
      at: null,
      line: 1,
      context: "current",
      via: "typed",
      request,
      steps,
    })),
  };
}

const noFiles = { readFiles: [], modifiedFiles: [] };

describe("piSummary()", () => {
  const session = sessionOf(
    [
      [
        "Make the parser keep torn lines. Never drop a line.",
        reply("Kept. Rest later."),
        tool("npm test", "boom", true),
      ],
      [
        "And the writer too, please do that",
        reply("We decided to go with bytes because JSON changes numbers. Done."),
      ],
      ["now run it all", tool("npm run all", "x".repeat(2_500), true)],
    ],
    [
      { text: "parse", status: "completed" },
      { text: "write", status: "in_progress" },
      { text: "document", status: "pending" },
    ],
  );

  test("has Pi's sections in their order, filled from what is known", () => {
    const files = { readFiles: ["a.ts"], modifiedFiles: ["b.ts", "c.ts"] };
    const summary = piSummary({ history: session, turnPrefix: null, earlier: null, files });
    expect(summary.match(/^#+ .*$/gm)).toEqual([
      "## Goal",
      "## Constraints & Preferences",
      "## Progress",
      "### Done",
      "### In Progress",
      "### Blocked",
      "## Key Decisions",
      "## Next Steps",
      "## Critical Context",
    ]);
    for (const part of [
      "## Goal\nMake the parser keep torn lines. Never drop a line.\n- And the writer too, please do that\n",
      "## Constraints & Preferences\n- Never drop a line.\n",
      "### Done\n- [x] parse\n- [x] And the writer too, please do that → We decided to go with bytes because",
      "### In Progress\n- [ ] write\n- [ ] now run it all\n",
      "### Blocked\n- bash npm test: boom\n- bash npm run all: xxx",
      "## Key Decisions\n- **We decided to go with bytes**: because JSON changes numbers.\n",
      "## Next Steps\n1. document\n",
      "Last failed command: `npm run all` (exit code 2)",
      "[... 500 more characters truncated]",
      "\n\n<read-files>\na.ts\n</read-files>\n\n<modified-files>\nb.ts\nc.ts\n</modified-files>",
    ])
      expect(summary).toContain(part);
  });

  test("is the same every time", () => {
    const parts = { history: session, turnPrefix: session, earlier: "Earlier.", files: noFiles };
    expect(piSummary(parts)).toBe(piSummary(parts));
  });

  test("says of a split turn what its end needs to be understood", () => {
    const turnPrefix = sessionOf([["Fix it", reply("Looking. More."), tool("make", "bad", true)]]);
    const alone = piSummary({ history: null, turnPrefix, earlier: null, files: noFiles });
    expect(alone).toBe(
      "No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n## Original Request\nFix it\n\n" +
        "## Progress So Far\n- Looking.\n\n## Context Needed to Continue\n- bash make: bad\n- Last reply: Looking. More.\n" +
        "- Last failed command: `make` (exit code 2)\n- Last error:\n  bad\n- Tools used: bash 1",
    );
    expect(piSummary({ history: null, turnPrefix, earlier: "## Goal\nx", files: noFiles })).toMatch(
      /^## Goal\nx\n\n---/,
    );
  });

  test("of an empty history says that there is nothing", () => {
    const summary = piSummary({ history: sessionOf([]), turnPrefix: null, earlier: null, files: noFiles });
    expect(summary).toContain("## Goal\n(none)\n");
    expect(summary).toContain("## Next Steps\n1. (none)\n");
  });

  test("of a branch begins as Pi's do", () => {
    expect(piBranchSummary(session, noFiles)).toMatch(
      /^The user explored a different conversation branch before returning here\.\nSummary of that exploration:\n\n## Goal\n/,
    );
  });
});

describe("mergePiSections()", () => {
  const empty: PiSections = {
    goal: [],
    constraints: [],
    done: [],
    inProgress: [],
    blocked: [],
    decisions: [],
    nextSteps: [],
    critical: [],
  };

  test("moves what is done now, and keeps the rest", () => {
    const earlier = renderPiSections({
      ...empty,
      goal: ["survive timeouts"],
      done: ["retry"],
      inProgress: ["tell the user", "docs"],
      nextSteps: ["release", "docs for all"],
      decisions: ["**jitter**: many clients"],
    });
    const merged = mergePiSections(earlier, {
      ...empty,
      done: ["Tell the  user", "release"],
      goal: ["quiet mode"],
    });
    expect(merged).toEqual({
      ...empty,
      goal: ["survive timeouts", "quiet mode"],
      done: ["retry", "Tell the  user", "release"],
      inProgress: ["docs"],
      nextSteps: ["docs for all"],
      decisions: ["**jitter**: many clients"],
    });
  });

  test("keeps a summary of another shape as it is", () => {
    expect(mergePiSections("We fixed it.", empty).critical).toEqual(["Earlier summary:\nWe fixed it."]);
  });

  test("reads back what it writes", () => {
    const text = fc.stringMatching(/^[a-z`][a-z`*]{0,11}( [a-z.]{1,9}){0,3}(\n[a-z]{1,5})?$/);
    const items = fc.array(text, { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.record<PiSections>({
          goal: items.map((all) => all.map((item) => item.replace("\n", " "))),
          constraints: items,
          done: items,
          inProgress: items,
          blocked: items,
          decisions: items,
          nextSteps: items,
          critical: items,
        }),
        (sections) => {
          expect(parsePiSections(renderPiSections(sections))).toEqual(sections);
        },
      ),
    );
  });
});
