import { describe, expect, test } from "vitest";
import type { RequestEntry } from "../../src/session/entry.ts";
import { withoutInjectedText } from "../../src/session/injected-text.ts";
import { createSessionBuilder } from "../../src/session/session-builder.ts";

const request = (text: string, more: Partial<RequestEntry> = {}): RequestEntry => ({
  kind: "request",
  line: 1,
  via: "typed",
  text,
  chars: text.length,
  images: 0,
  ...more,
});
const textOf = (text: string, more: Partial<RequestEntry> = {}): string | undefined => {
  const entry = withoutInjectedText(request(text, more));
  return entry.kind === "request" ? entry.text : undefined;
};

describe("withoutInjectedText()", () => {
  test.each([
    "<system-reminder>\nThe date is today.\n</system-reminder>",
    '<ci-monitor-event kind="failed">\nBuild 7 failed.\n</ci-monitor-event>',
    "<system-reminder>a</system-reminder>\n\n<build_event>b</build_event>",
  ])("makes a note of %j", (text) => {
    expect(textOf(text)).toBeUndefined();
  });

  test.each([
    ["fix it\n<system-reminder>a</system-reminder>", "fix it"],
    ["<system-reminder>a</system-reminder>fix it", "fix it"],
    ["<user_query>\nfix it\n</user_query>", "fix it"],
    ["<editor-state>a</editor-state>\n<user-message>fix it</user-message>", "fix it"],
    // What the user wrote stays as it is.
    ["<my-button>x</my-button> is not shown", "<my-button>x</my-button> is not shown"],
    ["<div>x</div>", "<div>x</div>"],
    ["<my-button>x", "<my-button>x"],
    ["a </b", "a </b"],
  ])("keeps the request in %j", (text, kept) => {
    expect(textOf(text)).toBe(kept);
  });

  test("keeps a request that is an image, and commands", () => {
    expect(textOf("<system-reminder>a</system-reminder>", { images: 1 })).toBe("");
    expect(textOf("<ci-monitor-event>a</ci-monitor-event>", { via: "bash" })).toBeDefined();
  });
});

test("an injected text starts no turn, for any agent, and its words stay in the log's notes", () => {
  const builder = createSessionBuilder("last-entry");
  builder.add(request("fix the build"));
  builder.add(request("<ci-monitor-event>Build 7 failed.</ci-monitor-event>", { line: 2 }));
  builder.add({ kind: "fact", line: 3, fact: { name: "queued", text: "<ci-event>x</ci-event>" } });
  const facts = { id: "s", project: null, branch: null, version: null, firstAt: null, lastAt: null };
  const { turns } = builder.finish({ agent: "x", id: "s", facts, lines: 3, problems: [] });
  expect(turns.map(({ request: text }) => text)).toEqual(["fix the build"]);
  expect(turns[0]?.steps.map((each) => (each.kind === "note" ? each.about : each.kind))).toEqual([
    "custom",
    "custom",
  ]);
});
