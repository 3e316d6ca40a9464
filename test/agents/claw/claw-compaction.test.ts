import { describe, expect, test } from "vitest";
import {
  type ClawCompactionRule,
  type ClawSized,
  cutClawMessages,
} from "../../../src/agents/claw/compact.ts";
import fc from "../../support/fc.ts";

const plain: ClawSized = {
  tokens: 100,
  inputTokens: 0,
  beginsWithResult: false,
  hasCall: false,
  isSummary: false,
};
const call: ClawSized = { ...plain, hasCall: true };
const result: ClawSized = { ...plain, beginsWithResult: true };
const summary: ClawSized = { ...plain, isSummary: true };
const rule: ClawCompactionRule = { preserve: 2, maxTokens: 0, onlyFromInputTokens: null };

describe("cutClawMessages()", () => {
  test.each<[string, readonly ClawSized[], number, number]>([
    ["keeps the last ones", [plain, plain, plain, plain], 0, 2],
    ["keeps a result with its call", [plain, call, result, plain], 0, 1],
    ["keeps several results with their call", [plain, call, result, result, result], 0, 1],
    ["leaves results without a call where they are", [plain, plain, result, result, plain], 0, 1],
    ["counts an earlier summary for nothing", [summary, plain, plain, plain], 1, 2],
  ])("%s", (_, messages, removedFrom, keptFrom) => {
    expect(cutClawMessages(messages, rule)).toEqual({ removedFrom, keptFrom });
  });

  test("with nothing to preserve removes all", () => {
    expect(cutClawMessages([plain, call, result], { ...rule, preserve: 0 })).toEqual({
      removedFrom: 0,
      keptFrom: 3,
    });
  });

  test.each<[string, readonly ClawSized[], Partial<ClawCompactionRule>, RegExp]>([
    ["there are too few", [plain, plain], {}, /no more than the 2 messages/],
    ["only a summary is there besides", [summary, plain, plain], {}, /no more than the 2 messages/],
    ["they are too small", [plain, plain, plain], { maxTokens: 301 }, /have 300 tokens; the minimum is 301/],
    ["the last call takes them all", [call, result, plain], {}, /belong to the last call/],
    [
      "the session has read too little",
      [{ ...plain, inputTokens: 7 }, plain, { ...plain, inputTokens: 2 }],
      { onlyFromInputTokens: 10 },
      /has read 9 tokens; the threshold is 10/,
    ],
  ])("does nothing where %s", (_, messages, changes, why) => {
    expect(cutClawMessages(messages, { ...rule, ...changes })).toEqual({
      nothing: expect.stringMatching(why),
    });
  });

  test("never keeps a result without its call, and never less than was asked for", () => {
    const kind = fc.constantFrom(plain, call, result);
    fc.assert(
      fc.property(fc.array(kind, { maxLength: 12 }), fc.nat(4), (messages, preserve) => {
        const cut = cutClawMessages(messages, { ...rule, preserve });
        if ("nothing" in cut) return;
        expect(messages.length - cut.keptFrom).toBeGreaterThanOrEqual(preserve);
        const isLoose = messages[cut.keptFrom]?.beginsWithResult === true;
        if (isLoose) expect(messages.slice(cut.removedFrom, cut.keptFrom).at(-1)).not.toBe(call);
      }),
    );
  });
});
