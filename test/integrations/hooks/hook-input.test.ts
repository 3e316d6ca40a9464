import { describe, expect, test } from "vitest";
import { claudeHookEvents } from "../../../src/agents/claude/hooks.ts";
import { readHookInput } from "../../../src/integrations/hooks/hook-input.ts";
import fc from "../../support/fc.ts";

const event = {
  session_id: "s",
  transcript_path: "/l/s.jsonl",
  cwd: "/p",
  hook_event_name: "PreCompact",
  trigger: "auto",
  custom_instructions: "",
  permission_mode: "default",
};

describe("readHookInput()", () => {
  test("takes what matters of an event, and leaves the rest", () => {
    expect(readHookInput(JSON.stringify(event), "pre-compact")).toEqual({
      kind: "good",
      input: {
        agent: "claude",
        event: "pre-compact",
        sessionId: "s",
        log: "/l/s.jsonl",
        folder: "/p",
        source: undefined,
        trigger: "auto",
        summary: undefined,
      },
    });
  });

  test.each(claudeHookEvents)(
    "knows $name by its own name, whatever the command line says",
    ({ name, subcommand }) => {
      const read = readHookInput(JSON.stringify({ ...event, hook_event_name: name }), "pre-compact");
      expect(read).toMatchObject({ kind: "good", input: { event: subcommand } });
    },
  );

  test("goes by the command line where the event has no name", () => {
    const read = readHookInput(JSON.stringify({ transcript_path: "/l" }), "session-end");
    expect(read).toMatchObject({ kind: "good", input: { event: "session-end", log: "/l" } });
  });

  test.each([
    ["", "stdin is empty"],
    [" \n", "stdin is empty"],
    ["{", "not JSON"],
    ["[]", "not a JSON object"],
    ["null", "not a JSON object"],
    ['{"transcript_path":7}', "transcript_path is not a string"],
    ['{"session_id":{}}', "session_id is not a string"],
    ['{"hook_event_name":"Stop"}', 'unknown event "Stop"'],
  ])("refuses %j: %s", (text, what) => {
    expect(readHookInput(text, "pre-compact")).toEqual({ kind: "bad", what: expect.stringContaining(what) });
  });

  test("refuses an unknown event", () => {
    expect(readHookInput("{}", "tea-time")).toEqual({
      kind: "bad",
      what: 'unknown event "tea-time"',
    });
  });

  test("throws for no text at all", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(["good", "bad"]).toContain(readHookInput(text, "pre-compact").kind);
      }),
    );
  });
});
