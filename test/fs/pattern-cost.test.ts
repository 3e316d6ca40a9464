import { describe, expect, it } from "vitest";
import { patternCost } from "../../src/fs/pattern-cost.ts";

describe("patternCost()", () => {
  it.each([
    "(a+)+$",
    "([a-zA-Z]+)*$",
    "(a|a)*b",
    "(a|aa)+$",
    "(a|ab|b)*c",
    "(.*)*x",
    String.raw`(\w+\s?)+$`,
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(x+x+)+y",
    String.raw`(?:\d+|\d{2})+x`,
    "(a{1,30}){1,30}$",
    "(a?){30}a{30}",
    "b(?=(a+)+$)",
    String.raw`(?:(a)\1)*b`,
    "(\u0439|\u0439)*!",
    String.raw`([\u0430-\u044f]|[\u0430-\u044f])*!`,
  ])("knows that %s may run forever", (source) => {
    expect(patternCost(source)).toBe("endless");
  });

  it.each([
    "a*a*a*b",
    "(a+){4}$",
    String.raw`\S+:\S+@`,
    String.raw`https?://\S+:\S+@`,
    "password.*=.*x$",
    String.raw`(?:\w(?=\w*-))+!`,
  ])("knows that %s may take hours", (source) => {
    expect(patternCost(source)).toBe("slow");
  });

  it.each([
    "ACME-[0-9]{8}",
    String.raw`badge number: (\d+)`,
    String.raw`\bpin:\s*\d+`,
    String.raw`[\w-]+\.[\w-]+\.[\w-]+`,
    String.raw`\w+@\w+`,
    String.raw`[^\s:]+:[^\s@]+@`,
    ".*secret.*",
    "AKIA[0-9A-Z]{16}",
    String.raw`(?<=token=)\S+`,
    String.raw`("[^"]*"|\S+)`,
    String.raw`(?:foo|bar)-\w+`,
    String.raw`key\s*=\s*(\S+)`,
    "(?:[0-9a-f]{4}-){3}[0-9a-f]{4}",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    String.raw`-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----`,
    String.raw`(['"])secret\1`,
    String.raw`\p{L}+\d`,
    String.raw`(?:\w+\.)*internal\.example`,
    String.raw`employee (?:id|number):? ?([A-Z]{2}\d{4,10})`,
    "[A-Za-z0-9+/]{40,}={0,2}",
    String.raw`\s+$`,
    "(ab+)+c",
    String.raw`(?:\w+\s+)*secret`,
    "^.{1,100}$",
    String.raw`(?!x)\w+`,
    String.raw`key.{0,20}[:=].{0,20}\w+`,
    String.raw`[^@\s]+@[^@\s]+\.[a-z]{2,}`,
    String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}`,
  ])("has nothing against %s", (source) => {
    expect(patternCost(source)).toBe("fine");
  });
});
