import { expect, test } from "vitest";
import { extractDigest } from "../../../src/extract/extract-digest.ts";
import { type RecallAfter, recallPacket } from "../../../src/render/agent/recall-packet.ts";
import { plainSession, reply, toolCall } from "../../support/plain-session.ts";

/** The lines of a packet below "Left open:". */
function leftOpen(session: Parameters<typeof plainSession>[0], after: RecallAfter): readonly string[] {
  const packet = recallPacket(extractDigest(plainSession(session)), { after, fits: () => true }) ?? "";
  const [, open = ""] = /^Left open.*:\n((?:> .*\n)*)/m.exec(packet) ?? [];
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
  expect(leftOpen({ turns }, "start")).toEqual([
    expect.stringMatching(/^> \S+ \(interrupted\) Fix the import$/),
  ]);
});

test("the packet of a new session has what others of the project left open, with the start of their ids", () => {
  const digest = extractDigest(
    plainSession({ work, turns: [{ request: "Go on", steps: [reply("I am at it.")] }] }),
  );
  const own = digest.id.slice(0, 8);
  const openElsewhere = [
    { id: digest.id, items: [{ text: "Never twice", turn: 1, source: "todo" as const }] },
    {
      id: "9c1d2e3f-1111-4111-8111-111111111111",
      items: [
        { text: "Paint\u001b[31m the shed", turn: 1, source: "todo" as const },
        { text: "Sweep", turn: null, source: "todo" as const, status: "in_progress" as const },
      ],
    },
  ];
  const packet = recallPacket(digest, { after: "start", openElsewhere, fits: () => true }) ?? "";
  const lines = packet.split("\n");
  expect(lines.slice(lines.findIndex((line) => line.startsWith("Left open in this project")) + 1)).toEqual([
    `> ${own} (in progress) Fix the parser`,
    `> ${own} Write the docs`,
    "> 9c1d2e3f (in progress) Sweep",
    "> 9c1d2e3f Paint the shed",
    "Last requests of the user:",
    "> turn 1: Go on",
    expect.stringContaining("To look something up"),
  ]);
});

test("the packet of a new session also names the sessions before the last one, as many as fit", () => {
  const digest = extractDigest(plainSession({ turns: [{ request: "Go on", steps: [reply("Done.")] }] }));
  const earlier = Array.from({ length: 12 }, (_, at) => ({
    id: `${String(at).padStart(8, "0")}-1111-4111-8111-111111111111`,
    title: at === 3 ? null : `Fix number ${at}\u001b[31m ${"x".repeat(100)}`,
    endedAt: Date.UTC(2026, 2, 28 - at),
  }));
  const named = (most: number): readonly string[] => {
    const fits = (text: string): boolean => text.length <= most;
    const packet = recallPacket(digest, {
      after: "start",
      fits,
      earlier: [...earlier, { ...digest, endedAt: 0 }],
    });
    expect(packet?.length).toBeLessThanOrEqual(most);
    return packet?.match(/^> \d{8} \d{4}-.*$/gm) ?? [];
  };
  expect(named(10_000)).toHaveLength(11);
  expect(named(10_000)[0]).toMatch(/^> 00000000 2026-03-28 Fix number 0 x+…$/);
  expect(named(1_000).length).toBeLessThan(8);
  expect(named(1_000).length).toBeGreaterThan(2);
});
