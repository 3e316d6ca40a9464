import { expect, test } from "vitest";
import { readUserPart } from "../../../src/agents/opencode/message.ts";

test.each([
  ["one word", "plan", "plan"],
  ["a prompt of several words", '"plan the garden"', "plan the garden"],
  ["a prompt with quotes in it", '"plan the \\"old\\" garden"', 'plan the "old" garden'],
  ["a prompt of several arguments", '"plan the" "old garden"', '"plan the" "old garden"'],
  ["a quote alone", '"', '"'],
  ["empty quotes", '""', '""'],
])("%s is read as it was typed", (_, text, typed) => {
  expect(readUserPart({ type: "text", text })).toEqual({ text: typed });
});
