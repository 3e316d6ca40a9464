import { describe, expect, test } from "vitest";
import { countSlots } from "../../src/extract/activity-slots.ts";
import { column, mergeActivity, SLOT_MS, WIDTH } from "../../src/session/activity.ts";
import type { ReplyEntry } from "../../src/session/entry.ts";
import { createSessionBuilder } from "../../src/session/session-builder.ts";

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };

function sessionOf(entries: readonly Partial<ReplyEntry>[], countsActivity?: boolean) {
  const builder = createSessionBuilder("last-entry", countsActivity);
  for (const [index, entry] of entries.entries())
    builder.add({ kind: "reply", line: index + 1, parts: [], ...entry });
  const facts = { id: "s", project: null, branch: null, version: null, firstAt: null, lastAt: null };
  return builder.finish({ agent: "claude", id: "s", facts, lines: 1, problems: [] });
}

const activityOf = (entries: readonly Partial<ReplyEntry>[]) => sessionOf(entries).activity;

const keyOf = (entry: Partial<ReplyEntry>): number | undefined =>
  activityOf([{ usage, ...entry }]).messages[column.key];

describe("the activity of a session", () => {
  test("has the last usage of a message, and its model", () => {
    const { models, messages } = activityOf([
      { message: "m1", model: "a", usage: { ...usage, outputTokens: 1 }, at: 5 * SLOT_MS },
      { message: "m1", model: "a", usage, at: 6 * SLOT_MS },
      { message: "m2", model: "b", usage, at: 7 * SLOT_MS },
    ]);
    expect(messages).toHaveLength(2 * WIDTH);
    expect(models).toEqual(["a", "b"]);
    expect(messages.slice(column.slot, WIDTH)).toEqual([5, 0, 1, 2, 3, 4, 0, 0, 0]);
  });

  test("is empty if nobody asks for it, and all else is the same", () => {
    const entries = [{ message: "m1", model: "a", usage, at: 5 * SLOT_MS }];
    const activity = { models: [], messages: [] };
    expect(sessionOf(entries, false)).toEqual({ ...sessionOf(entries), activity });
    expect(activityOf(entries)).not.toEqual(activity);
  });

  test("leaves out messages that used and did nothing", () => {
    expect(activityOf([{ message: "m1", parts: [{ kind: "text", text: "x", chars: 1 }] }]).messages).toEqual(
      [],
    );
  });

  test("keeps odd amounts out of sums", () => {
    const odd = { ...usage, inputTokens: Number.NaN, outputTokens: -5, cacheReadTokens: 1e300 };
    const { messages } = activityOf([{ message: "m1", usage: odd }]);
    expect(messages.slice(column.inputTokens, column.toolCalls)).toEqual([0, 0, 0, 4, 0]);
  });

  test("gives a message with a random name the same key anywhere, and others one by their time", () => {
    const name = "msg_01Pj9CFTvvcNbzqLjH4RQTiz";
    expect(keyOf({ message: name, at: 1 })).toBe(keyOf({ message: name, at: 2 }));
    expect(keyOf({ message: "#m1", at: 1 })).not.toBe(keyOf({ message: "#m1", at: 2 }));
    expect(keyOf({ message: "#m1", at: 1 })).toBe(keyOf({ message: "#m1", at: 1 }));
    expect(keyOf({ message: `${name}x`, at: 1 })).not.toBe(keyOf({ message: name, at: 1 }));
  });

  test("has no two keys alike among many names", () => {
    const keys = new Set(
      Array.from({ length: 20_000 }, (_, index) => keyOf({ message: `msg_${index}_0000000000` })),
    );
    expect(keys.size).toBe(20_000);
  });
});

describe("mergeActivity()", () => {
  test("takes the first of equal messages, and renumbers models", () => {
    const a = activityOf([{ message: "message-of-a-session", model: "a", usage }]);
    const b = activityOf([
      { message: "message-of-a-session", model: "b", usage },
      { message: "another-one-of-another", model: "b", usage },
    ]);
    const merged = mergeActivity([a, b]);
    expect(merged.models).toEqual(["a", "b"]);
    expect(merged.messages[column.model]).toBe(0);
    expect(merged.messages[WIDTH + column.model]).toBe(1);
    expect(merged.messages).toHaveLength(2 * WIDTH);
  });
});

describe("countSlots()", () => {
  test("adds up the messages of half an hour and a model, without those that are refused", () => {
    const activity = activityOf([
      { message: "message-number-one", model: "a", usage, at: 0 },
      { message: "message-number-two", model: "a", usage, at: 60_000 },
      { message: "message-number-three", model: "a", usage, at: 1_800_000 },
      { message: "message-without-a-time", model: "a", usage },
    ]);
    expect(countSlots(activity).slots).toEqual([
      [0, 0, 2, 2, 4, 6, 8, 0, 0, 0],
      [1, 0, 1, 1, 2, 3, 4, 0, 0, 0],
      [-1, 0, 1, 1, 2, 3, 4, 0, 0, 0],
    ]);
    const key = activity.messages[column.key];
    expect(countSlots(activity, (each) => each !== key).slots[0]).toEqual([0, 0, 1, 1, 2, 3, 4, 0, 0, 0]);
  });
});
