import type { Session, Step, ToolCall, Turn } from "../../src/session/session.ts";
import fc from "./fc.ts";

/** What has broken readers of markdown, HTML, YAML or terminals before, to be put together in any order. */
const fragments: readonly string[] = [
  ...[
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "\r",
    "\u2028",
    "x",
    "word",
    "foo bar",
    "\\",
    "|",
    ":",
    "=",
    "-",
    "*",
    "**",
  ],
  ...[
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\n```\n",
    "\n~~~\n",
    "` `",
    "`<img>`",
    "_",
    "~~",
    "<",
    ">",
    "&",
    '"',
    "'",
  ],
  ...[
    "<img src=x onerror=alert(1)>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<?php",
    "<![CDATA[",
    "<!X",
    "]]>",
  ],
  ...[
    "<details>",
    "</details>",
    "</summary>",
    "<pre>",
    "</pre>",
    "</style>",
    "</title>",
    "\n<div>\n",
    "<x-evil>",
  ],
  ...[
    "[a](javascript:alert(1))",
    "[a]: javascript:alert(1)\n",
    "[a]",
    "[^1]: foo",
    "[^1]",
    "[[link]]",
    "![x](y)",
  ],
  ...[
    "<javascript:alert(1)>",
    "<a href='javascript:x'>",
    "[b](https://a.b/c)",
    "http://a.b/c",
    "www.x.y",
    "a@b.c",
  ],
  ...[
    "---",
    "\n---\n",
    "***",
    "___",
    "===",
    "\n===\n",
    "# x",
    "\n# x\n",
    "## y",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
  ],
  ...["| a | b |\n|---|---|\n| `x | y` |", "|---|", "$", "$$", "%%", "#tag", "&lt;", "&#x202e;", "&copy"],
  ...[
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\u202e",
    "\u2066",
    "\0",
    "\x9b",
    "\ud800",
    "\ufeff",
    "{",
    "}",
    "%",
    ">>>",
    "- - - ",
  ],
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.constantFrom(...fragments), { maxLength: 14 }).map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
);

const orNull = fc.option(hostileText, { nil: null });
const at = fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: null });
const context = fc.constantFrom(
  "current" as const,
  "compacted" as const,
  "branch" as const,
  "subagent" as const,
);
const place = { at, line: fc.constant(1), context };

const json = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<string> =>
  fc.record(shape).map((value) => JSON.stringify(value));
const input: fc.Arbitrary<string> = fc.oneof(
  hostileText,
  json({ file_path: hostileText, old_string: hostileText, new_string: hostileText }),
  json({ todos: fc.array(fc.record({ content: hostileText, status: hostileText }), { maxLength: 2 }) }),
  json({ description: hostileText, prompt: hostileText, odd: fc.jsonValue() }),
  json({ content: hostileText, path: hostileText }).map((text) => text.slice(0, 60)),
);

const call: fc.Arbitrary<ToolCall> = fc.record(
  {
    id: hostileText,
    name: hostileText,
    input,
    inputChars: fc.constant(9_999),
    files: fc.array(
      fc.record({ path: hostileText, mode: fc.constantFrom("read" as const, "write" as const) }),
      { maxLength: 2 },
    ),
    command: hostileText,
    plan: hostileText,
    agentId: hostileText,
    result: fc.record({
      isError: fc.boolean(),
      exitCode: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
      text: hostileText,
      chars: fc.constantFrom(5, 5_000),
      spilledTo: hostileText,
    }),
  },
  { requiredKeys: ["id", "name", "input", "inputChars", "files"] },
);

const about = ["command", "output", "interrupt", "meta", "system", "custom", "error"] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ ...place, kind: fc.constant("reply" as const), text: hostileText, isError: fc.boolean() }),
  fc.record({ ...place, kind: fc.constant("thinking" as const), text: hostileText, chars: fc.constant(7) }),
  fc.record({ ...place, kind: fc.constant("tool" as const), call }),
  fc.record({
    ...place,
    kind: fc.constant("summary" as const),
    of: fc.constantFrom("compaction" as const, "branch" as const),
    text: hostileText,
  }),
  fc.record({
    ...place,
    kind: fc.constant("note" as const),
    about: fc.constantFrom(...about),
    text: hostileText,
  }),
);
const steps = fc.array(step, { maxLength: 4 });

const turn: fc.Arbitrary<Omit<Turn, "number">> = fc.record(
  {
    ...place,
    uid: orNull,
    via: fc.constantFrom("typed" as const, "command" as const, "bash" as const, "queued" as const),
    request: fc.oneof(
      { weight: 5, arbitrary: hostileText },
      { weight: 1, arbitrary: hostileText.map((text) => `${text}\n`.repeat(120)) },
    ),
    copiedFrom: hostileText,
    steps,
  },
  { requiredKeys: ["uid", "at", "line", "context", "via", "request", "steps"] },
);

/** A session in which every text that can come out of a log is hostile. */
export const hostileSession: fc.Arbitrary<Session> = fc.record({
  agent: fc.constantFrom("claude" as const, "pi" as const, "claw" as const, "codex" as const),
  id: hostileText,
  project: orNull,
  branch: orNull,
  title: orNull,
  titleFrom: fc.constant("custom" as const),
  startedAt: at,
  endedAt: at,
  model: orNull,
  version: orNull,
  lineage: fc.option(fc.record({ kind: fc.constant("fork" as const), session: hostileText }), { nil: null }),
  continuedIn: orNull,
  preamble: steps,
  turns: fc
    .array(turn, { maxLength: 3 })
    .map((turns) => turns.map((each, index): Turn => ({ ...each, number: index + 1 }))),
  compactions: fc.array(
    fc.record({
      at,
      line: fc.constant(1),
      trigger: fc.constantFrom("manual" as const, "auto" as const, null),
      tokensBefore: fc.constantFrom(5, null),
      tokensAfter: fc.constantFrom(3, null),
      summary: orNull,
      keeps: fc.constant(null),
      afterTurn: fc.constantFrom(0, 1),
    }),
    { maxLength: 2 },
  ),
  subagents: fc.array(
    fc.record({
      id: hostileText,
      type: orNull,
      description: orNull,
      callId: orNull,
      turn: fc.constantFrom(1, null),
      prompt: orNull,
      steps,
      source: orNull,
    }),
    { maxLength: 1 },
  ),
  branches: fc.constant([]),
  labels: fc.array(fc.record({ text: hostileText, turn: fc.constant(1) }), { maxLength: 1 }),
  tags: fc.array(hostileText, { maxLength: 1 }),
  links: fc.array(hostileText, { maxLength: 1 }),
  work: fc.array(
    fc.record({ text: hostileText, status: fc.constantFrom("pending" as const, "in_progress" as const) }),
    { maxLength: 2 },
  ),
  counts: fc.constant({ user: 1, assistant: 1, tool: 1 }),
  characters: fc.constant({ toolResults: 1, toolInputs: 1, assistantText: 1, userText: 1 }),
  usage: fc.constant({
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    contextTokens: 0,
  }),
  lines: fc.constant(1),
  opaqueLines: fc.constant(0),
  problems: fc.constant([]),
});
