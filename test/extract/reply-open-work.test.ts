import { describe, expect, test } from "vitest";
import { openEndsOf } from "../../src/extract/reply-open-work.ts";

/** What a reply leaves open, each as `source: text`. */
function openIn(reply: string): readonly string[] {
  return openEndsOf(reply).map(({ source, text }) => `${source}: ${text}`);
}

describe("openEndsOf() lists the items under a title of open work", () => {
  const items = ["next: Run the migration", "next: Update the docs"];
  test.each([
    ["a heading", "## Next Steps\n\n1. Run the migration\n2. Update the docs"],
    ["a bold line", "Done.\n\n**Next steps:**\n- Run the migration\n- Update the docs"],
    ["a plain line", "Next steps:\n\n* Run the migration\n* Update the docs"],
    ["an emoji", "### 🚧 Remaining work\n- Run the migration\n- Update the docs"],
    ["brackets", "Remaining tasks (2):\n- Run the migration\n- Update the docs"],
    [
      "words before and after it",
      "Here are the suggested follow-ups for you:\n- Run the migration\n- Update the docs",
    ],
    ["a sentence", "Two things are left:\n- Run the migration\n- Update the docs"],
    ["what was not done", "Not yet implemented:\n- Run the migration\n- Update the docs"],
    ["what the user has to do", "You'll need to:\n- Run the migration\n- Update the docs"],
    [
      "a heading above another",
      "## To do\n\n**Backend**\n- Run the migration\n\n**Docs**\n- Update the docs",
    ],
    ["check boxes, some ticked", "### TODO\n- [x] Write it\n- [ ] Run the migration\n- [ ] Update the docs"],
    [
      "items that are done",
      "Remaining:\n- ✅ Write it\n- Run the migration\n- ~~Test it~~\n- Update the docs",
    ],
    [
      "items inside of items",
      "Next steps:\n1. Run the migration:\n   - on staging\n   - here\n2. Update the docs",
    ],
    ["a table", "Open items:\n\n| what |\n|---|\n| Run the migration |\n| Update the docs |"],
    ["another language", "次のステップ：\n- Run the migration\n- Update the docs"],
  ])("%s", (_, reply) => {
    expect(openIn(reply)).toEqual(items);
  });

  test("and the first paragraph if there is no list", () => {
    expect(openIn("## Next step\n\nWire it into the client.\n\nAll tests pass.\n\n## Notes\nNone.")).toEqual([
      "next: Wire it into the client.",
    ]);
  });

  test("and a title with its text in one line", () => {
    expect(openIn("Fixed.\n\nNext up: wire it into the client.\n**Deferred**: telemetry")).toEqual([
      "next: wire it into the client.",
      "next: telemetry",
    ]);
  });

  test("and what it recommends, if it asks whether to do it", () => {
    const list = "Recommendation:\n1. Drop the shim\n2. Bump the version";
    expect(openIn(list)).toEqual([]);
    expect(openIn(`${list}\n\nWant me to do that?`)).toEqual([
      "next: Drop the shim",
      "next: Bump the version",
      "next: Want me to do that?",
    ]);
  });
});

describe("openEndsOf() lists what the closing words offer or ask", () => {
  test.each([
    ["Created the file. Want me to commit it?", "next: Want me to commit it?"],
    ["All green.\n\nReady to commit these changes?", "next: Ready to commit these changes?"],
    ["Shall I open the PR?\n\n(The branch is pushed.)", "next: Shall I open the PR?"],
    ["Done. If you want, I can add a test.", "next: If you want, I can add a test."],
    [
      "The merge is staged and ready to commit whenever you like.",
      "next: The merge is staged and ready to commit whenever you like.",
    ],
    ["The index is there. The backfill still has to run.", "next: The backfill still has to run."],
    ["Want me to go on, or leave it as it is?", "question: Want me to go on, or leave it as it is?"],
    [
      "I can't see the photo; could you send it again?",
      "question: I can't see the photo; could you send it again?",
    ],
    ["Which one do you prefer? I would take the first.", "question: Which one do you prefer?"],
    ["続けますか？", "question: 続けますか？"],
    ["Would you like me to:\n1. Revert it\n2. Go on", "question: Would you like me to: Revert it / Go on"],
    [
      "Which do you want?\n- **A**: keep\n- **B**: drop\n\nI recommend A.",
      "question: Which do you want? A: keep / B: drop",
    ],
    [
      "Next steps:\n- Move the parser\n- Or define an interface for it",
      "next: Move the parser / Or define an interface for it",
    ],
    [
      "Next steps:\n1. The PR is merged only once CI is green",
      "next: The PR is merged only once CI is green",
    ],
    ["Open questions:\n1. Who owns the token?", "question: Who owns the token?"],
  ])("%j", (reply, open) => {
    expect(openIn(reply)).toEqual([open]);
  });
});

describe("openEndsOf() finds nothing in", () => {
  test.each([
    "The button is next to the title; I merged origin/next and changed `next.config.ts`.",
    'The answer has "status": "pending".',
    "Next steps:",
    "**Next steps:** None.",
    "Next steps:\n- None",
    "Remaining: 0",
    "Remaining batches: 1",
    "Todos los cambios están listos.",
    "Next, let me look at the tests.",
    "I fixed the remaining issues:\n- the first\n- the second",
    "```\nNext steps:\n- in a block of code\n```",
    "> **Advisory**: upgrade to the next version when it is released.",
    "Why did it fail? The cache was stale.",
    "What would you like to work on next?",
    "Is there anything else I can help with?",
    "It is small, fast and tested. What more could a coder ask for?",
    "All pushed. The branch is now ready for review and merge!",
    "Next steps:\n1. PR is in clean merge state\n2. All tests are green",
    "Let me know if something is unclear.",
    "| Step | State |\n|---|---|\n| Build | pending |",
    "",
  ])("%j", (reply) => {
    expect(openIn(reply)).toEqual([]);
  });
});

test.each([
  ["marks of headings", `# ${"#".repeat(50_000)} x`],
  ["rules", `${"- ".repeat(50_000)}x`],
  ["offers", "i can ".repeat(10_000)],
  ["bold words", "**".repeat(50_000)],
  ["lines of titles", "Next steps:\n- a b\n".repeat(3_000)],
  ["one-letter titles", "# a\n".repeat(20_000)],
])("openEndsOf() ends for a reply of nothing but %s", (_, reply) => {
  expect(openEndsOf(reply).length).toBeLessThanOrEqual(3_000);
});
