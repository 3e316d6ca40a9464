import { describe, expect, test } from "vitest";
import { escapeInline } from "../../../src/render/markdown/sanitize-markdown.ts";

describe("escapeInline()", () => {
  test.each([
    ["plain words", "plain words"],
    ["**bold** and *soft* and snake_case", "**bold** and *soft* and snake_case"],
    ["`Vec<String>` stays", "`Vec<String>` stays"],
    ["``a ` b <c>`` stays", "``a ` b <c>`` stays"],
    ["cd a && b | c", "cd a && b | c"],
    ["issue #12 and C# code", "issue #12 and C# code"],
    ["100% of it", "100% of it"],
    ["https://a.b/c#part?d=1&e=2", "https://a.b/c#part?d=1&e=2"],
  ])("leaves %j as it is", (line, escaped) => {
    expect(escapeInline(line)).toBe(escaped);
  });

  test.each([
    ["raw HTML", "a <img src=x> b", "a \\<img src=x> b"],
    ["a comment", "<!-- hidden", "\\<!-- hidden"],
    ["a link", "[a](javascript:alert(1))", "\\[a](javascript:alert(1))"],
    ["an image", "![x](http://t/x.png)", "!\\[x](http://t/x.png)"],
    ["a definition", "[a]: http://x", "\\[a]: http://x"],
    ["a wiki link", "[[note]]", "\\[\\[note]]"],
    ["a box", "[ ] todo", "\\[ ] todo"],
    ["a formula", "cost $5 or $$x$$", "cost \\$5 or \\$\\$x\\$\\$"],
    ["a tag", "see #topic (#12-b)", "see \\#topic (\\#12-b)"],
    ["a comment of notes programs", "a %% b %%% c", "a %\\% b %\\%\\% c"],
    ["an entity", "&lt; &#x202e; & &x", "\\&lt; \\&\\#x202e; & &x"],
    ["a lone backtick", "it`s <b>", "it\\`s \\<b>"],
    ["unequal backticks", "``a` <b>", "\\`\\`a\\` \\<b>"],
  ])("takes the power from %s", (_, line, escaped) => {
    expect(escapeInline(line)).toBe(escaped);
  });

  test.each([
    // A reader of addresses takes the backslash for a part of it, and the tag behind it would be free.
    ["a tag behind an address", "http://a.b/c<x>", "http://a.b/c&#60;x>"],
    ["an escaped tag behind an address", "http://a.b/c\\<x>", "http://a.b/c\\&#60;x>"],
    ["code behind an address", "http://a`<img>`", "http://a&#96;&#60;img>&#96;"],
    ["code behind a bare host", "www.a`<img>` `<b>`", "www.a&#96;&#60;img>&#96; `<b>`"],
    // A table is cut into cells first: the backticks of one cell can't close those of another.
    ["code around a pipe beside code with a tag", "`a | b` `<x>`", "\\`a | b` `\\<x>\\`"],
    ["code around a pipe alone", "`a | b` and `c`", "`a | b` and `c`"],
    ["the transcript's own escapes", "\\<b> \\` `<c>`", "\\<b> \\` `<c>`"],
    ["a backslash before code", "\\\\`<c>`", "\\\\`<c>`"],
  ])("is right for readers that disagree on %s", (_, line, escaped) => {
    expect(escapeInline(line)).toBe(escaped);
  });
});
