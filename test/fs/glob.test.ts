import { expect, test } from "vitest";
import { matchesPath, matchesProject } from "../../src/fs/glob.ts";
import fc from "../support/fc.ts";

test.each([
  ["auth.ts", "/w/src/auth.ts", true],
  ["auth.ts", "auth.ts", true],
  ["auth.ts", "/w/src/oauth.ts", false],
  ["src/auth.ts", "/w/src/auth.ts", true],
  ["src/auth.ts", "/w/src/x/auth.ts", false],
  ["/w/src/auth.ts", "/w/src/auth.ts", true],
  ["./src/auth.ts", "/w/src/auth.ts", true],
  ["src/*.ts", "/w/src/auth.ts", true],
  ["src/*.ts", "/w/src/deep/auth.ts", false],
  ["src/**/*.ts", "/w/src/deep/er/auth.ts", true],
  ["src/**/*.ts", "/w/src/auth.ts", true],
  ["/src/*.ts", "/w/src/auth.ts", false],
  ["**/deep/**", "/w/src/deep/auth.ts", true],
  ["a?th.ts", "/w/auth.ts", true],
  ["a?th.ts", "/w/ath.ts", false],
  ["*.{ts,tsx}", "/w/page.tsx", true],
  ["*.{ts,tsx}", "/w/page.js", false],
  ["{a,b}/{c,d}.md", "/w/b/d.md", true],
  ["a{b.md", "/w/a{b.md", true],
  // Capitals count where there are any.
  ["auth.ts", "/w/Auth.ts", true],
  ["Auth.ts", "/w/auth.ts", false],
  ["src\\auth.ts", "C:\\w\\src\\auth.ts", true],
  ["src/auth/", "/w/src/auth", true],
  ["*", "/w/猫", true],
  ["?", "/w/𠮷", true],
  ["", "/w/x", false],
])("matchesPath(%j, %j) is %s", (pattern, path, expected) => {
  expect(matchesPath(pattern, path)).toBe(expected);
});

test.each([
  ["sessions", "/work/sessions", true],
  ["sessions", "/work/sessions/", true],
  ["sessions", "/work/my-sessions", false],
  ["sessions", "/work/sessions/packages/cli", false],
  ["/work", "/work/sessions", true],
  ["/wor", "/work/sessions", false],
  ["work/*", "/work/sessions", true],
])("matchesProject(%j, %j) is %s", (pattern, path, expected) => {
  expect(matchesProject(pattern, path)).toBe(expected);
});

test("matchesPath() takes the path itself, its end and a glob of it, whatever it is", () => {
  const name = fc.stringMatching(/^[a-zA-Z0-9._-]{1,8}$/).filter((text) => text !== "." && text !== "..");
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.nat(5), (names, cut) => {
      const path = `/${names.join("/")}`;
      const end = names.slice(Math.min(cut, names.length - 1));
      expect(matchesPath(path, path)).toBe(true);
      expect(matchesPath(end.join("/"), path)).toBe(true);
      expect(matchesPath(end.map((part) => `${part.slice(0, 1)}*`).join("/"), path)).toBe(true);
      expect(matchesPath(`**/${names.at(-1)}`, path)).toBe(true);
    }),
  );
});

test("matchesPath() ends soon on patterns that are made to be slow", () => {
  // An engine that goes back to every star would take longer than the universe has.
  expect(matchesPath(`${"a*".repeat(200)}b`, `/${"a".repeat(4_000)}`)).toBe(false);
  expect(matchesPath(`${"**/a/".repeat(50)}b`, "/a".repeat(500))).toBe(false);
  expect(matchesPath("{a,b}".repeat(30), "/x")).toBe(false);
});
