import { describe, expect, test } from "vitest";
import { applyChange, findHooks, type HookChange, undoChange } from "../../src/settings/settings-change.ts";

const change: HookChange = {
  kind: "hook",
  event: "Stop",
  command: "/bin/node",
  args: ["/a/dist/sessions.cjs", "hook", "stop"],
  timeoutSeconds: 9,
};
const ours = { type: "command", command: "/bin/node", args: change.args, timeout: 9 };
const other = { type: "command", command: "say hi" };
const with_ = (...groups: readonly unknown[]): string => JSON.stringify({ hooks: { Stop: groups } });

describe("a hook", () => {
  test.each<[string, string, string]>([
    ["no hooks at all", "{}", '{\n  "hooks": {\n    "Stop": [\n'],
    ["beside a group of others", with_({ hooks: [other] }), with_({ hooks: [other] }, { hooks: [ours] })],
    [
      "there already",
      with_({ matcher: "x", hooks: [other, ours] }),
      with_({ matcher: "x", hooks: [other, ours] }),
    ],
    [
      "of another place of the program",
      with_({ hooks: [other, { ...ours, args: ["/old/dist/sessions.js", "hook", "stop"] }] }),
      with_({ hooks: [other, ours] }),
    ],
  ])("is put where there is %s", (_, before, after) => {
    expect(applyChange(before, change).slice(0, after.length)).toBe(after);
    expect(applyChange(applyChange(before, change), change)).toBe(applyChange(before, change));
  });

  test.each<[string, string, string, string]>([
    ["its group and its lists go with it", with_({ hooks: [ours] }), "{}", "{}"],
    ["lists that were there before stay", with_({ hooks: [ours] }), with_(), with_()],
    [
      "a handler of others in its group stays",
      with_({ hooks: [ours, other] }),
      "{}",
      with_({ hooks: [other] }),
    ],
    [
      "several of ours go",
      with_({ hooks: [ours] }, { hooks: [other] }, { hooks: [ours] }),
      "{}",
      with_({ hooks: [other] }),
    ],
    ["where it is not there, nothing goes", with_({ hooks: [] }), "{}", with_({ hooks: [] })],
  ])("is taken out: %s", (_, before, original, after) => {
    expect(undoChange(before, change, original)).toBe(after);
  });

  test.each([
    ["another program with the same words", { ...ours, args: ["/x/other.js", "hook", "stop"] }],
    ["another hook of ours", { ...ours, args: ["/a/dist/sessions.cjs", "hook", "start"] }],
    ["the shell form that somebody wrote", { type: "command", command: "sessions hook stop" }],
    ["no handler", "sessions hook stop"],
  ])("is not mistaken for %s", (_, handler) => {
    expect(findHooks(with_({ hooks: [handler] }), change.event, "hook stop")).toEqual([]);
  });
});

describe("a value", () => {
  const days = { kind: "value", key: "cleanupPeriodDays", value: 99999, by: "install" } as const;

  test.each<[string, string, string, string]>([
    [
      "what stood there comes back",
      '{"cleanupPeriodDays":99999}',
      '{"cleanupPeriodDays":45}',
      '{"cleanupPeriodDays":45}',
    ],
    ["nothing stood there", '{"a":1,"cleanupPeriodDays":99999}', '{"a":1}', '{"a":1}'],
    ["somebody changed it since", '{"cleanupPeriodDays":60}', "{}", '{"cleanupPeriodDays":60}'],
  ])("is taken out: %s", (_, before, original, after) => {
    expect(undoChange(before, days, original)).toBe(after);
  });
});
