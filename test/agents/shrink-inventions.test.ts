import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { cutClawMessages, planClawCompaction } from "../../src/agents/claw/compact.ts";
import { clawSizeOf, readClawLog } from "../../src/agents/claw/read-log.ts";
import { rewrittenBytes } from "../../src/jsonl/rewrite-plan.ts";
import { loadClaw } from "../support/claw-loader.ts";
import fc from "../support/fc.ts";

const json = (value: unknown, space: string): string => JSON.stringify(value, undefined, space);

/** A message of any content, in any spelling: spaces, escapes and keys that nobody knows. */
const message = fc
  .record({
    role: fc.constantFrom("user", "assistant", "tool", "system"),
    block: fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }),
      fc.record({ type: fc.constant("tool_use"), id: fc.string(), name: fc.string(), input: fc.string() }),
      fc.record({
        type: fc.constant("tool_result"),
        tool_use_id: fc.string(),
        tool_name: fc.string(),
        output: fc.string({ unit: "binary" }),
        is_error: fc.boolean(),
      }),
    ),
    extra: fc.jsonValue(),
    escaped: fc.boolean(),
  })
  .map(({ role, block, extra, escaped }) => {
    const text = json({ extra, role, blocks: [block] }, "");
    return escaped
      ? text
          .replace(/[a-z](?=")/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
          .replace(/\\+u00/g, "\\u00")
      : text;
  })
  .filter((text) => {
    try {
      loadClaw(`{"version":1,"messages":[${text}]}`);
      return true;
    } catch {
      return false;
    }
  });

const meta = '{"type":"session_meta","version":1,"session_id":"s","created_at_ms":1.0,"updated_at_ms":2}';

describe("a compacted log of claw-code", () => {
  test.each(["lines", "whole"] as const)("(%s) is loaded, and has what stays as it was written", (form) => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.nat(4),
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        (messages, preserve, end, isEnded) => {
          const lines = [meta, ...messages.map((each) => `{"message": ${each} ,"type":"message"}`)];
          const log =
            form === "lines"
              ? lines.join(end) + (isEnded ? end : "")
              : `{"messages" : [ ${messages.join(` ,${end}`)} ]${end},"version":1 }${isEnded ? end : ""}`;
          const read = readClawLog([Buffer.from(log)]);
          expect(read.messages).toHaveLength(messages.length);
          const rule = { preserve, maxTokens: 0, onlyFromInputTokens: null };
          const cut = cutClawMessages(
            read.messages.map((each) => clawSizeOf(each.message)),
            rule,
          );
          if ("nothing" in cut) return;
          const plan = planClawCompaction(read, cut, "<summary>\ns\n</summary>");
          const after = Buffer.concat(
            [...rewrittenBytes(plan, [Buffer.from(log)])].map((part) => Buffer.from(part)),
          );
          const loaded = loadClaw(after.toString());
          expect(loaded.messages).toHaveLength(1 + messages.length - cut.keptFrom);
          expect(loaded.compaction).toMatchObject({
            count: 1,
            removed_message_count: cut.keptFrom - cut.removedFrom,
          });
          const kept = form === "lines" ? lines.slice(1 + cut.keptFrom) : messages.slice(cut.keptFrom);
          let from = 0;
          for (const text of kept) {
            from = after.indexOf(text, from);
            expect(from).not.toBe(-1);
            from += Buffer.byteLength(text);
          }
          const again = readClawLog([after]);
          const sizes = again.messages.map((each) => clawSizeOf(each.message));
          // What was kept to keep a call whole may go with the next one, never anything else.
          if (messages.length - cut.keptFrom === preserve)
            expect(cutClawMessages(sizes, rule)).toHaveProperty("nothing");
        },
      ),
    );
  });
});
