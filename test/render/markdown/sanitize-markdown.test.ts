import { describe, expect, test } from "vitest";
import { sanitizeMarkdown, verbatim } from "../../../src/render/markdown/sanitize-markdown.ts";
import fc from "../../support/fc.ts";
import { hostileText } from "../../support/hostile-session.ts";
import { readMarkdownLines } from "../../support/markdown-lines.ts";

const tame = (text: string): string => sanitizeMarkdown(text).join("\n");

describe("tameMarkdown()", () => {
  test.each([
    ["lists, emphasis and tables", "- a\n  - **b**\n1. c\n\n| a | b |\n|---|---|\n| 1 | 2 |"],
    ["quotes", "> a\n> > b"],
    ["code", "```ts\nconst a = b < c;\n# no heading\n```"],
    ["code in a list", "- a\n\n  ```sh\n  ls <x>\n  ```\n- b"],
  ])("leaves %s as they are", (_, text) => {
    expect(tame(text)).toBe(text);
  });

  test.each([
    ["a heading", "# Title #", "**Title**"],
    ["a heading among text", "a\n## B\nc", "a\n\n**B**\n\nc"],
    ["a heading in a quote", "> # x", "> **x**"],
    ["a heading in a list", "- # x", "- **x**"],
    ["a bare heading", "#", ""],
    ["rules", "---\n***\n_ _ _\n- - -", "\\---\n\\***\n\\_ _ _\n\\- - -"],
    ["underlines", "a\n===\nb\n-", "a\n\\===\nb\n\\-"],
    ["a rule in a list", "* ---", "* \\---"],
    ["a box", "- [ ] a", "- \\[ ] a"],
    ["HTML", "<details>\n</details>", "\\<details>\n\\</details>"],
    ["front matter", "---\ntitle: x\n---", "\\---\ntitle: x\n\\---"],
    ["code that stays open", "```\na", "```\na\n```"],
    ["code of another fence", "~~~js\n```\n~~~", "````js\n```\n````"],
    ["code with a long fence inside", "`````\n````\n`````", "`````\n````\n`````"],
    ["code right behind text", "a\n```\nb\n```", "a\n\n```\nb\n```"],
    ["code on the line of an item", "- ```\n  a\n  ```", "- ```\n  a\n  ```"],
    ["code that leaves its indent", "  ```\na\n    b\n  ```", "  ```\n  a\n    b\n  ```"],
    ["a fence within a quote", "> ```\n> <x>", "> \\`\\`\\`\n> \\<x>"],
    ["a language that is acted on", "```dataviewjs\nx\n```", "```text\nx\n```"],
    ["a language with markup", "```js onload=<x>\nx\n```", "```js\nx\n```"],
    ["deep quotes", "> ".repeat(10), `${">  ".repeat(8).replaceAll("  ", " ")}\\> > `],
  ])("tames %s", (_, text, expected) => {
    expect(tame(text)).toBe(expected);
  });

  test("keeps what was typed character by character, with its lines, where it is to be verbatim", () => {
    expect(sanitizeMarkdown("# a\nb  \n\nc", verbatim)).toEqual(["\\# a  ", "b  ", "", "c"]);
  });

  test("leaves every word findable: but for its escapes the text stays as it was", () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z<[$#]{1,6}$/), { maxLength: 12 })
      .map((list) => list.join(" "));
    fc.assert(
      fc.property(words, (text) => {
        const plain = sanitizeMarkdown(text, verbatim)
          .join("\n")
          .replace(/\\(?=[<[$#])/g, "");
        expect(plain).toBe(text.trim());
      }),
    );
  });

  test("never leaves a fence open, a heading, a rule or a tag, whatever it is given", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (text, isVerbatim) => {
        const lines = sanitizeMarkdown(text, isVerbatim ? verbatim : undefined);
        const { headings, rules, tags, links, isOpen } = readMarkdownLines(lines);
        expect({ headings, rules, tags, links, isOpen }).toEqual({
          headings: [],
          rules: [],
          tags: [],
          links: [],
          isOpen: false,
        });
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["list marks", "- "],
    ["rules", "-"],
    ["quotes", ">"],
    ["backticks", "`` ` ``` "],
    ["fences", "```\n"],
    ["spaces", " "],
    ["brackets", "["],
    ["addresses", "http://a`"],
    ["code with pipes", "`a | b` <c> `<d>` "],
  ])("goes through a line of many %s", (_, part) => {
    const lines = sanitizeMarkdown(`${part.repeat(Math.ceil(300_000 / part.length))}x`);
    expect(readMarkdownLines(lines).tags).toEqual([]);
  });
});
