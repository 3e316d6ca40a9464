import { describe, expect, test } from "vitest";
import { sessionIdAt, sessionIdOfPath } from "../../src/agents/session-id.ts";

describe("sessionIdAt()", () => {
  test.each<[unknown, string | undefined]>([
    ["0196a1b2-3c4d-7e5f-8a6b-000000000001", "0196a1b2-3c4d-7e5f-8a6b-000000000001"],
    ["session-1775386832313-0", "session-1775386832313-0"],
    ["my_id.2", "my_id.2"],
    ["x", "x"],
    ["", undefined],
    ["../../etc/passwd", undefined],
    ["..", undefined],
    ["a/b", undefined],
    ["-rf", undefined],
    ["a b", undefined],
    ["a\nb", undefined],
    ["a".repeat(128), "a".repeat(128)],
    ["a".repeat(129), undefined],
    [7, undefined],
    [undefined, undefined],
  ])("takes %j for %j", (id, expected) => {
    expect(sessionIdAt({ id }, "id")).toBe(expected);
  });
});

describe("sessionIdOfPath()", () => {
  test.each<[string, string]>([
    ["/a/session-1774998936453.json", "session-1774998936453"],
    ["/a/rollout-2026-01-01T00-00-00-None.jsonl", "rollout-2026-01-01T00-00-00-None"],
    ["/logs/--home-x--/input.jsonl", "home-x---input"],
    ["/logs/cleanup/input.jsonl.jsonl", "cleanup-input"],
    ["C:\\logs\\shop\\session.jsonl", "shop-session"],
    ["/a/[trimmed for] 2026-01-01.jsonl", "trimmed-for-2026-01-01"],
    [".jsonl", "unnamed"],
  ])("names %s %s", (path, id) => {
    expect(sessionIdOfPath(path)).toBe(id);
    expect(sessionIdAt({ id }, "id")).toBe(id);
  });

  test("keeps files of one name in two folders apart", () => {
    expect(sessionIdOfPath("/logs/a/input.jsonl")).not.toBe(sessionIdOfPath("/logs/b/input.jsonl"));
  });
});
