import { describe, expect, test } from "vitest";
import { extractDigest } from "../../../src/extract/extract-digest.ts";
import { markdownParts, renderMarkdown } from "../../../src/render/markdown/render-markdown.ts";
import type { Session } from "../../../src/session/session.ts";
import fc from "../../support/fc.ts";
import { hostileSession } from "../../support/hostile-session.ts";
import { readMarkdownLines } from "../../support/markdown-lines.ts";
import { plainSession, reply, thinking, toolCall } from "../../support/plain-session.ts";

const meta = { sha256: "ab".repeat(32), resume: "claude --resume 0b8ec0de", sources: ["/logs/a.jsonl"] };
const render = (session: Session): string => renderMarkdown(session, extractDigest(session), meta);

/** The front matter as a strict reader of YAML has it: every value JSON, as YAML allows; and the lines behind it. */
function read(markdown: string): {
  readonly front: ReadonlyMap<string, unknown>;
  readonly body: readonly string[];
} {
  const lines = markdown.split("\n");
  const end = lines.indexOf("---", 1);
  expect(lines[0]).toBe("---");
  const front = new Map<string, unknown>();
  let list: unknown[] = [];
  for (const line of lines.slice(1, end)) {
    const [, item, key = "", value = ""] = /^(?: {2}- (.+)|([a-z0-9_]+):(?: (.+))?)$/.exec(line) ?? [];
    if (item !== undefined) list.push(JSON.parse(item));
    else {
      expect(key, line).not.toBe("");
      if (value === "") list = [];
      front.set(key, value === "" ? list : JSON.parse(value));
    }
  }
  return { front, body: lines.slice(end + 1) };
}

const sections = [
  "Summary",
  "Requests",
  "Decisions",
  "Files",
  "Commands",
  "Pending",
  "Compactions",
  "Conversation",
  "Sub-agents",
];

describe("renderMarkdown()", () => {
  test("keeps its structure, whatever a session holds", () => {
    fc.assert(
      fc.property(hostileSession, (session) => {
        const { front, body } = read(render(session));
        expect(front.get("agent")).toBe(session.agent);
        expect(front.get("turns")).toBe(session.turns.length);
        const { headings, rules, tags, links, isOpen } = readMarkdownLines(body);
        expect([rules, isOpen]).toEqual([[], false]);
        const found = headings.map((line) => line.replace(/^(### Turn \d+|### Sub-agent \d+|# ).*$/, "$1"));
        expect(found[0]).toBe("# ");
        expect(found.filter((line) => line.startsWith("## ")).map((line) => line.slice(3))).toEqual(
          sections.filter((section) => found.includes(`## ${section}`)),
        );
        const below = found.filter(
          (line) => line.startsWith("### ") && line !== "### Before the first request",
        );
        expect(below).toEqual([
          ...session.turns.map(({ number }) => `### Turn ${number}`),
          ...session.subagents.map((_, index) => `### Sub-agent ${index + 1}`),
        ]);
        expect(found).toHaveLength(1 + found.filter((line) => line.startsWith("##")).length);
        for (const tag of tags) expect(tag).toMatch(/^<\/?(?:details|summary|b|code)>$/);
        for (const link of links) expect(link).toMatch(/^\(#[^)\s]*\)$/);
      }),
      { numRuns: 300 },
    );
  });

  test("has nothing in its front matter that a reader without YAML would run or load", () => {
    const title = "Fix <img src=x onerror=alert(1)> ![x](http://a.example/b) [c](javascript:d) in [id].ts";
    const markdown = render({ ...plainSession({ turns: [] }), title });
    const front = markdown.slice(0, markdown.indexOf("\n---", 3));
    expect(front).not.toMatch(/<\w|!\[|\]\(/);
    expect(read(markdown).front.get("title")).toBe(title);
    fc.assert(
      fc.property(hostileSession, (session) => {
        const text = render(session);
        expect(text.slice(0, text.indexOf("\n---\n", 3))).not.toMatch(/[<>]/);
      }),
      { numRuns: 100 },
    );
  });

  test("opens and closes its folds in pairs, each on lines of its own", () => {
    fc.assert(
      fc.property(hostileSession, (session) => {
        let fence = "";
        let open = 0;
        for (const line of render(session).split("\n")) {
          const run = /^(`{3,})[a-z+]*$/.exec(line)?.[1];
          if (fence !== "") fence = line === fence ? "" : fence;
          else if (run !== undefined) fence = run;
          else if (/^<details><summary>.*<\/summary><\/details>$/.test(line)) expect(open).toBe(0);
          else if (/^<details><summary>.*<\/summary>$/.test(line)) expect(++open).toBe(1);
          else if (line === "</details>") expect(--open).toBe(0);
        }
        expect([open, fence]).toEqual([0, ""]);
      }),
      { numRuns: 100 },
    );
  });

  test("holds nothing that acts on a terminal, and is the same each time, in parts as in one", () => {
    fc.assert(
      fc.property(hostileSession, (session) => {
        const text = render(session);
        expect(text).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\p{Surrogate}]/u);
        expect(render(structuredClone(session))).toBe(text);
        expect([...markdownParts(session, extractDigest(session), meta)].join("")).toBe(text);
        expect(text).toMatch(/[^\n]\n$/);
      }),
      { numRuns: 100 },
    );
  });

  test("says in its front matter what the session was, for programs", () => {
    const session = plainSession({
      title: 'A "quoted": title # no comment',
      lineage: { kind: "fork", session: "parent-id" },
      turns: [
        {
          request: "x",
          steps: [toolCall({ name: "Edit", files: [{ path: "/home/ana/shop/a.ts", mode: "write" }] })],
        },
      ],
    });
    const { front } = read(render(session));
    expect(Object.fromEntries(front)).toEqual({
      id: "0b8ec0de",
      agent: "claude",
      title: 'A "quoted": title # no comment',
      project: "/home/ana/shop",
      branch: "main",
      started: "2026-10-12T14:05:00.000Z",
      ended: "2026-10-12T16:20:00.000Z",
      model: "model-1",
      version: "1.2.3",
      parent: "parent-id",
      parent_kind: "fork",
      turns: 1,
      messages: 2,
      compactions: 0,
      subagents: 0,
      tools: ["Edit"],
      files: ["a.ts"],
      sources: ["/logs/a.jsonl"],
      sha256: meta.sha256,
      resume: meta.resume,
    });
  });

  test("leaves out sections that would be empty", () => {
    const text = render(plainSession({ turns: [] }));
    expect(text).not.toMatch(/^##/m);
    expect(text).toContain("# A title\n");
  });

  test("has a request verbatim in its section, linked to its turn", () => {
    const request = "Fix the *token* refresh\n\n    indented\n\nin src/auth.ts";
    const text = render(plainSession({ turns: [{ request }] }));
    expect(text).toContain(
      "**[1](#turn-1-fix-the-token-refresh-indented-in-srcauthts)** · 2026-10-12 14:05\n\n" +
        "> Fix the *token* refresh\n>\n>     indented\n>\n> in src/auth.ts\n",
    );
    expect(text).toContain("### Turn 1: Fix the *token* refresh indented in src/auth.ts\n");
  });

  test("cuts a long request in the conversation and says where it is whole", () => {
    const request = `${"word ".repeat(400)}finis`;
    const text = render(plainSession({ turns: [{ request }] }));
    expect(text.split("finis")).toHaveLength(2);
    expect(text).toContain("*The whole request is under [Requests](#requests), number 1.*");
  });

  test("has a line for each tool call, with what is folded below it", () => {
    const steps = [
      toolCall({ name: "Bash", command: "npm test && ls <x>", exitCode: 1, output: "1 failed\n```" }),
      toolCall({
        name: "Read",
        input: { file_path: "/home/ana/shop/a.ts" },
        files: [{ path: "/home/ana/shop/a.ts", mode: "read" }],
      }),
      toolCall({ name: "Grep", input: { pattern: "x" }, unanswered: true }),
      thinking("hmm\n# so"),
      reply("Done."),
    ];
    const text = render(plainSession({ turns: [{ request: "x", steps }] }));
    expect(text.slice(text.indexOf("> x\n\n<details>"))).toBe(
      [
        "> x",
        "<details><summary>✗ <b>Bash</b> <code>npm test && ls &lt;x></code> · exit 1</summary>",
        "````text\n1 failed\n```\n````",
        "</details>",
        "<details><summary>✓ <b>Read</b> <code>a.ts</code></summary></details>",
        "<details><summary>· <b>Grep</b> <code>x</code> · no result</summary></details>",
        "<details><summary>Thinking · 8 characters</summary>",
        "> hmm\n>\n> **so**",
        "</details>",
        "Done.\n",
      ].join("\n\n"),
    );
  });

  test("has commands with their exit status, files with how often, and open work as boxes", () => {
    const steps = [
      toolCall({ id: "1", name: "Bash", command: "npm test | tee log", exitCode: 0 }),
      toolCall({ id: "2", name: "Bash", command: "cat <<E\nx\nE", exitCode: 2 }),
      toolCall({
        id: "3",
        name: "Write",
        input: {},
        files: [{ path: "/home/ana/shop/a|b.ts", mode: "write" }],
      }),
    ];
    const work = [
      { text: "Write [docs]", status: "in_progress" as const },
      { text: "Ship it", status: "pending" as const },
    ];
    const text = render(plainSession({ work, turns: [{ request: "x", steps }] }));
    expect(text).toContain("- ✓ `npm test | tee log` (turn 1)\n- ✗ exit 2 `cat <<E ⏎ x ⏎ E` (turn 1)\n");
    expect(text).toContain("| written | read | file |\n|---:|---:|---|\n| 1 | 0 | `a\\|b.ts` |\n");
    expect(text).toContain("- [ ] Write \\[docs] (in progress)\n- [ ] Ship it\n");
  });

  test("reports compactions: when, why, how much, and what they said", () => {
    const compaction = {
      at: Date.UTC(2026, 9, 12, 15),
      line: 3,
      keeps: null,
      afterTurn: 1,
      trigger: "auto" as const,
      tokensBefore: 155_000,
      tokensAfter: 12_000,
      summary: "This session is being continued.\n\nAnalysis:\nlong\n\nSummary:\n1. Do it",
    };
    const step = {
      kind: "summary",
      of: "compaction",
      text: compaction.summary,
      at: null,
      line: 3,
      context: "current",
    } as const;
    const text = render(
      plainSession({
        compactions: [compaction],
        turns: [{ request: "x", context: "compacted", steps: [step] }],
      }),
    );
    expect(text).toContain(
      "**Compaction 1:** 2026-10-12 15:00 UTC, automatic, after turn 1, 155,000 → 12,000 tokens\n",
    );
    expect(text).toContain("## Summary\n\n**Last said:** x\n\n1. Do it\n");
    expect(text).toContain("<details><summary>What it said</summary>\n\nThis session is being continued.");
    expect(text).toContain("*2026-10-12 14:05 UTC · compacted away*\n");
    expect(text).toContain(
      "*From here: in the current context*\n\n**Compacted here.** See [Compactions](#compactions).\n",
    );
  });
});
