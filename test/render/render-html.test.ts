import { describe, expect, test } from "vitest";
import { extractDigest } from "../../src/extract/extract-digest.ts";
import { pageStyle } from "../../src/render/html/page-style.ts";
import { htmlParts, renderHtml } from "../../src/render/html/render-html.ts";
import type { Session } from "../../src/session/session.ts";
import fc from "../support/fc.ts";
import { hostileSession } from "../support/hostile-session.ts";
import { plainSession, reply, toolCall } from "../support/plain-session.ts";
import { type HtmlElement, readStrictHtml } from "../support/strict-html.ts";

const render = (session: Session): string =>
  renderHtml(session, extractDigest(session), { resume: "claude -r" });

/** Every element that a page may have, with the attributes that it may have. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  html: ["lang"],
  head: [],
  title: [],
  style: [],
  body: [],
  main: [],
  header: [],
  nav: ["aria-label"],
  meta: ["charset", "name", "content", "http-equiv"],
  section: ["id"],
  article: ["class", "id"],
  time: ["datetime"],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  p: ["class"],
  div: ["class"],
  span: ["class"],
  hr: [],
  br: [],
  blockquote: [],
  ul: ["class"],
  ol: ["start"],
  li: ["class", "id", "title"],
  dl: [],
  dt: [],
  dd: [],
  pre: [],
  code: [],
  table: ["class"],
  thead: [],
  tbody: [],
  tr: [],
  th: [],
  td: ["class"],
  strong: [],
  em: [],
  del: [],
  b: [],
  a: ["href", "class", "rel"],
  details: ["class"],
  summary: [],
};

function judge({ name, attributes }: HtmlElement): readonly string[] {
  const known = Object.hasOwn(allowed, name) ? (allowed[name] ?? []) : undefined;
  if (known === undefined) return [`<${name}>`];
  const faults = Object.keys(attributes).filter((key) => !known.includes(key));
  const { href, class: classes = "" } = attributes;
  if (href !== undefined && !/^(?:#[a-z]+-\d+$|https?:\/\/[^/])/.test(href)) faults.push(`href ${href}`);
  if (!/^[a-z -]*$/.test(classes)) faults.push(`class ${classes}`);
  return faults.map((fault) => `<${name}> ${fault}`);
}

describe("renderHtml()", () => {
  test("has only the elements of the page itself, whatever a session holds", () => {
    fc.assert(
      fc.property(hostileSession, (session) => {
        const { elements, style } = readStrictHtml(render(session));
        expect(elements.flatMap(judge)).toEqual([]);
        expect(style.trim()).toBe(pageStyle.html);
        const count = (name: string, id?: RegExp): number =>
          elements.filter(
            (each) => each.name === name && (id === undefined || id.test(each.attributes.id ?? "")),
          ).length;
        expect([count("h1"), count("title"), count("main"), count("style")]).toEqual([1, 1, 1, 1]);
        expect(count("article", /^turn-\d+$/)).toBe(session.turns.length);
        expect(count("article", /^subagent-\d+$/)).toBe(session.subagents.length);
      }),
      { numRuns: 300 },
    );
  });

  test("links to the list of a site if it is part of one, and to nothing else", () => {
    const session = plainSession({ turns: [{ request: "x" }] });
    const page = renderHtml(session, extractDigest(session), { resume: "r", list: "../index.html" });
    expect(page).toContain('<a class="back" href="../index.html">All sessions</a>\n<header>');
    expect(render(session)).not.toContain("All sessions");
  });

  test("a heading is smaller on a narrow screen", () => {
    expect(pageStyle.html).toMatch(
      /h1 \{ font-size: 1\.9rem[\s\S]*@media \(max-width: 40rem\) \{[\s\S]*?h1 \{ font-size: 1\.35rem/,
    );
  });

  test("loads nothing and runs nothing", () => {
    const page = render(
      plainSession({ turns: [{ request: "x", steps: [reply("![a](https://a.b/c.png)")] }] }),
    );
    const { elements, style } = readStrictHtml(page);
    const policy = elements.find(({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy");
    expect(policy?.attributes.content).toContain(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    );
    expect(style).not.toMatch(/url\(|@import/);
    expect(elements.map(({ name }) => name)).not.toContain("img");
  });

  test("is the same for the same session, in parts as in one", () => {
    fc.assert(
      fc.property(hostileSession, (session) => {
        const page = render(session);
        expect(render(structuredClone(session))).toBe(page);
        const parts = htmlParts(session, extractDigest(session), { resume: "claude -r" });
        expect([...parts].join("")).toBe(page);
      }),
      { numRuns: 30 },
    );
  });

  test("shows the title, every request as a link, and every turn under its anchor", () => {
    const page = render(
      plainSession({
        title: "Fix <b> & co",
        turns: [{ request: "first thing" }, { request: "second thing", context: "compacted" }],
      }),
    );
    const { elements, text } = readStrictHtml(page);
    expect(text).toContain("Fix <b> & co");
    const links = elements.flatMap(({ name, attributes }) => (name === "a" ? [attributes.href] : []));
    expect(links).toEqual(expect.arrayContaining(["#turn-1", "#turn-2"]));
    expect(page).toMatch(/<article class="turn compacted" id="turn-2">/);
    expect(text).toContain("compacted away");
  });

  test("shows replies as the markdown that they are", () => {
    const said =
      "## Plan\n\n1. **bold** and `code <T>`\n   - nested\n2. *soft*\n\n| a | b |\n|---|---|\n| 1 | `x | y` |\n\n```ts\nconst a = 1 < 2;\n```\n\n> quoted\n\nsee [docs](https://a.b/c?d=1&e=2) and https://f.g/h.";
    const page = render(plainSession({ turns: [{ request: "x", steps: [reply(said)] }] }));
    for (const part of [
      "<h5>Plan</h5>",
      "<ol><li><strong>bold</strong> and <code>code &lt;T&gt;</code><ul><li>nested</li></ul></li><li><em>soft</em></li></ol>",
      "<th>a</th><th>b</th>",
      "<td>1</td><td><code>x | y</code></td>",
      "<pre><code>const a = 1 &lt; 2;</code></pre>",
      "<blockquote><p>quoted</p>\n</blockquote>",
      '<a href="https://a.b/c?d=1&amp;e=2" rel="noopener noreferrer nofollow">docs</a>',
      '<a href="https://f.g/h" rel="noopener noreferrer nofollow">https://f.g/h</a>.',
    ])
      expect(page).toContain(part);
  });

  test.each([
    ["[a](javascript:alert(1))"],
    ["[a](JaVaScRiPt:alert(1))"],
    ["[a](data:text/html,x)"],
    ["[a](vbscript:x)"],
    ["<javascript:alert(1)>"],
    ["[a]: javascript:x\n\n[a]"],
    ["[a](//evil.example)"],
    ["https://"],
    ["<a href='javascript:alert(1)'>a</a>"],
    ["[a](<javascript:alert(1)>)"],
    ["[a](java&#115;cript:alert(1))"],
    ["[a](&#x6A;avascript:alert(1))"],
    ["[a](\\tjavascript:alert(1))"],
    ["[a](file:///etc/passwd)"],
    ["[a](/etc/passwd)"],
    ["[a](#turn-1)"],
    ["![a](javascript:alert(1))"],
    ["![a](data:image/svg+xml;base64,PHN2Zz4=)"],
    ["ftp://a.b/c"],
    ["mailto:ana@example.com"],
    ["ana@example.com"],
  ])("makes no link of %j", (said) => {
    const { elements, text } = readStrictHtml(
      render(plainSession({ turns: [{ request: "x", steps: [reply(said)] }] })),
    );
    expect(elements.filter(({ name }) => name === "a").map(({ attributes }) => attributes.href)).toEqual([
      "#turn-1",
    ]);
    expect(text).toContain("x");
  });

  test.each([
    ['[a](https://x.y" onclick="z)'],
    ["[a](https://x.y' onclick='z)"],
    ['[a](https://x.y "title\\" onclick=\\"z")'],
    ['https://x.y"onclick="z'],
    ['![a" onerror="z](https://x.y/a.png)'],
    ['![a](https://x.y/a.png "b" onload="z")'],
  ])("lets no address end its attribute: %j", (said) => {
    const { elements } = readStrictHtml(
      render(plainSession({ turns: [{ request: "x", steps: [reply(said)] }] })),
    );
    expect(elements.flatMap(judge)).toEqual([]);
    expect(
      elements.flatMap(({ name, attributes }) => (name === "a" ? Object.keys(attributes) : [])),
    ).not.toContain("onclick");
  });

  test("shows raw HTML as text, and the markdown around and inside it", () => {
    const said =
      "<div onclick=x>\n**bold**\n</div>\n\nan <b>inline</b> Map<string, T[]> <!-- note --> &lt;\n\n<script>alert(1)</script>\n\n" +
      "<iframe src=https://a.b></iframe> <img src=x onerror=y> <https://c.d/e>\n\n<style>\n\np { color: red }\n\n</style>";
    const { elements, text } = readStrictHtml(
      render(plainSession({ turns: [{ request: "x", steps: [reply(said)] }] })),
    );
    expect(elements.flatMap(judge)).toEqual([]);
    for (const part of [
      "<div onclick=x>",
      "</div>",
      "<b>inline</b> Map<string, T[]> <!-- note --> &lt;",
      "<script>alert(1)</script>",
      "<iframe src=https://a.b></iframe> <img src=x onerror=y>",
      "<style>",
      "p { color: red }",
    ])
      expect(text).toContain(part);
    const inReply = elements.map(({ name }) => name);
    expect(inReply).toContain("strong");
    expect(elements.filter(({ name }) => name === "a").map(({ attributes }) => attributes.href)).toContain(
      "https://c.d/e",
    );
  });

  test("shows an image as a link to it", () => {
    const page = render(
      plainSession({ turns: [{ request: "x", steps: [reply("![a chart](https://a.b/c.png)")] }] }),
    );
    expect(page).toContain('<a href="https://a.b/c.png" rel="noopener noreferrer nofollow">a chart</a>');
  });

  test("folds tool calls below a line that says what came of them", () => {
    const steps = [
      toolCall({ name: "Bash", command: "npm test && npm run build", exitCode: 1, output: "1 failed" }),
      toolCall({
        name: "Edit",
        input: { file_path: "/p/a.ts", old_string: "a\nb\nc", new_string: "a\nB\nc" },
        files: [{ path: "/p/a.ts", mode: "write" }],
      }),
    ];
    const page = render(plainSession({ project: "/p", turns: [{ request: "x", steps }] }));
    expect(page).toContain(
      '<details class="call failed"><summary><span class="state">✗</span> <b>Bash</b> <code>npm test &amp;&amp; npm run build</code> <span class="outcome">exit 1</span></summary>',
    );
    expect(page).toContain("<b>Edit</b> <code>a.ts</code></summary>");
    expect(page).toContain('<span class="removed">-b</span>\n<span class="added">+B</span>');
    expect(page).toContain("<pre><code>1 failed</code></pre>");
  });

  test("keeps the lines of a request as they were typed", () => {
    const request = "first\n  second <x>\n\n```js\nlet a;\n```\nthird `code`";
    const page = render(plainSession({ turns: [{ request }] }));
    expect(page).toContain(
      '<p class="typed">first\n  second &lt;x&gt;</p>\n<pre><code>let a;</code></pre>\n<p class="typed">third <code>code</code></p>',
    );
  });

  test("leaves out what is not there", () => {
    const page = render(plainSession({ title: null, turns: [] }));
    for (const id of [
      "summary",
      "decisions",
      "files",
      "commands",
      "pending",
      "compactions",
      "conversation",
      "subagents",
    ])
      expect(page).not.toContain(`id="${id}"`);
    expect(page).toContain("<h1>Session 0b8ec0de</h1>");
  });

  test.each([
    ["marks", "*a **b "],
    ["lists", "- "],
    ["quotes", "> "],
    ["fences", "```\n"],
    ["backticks", "`` ` ``` "],
    ["pipes", "| a\n|-|\n"],
    ["empty lines in a list", "- a\n\n\n"],
    ["brackets", "["],
    ["addresses", "https://a"],
    ["addresses with brackets", "https://a.b/(((("],
    ["numbered items", "1. "],
    ["quoted items", "> - "],
    ["tags", "<a "],
    ["images", "!["],
    ["nested items", "- a\n  "],
    ["strike-through", "~~a ~"],
  ])("goes through a flood of %s", (_, part) => {
    for (const chars of [49_000, 200_000]) {
      const text = part.repeat(chars / part.length);
      const page = render(plainSession({ turns: [{ request: text, steps: [reply(text)] }] }));
      expect(readStrictHtml(page).elements.flatMap(judge)).toEqual([]);
    }
  });
});
