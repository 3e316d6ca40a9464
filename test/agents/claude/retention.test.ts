import { describe, expect, test } from "vitest";
import {
  effectiveRetention,
  type LayerName,
  type SettingsLayer,
} from "../../../src/agents/claude/retention.ts";

const says = (name: LayerName, days: unknown): SettingsLayer => ({
  name,
  path: `/${name}`,
  content: { kind: "parsed", days },
});
const broken = (name: LayerName): SettingsLayer => ({
  name,
  path: `/${name}`,
  content: { kind: "broken", place: `/${name}:1:2`, what: "a value is missing" },
});

describe("effectiveRetention()", () => {
  test.each<[string, readonly SettingsLayer[], number, string]>([
    ["nothing says anything", [says("user", undefined)], 30, "default"],
    ["the user says", [says("user", 90)], 90, "/user"],
    ["user local before user", [says("user", 90), says("user-local", 8)], 8, "/user-local"],
    ["project before user", [says("user-local", 90), says("project", 7)], 7, "/project"],
    ["project local before project", [says("project", 7), says("project-local", 6)], 6, "/project-local"],
    ["command line before projects", [says("project-local", 6), says("command-line", 5)], 5, "/command-line"],
    ["managed before all", [says("command-line", 5), says("managed", 4)], 4, "/managed"],
    [
      "the first of two managed files",
      [says("managed", 3), { ...says("managed", 4), path: "/b" }],
      3,
      "/managed",
    ],
  ])("%s", (_, layers, days, from) => {
    for (const order of [layers, layers[0]?.name === layers[1]?.name ? layers : layers.toReversed()]) {
      expect(effectiveRetention(order)).toMatchObject({
        days,
        from,
        paused: undefined,
        managed: from === "/managed",
      });
    }
  });

  test.each([0, -1, 1.5, "30", null, 1e300])("%j is no number of days: the sweep is paused", (days) => {
    expect(effectiveRetention([says("user", days)])).toMatchObject({
      days: 30,
      from: "default",
      paused: { reason: "settings_invalid_key_set", place: "/user" },
    });
  });

  test("a file that can't be read pauses the sweep, but not against an administrator", () => {
    const paused = { reason: "settings_unknowable", place: "/project:1:2" };
    expect(effectiveRetention([broken("project"), says("user", 9)])).toMatchObject({ days: 9, paused });
    expect(effectiveRetention([broken("project"), says("managed", 9)]).paused).toBeUndefined();
  });
});
