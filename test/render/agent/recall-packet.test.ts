import { expect, test } from "vitest";
import { extractDigest } from "../../../src/extract/extract-digest.ts";
import { type RecallAfter, recallPacket } from "../../../src/render/agent/recall-packet.ts";
import { plainSession, reply, toolCall } from "../../support/plain-session.ts";

/** The lines of a packet below "Left open:". */
function leftOpen(session: Parameters<typeof plainSession>[0], after: RecallAfter): readonly string[] {
  const packet = recallPacket(extractDigest(plainSession(session)), { after, fits: () => true }) ?? "";
  const [, open = ""] = /^Left open:\n((?:> .*\n)*)/m.exec(packet) ?? [];
  return open.split("\n").filter((line) => line !== "");
}

const work = [
  { text: "Write the docs", status: "pending" as const },
  { text: "Fix the parser", status: "in_progress" as const },
];

test("a packet says what is open and where that comes from, what is in progress first", () => {
  const steps = [
    reply("The next test is pending, and `origin/next` is merged.\n\nNext: ship it.\n\nBlue or red?"),
  ];
  expect(leftOpen({ work, turns: [{ request: "Go on", steps }] }, "compaction")).toEqual([
    "> (in progress) Fix the parser",
    "> Write the docs",
    "> (next step) ship it.",
    "> (question) Blue or red?",
  ]);
});

test("a session that goes on after its compaction was not interrupted, the last one of the folder may have been", () => {
  const turns = [{ request: "Fix the import", steps: [toolCall({ name: "Bash", unanswered: true })] }];
  expect(leftOpen({ turns }, "compaction")).toEqual([]);
  expect(leftOpen({ turns }, "start")).toEqual(["> (interrupted) Fix the import"]);
});
