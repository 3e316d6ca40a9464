import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { loadClaw } from "../support/claw-loader.ts";
import { makeWorld, type TestWorld } from "../support/make-world.ts";

const NOW = Date.UTC(2026, 10, 16, 12);
const ID = "session-1775400000000-0";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path, as a script would.
type Json = any;

/** Numbers and escapes as no writer of ours would spell them: they must stay. */
const ODD = '{"blocks":[{"text":"Odd \\u00e9 \\/ 12345678901234567890","type":"text"}],"role":"user"}';
const user = (text: string): string =>
  `{"blocks":[{"text":${JSON.stringify(text)},"type":"text"}],"role":"user"}`;
const call = (id: string, inputTokens = 10): string =>
  `{"blocks":[{"text":"Let me look.","type":"text"},{"id":"${id}","input":"{\\"path\\": \\"src/a.ts\\"}","name":"read_file","type":"tool_use"}],"role":"assistant","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":${inputTokens},"output_tokens":4}}`;
const result = (id: string, output: string): string =>
  `{"blocks":[{"is_error":false,"output":${JSON.stringify(output)},"tool_name":"read_file","tool_use_id":"${id}","type":"tool_result"}],"role":"tool"}`;

const messages = [
  user("Fix the parser in src/parse.rs"),
  call("t1"),
  result("t1", "x".repeat(50_000)),
  user("Next, write the tests"),
  call("t2"),
  result("t2", "found"),
  ODD,
  user("Thanks"),
];

const meta = `{"created_at_ms":1775400000000,"session_id":"${ID}","type":"session_meta","updated_at_ms":1775400000001,"version":1,"workspace_root":"/work/shop"}`;
const prompt = '{"text":"Fix the parser","timestamp_ms":1775400000005,"type":"prompt_history"}';

function linesForm(list: readonly string[]): string {
  const lines = list.map((message) => `{"message":${message},"type":"message"}`);
  return `${[meta, prompt, ...lines.slice(0, 3), prompt, ...lines.slice(3)].join("\n")}\n`;
}

function wholeForm(list: readonly string[]): string {
  return `{"messages":[${list.join(",")}],"session_id":"${ID}","version":1}`;
}

interface Ground {
  readonly world: TestWorld;
  readonly path: string;
  read(): string;
  ask(...argv: readonly string[]): Promise<{ code: number; out: string; err: string; json: Json }>;
}

function ground(log: string, ending: "json" | "jsonl", variables: Record<string, string> = {}): Ground {
  const world = makeWorld({ nowMs: NOW, variables });
  const folder = join(world.home, ".claw/sessions");
  fs.mkdirSync(folder, { recursive: true });
  const path = join(folder, `${ID}.${ending}`);
  fs.writeFileSync(path, log);
  fs.utimesSync(path, NOW / 1000 - 3_600, NOW / 1000 - 3_600);
  return {
    world,
    path,
    read: () => fs.readFileSync(path, "utf8"),
    async ask(...argv) {
      const from = { out: world.out().length, err: world.err().length };
      const code = await run(["compact", ID, ...argv], world);
      const out = world.out().slice(from.out);
      const json = argv.includes("--json") && code === 0 ? JSON.parse(out) : undefined;
      return { code, out, err: world.err().slice(from.err), json };
    },
  };
}

const forms = [
  ["lines", linesForm, "jsonl"],
  ["a whole file", wholeForm, "json"],
] as const;

describe.each(forms)("sessions compact, claw-code, %s", (_, form, ending) => {
  test("puts a summary in the place of old messages, in a log that claw-code loads", async () => {
    const { world, ask, read } = ground(form(messages), ending);
    const { code, json } = await ask("--json");
    expect(code).toBe(0);
    const loaded = loadClaw(read());
    // Four stay, and the call of the result that is the first of them.
    expect(loaded.messages).toHaveLength(5);
    expect(loaded.messages.slice(1)).toEqual(messages.slice(4).map((message) => JSON.parse(message)));
    expect(loaded.sessionId).toBe(ID);
    expect(loaded.compaction).toMatchObject({ count: 1, removed_message_count: 4 });
    expect(loaded.compaction?.summary).toContain(
      "- Scope: 4 earlier messages compacted (user=2, assistant=1, tool=1).\n- Tools mentioned: read_file.\n" +
        "- Recent user requests:\n  - Fix the parser in src/parse.rs\n  - Next, write the tests\n" +
        "- Pending work:\n  - Next, write the tests\n- Key files referenced: src/a.ts, src/parse.rs.\n" +
        "- Current work: Next, write the tests\n- Key timeline:\n",
    );
    const [first] = loaded.messages;
    expect(first.role).toBe("system");
    expect(first.blocks[0].text).toMatch(
      /^This session is being continued from a previous conversation that ran out of context\. .*\n\nSummary:\nConversation summary:\n/,
    );
    expect(first.blocks[0].text).toMatch(
      /\n\nRecent messages are preserved verbatim\.\nContinue the conversation from where it left off without asking the user any further questions\.$/,
    );
    const golden = JSON.stringify(json, undefined, 2).replaceAll(world.root, "/root");
    if (ending === "jsonl") await expect(`${golden}\n`).toMatchFileSnapshot("./golden/compact-claw.json");
  });

  test("copies what stays byte for byte", async () => {
    const { ask, read } = ground(form(messages), ending);
    await ask();
    for (const message of messages.slice(4)) expect(read()).toContain(message);
    for (const message of messages.slice(0, 4)) expect(read()).not.toContain(message);
    if (ending === "jsonl") expect(loadClaw(read()).prompts).toBe(2);
  });

  test("twice is once", async () => {
    const { ask, read } = ground(form(messages), ending);
    await ask();
    const once = read();
    expect((await ask()).out).toMatch(/^Nothing to do: /);
    expect(read()).toBe(once);
  });

  test("merges the summary of the compaction before", async () => {
    const { ask, read } = ground(form(messages), ending);
    await ask();
    expect((await ask("--preserve", "1", "--max-tokens", "0", "--force")).code).toBe(0);
    const { compaction, messages: left } = loadClaw(read());
    expect(compaction?.count).toBe(2);
    expect(left).toHaveLength(2);
    expect(compaction?.summary).toMatch(
      /user=2, assistant=1, tool=1[\s\S]*- Newly compacted context:\n {2}- Scope: 3 earlier/,
    );
    expect(left[0].blocks[0].text.match(/This session is being continued/g)).toHaveLength(1);
  });

  test("--auto goes by what was read in all, then removes whatever it can", async () => {
    const list = [user("a"), call("t", 60), result("t", "b"), user("c"), call("u", 40), result("u", "d")];
    const variables = (least: string): Record<string, string> => ({
      CLAUDE_CODE_AUTO_COMPACT_INPUT_TOKENS: least,
    });
    const waiting = ground(form(list), ending, variables("101"));
    expect((await waiting.ask("--auto")).out).toBe(
      "Nothing to do: it has read 100 tokens; the threshold is 101.\n",
    );
    expect(waiting.read()).toBe(form(list));
    const past = ground(form(list), ending, variables("100"));
    await past.ask("--auto");
    expect(loadClaw(past.read()).compaction?.removed_message_count).toBe(1);
    const unset = ground(form(list), ending, variables("soon"));
    expect((await unset.ask("--auto")).out).toContain("the threshold is 200000");
  });

  test("--fork leaves the log as it is and writes a session of its own", async () => {
    const { ask, read } = ground(form(messages), ending);
    const { json } = await ask("--fork", "--json");
    expect(read()).toBe(form(messages));
    const loaded = loadClaw(fs.readFileSync(json.fork.source, "utf8"));
    expect(loaded).toMatchObject({ sessionId: json.fork.sessionId, fork: { parent_session_id: ID } });
    expect(loaded.sessionId).not.toBe(ID);
    expect(loaded.messages).toHaveLength(5);
  });

  test("keeps nothing where nothing is to be preserved", async () => {
    const { ask, read } = ground(form(messages), ending);
    await ask("--preserve", "0");
    expect(loadClaw(read()).messages).toHaveLength(1);
  });

  test("writes no text that claw-code would cut", async () => {
    const long = Array.from({ length: 400 }, (_, at) => user(`Request ${at} ${"word ".repeat(40)}`));
    const { ask, read } = ground(form([...long, ...messages]), ending);
    await ask();
    const { compaction, messages: left } = loadClaw(read());
    expect(left[0].blocks[0].text.length).toBeLessThanOrEqual(16_384);
    expect(compaction?.summary.length).toBeLessThanOrEqual(16_384);
    expect(compaction?.summary).toMatch(/- Key timeline:\n {2}- … \d+ earlier messages …\n/);
    expect(compaction?.summary).toContain("  - user: Next, write the tests\n</summary>");
  });
});

describe("sessions compact, claw-code", () => {
  test("refuses a log that claw-code itself would not load", async () => {
    const { ask, read } = ground(`${linesForm(messages)}{"type":"message","mess`, "jsonl");
    const { code, err } = await ask();
    expect(code).toBe(4);
    expect(err).toContain("line 12 is not one that claw-code knows");
    expect(read()).toContain('{"type":"message","mess');
  });

  test("adds the record to a log without a header too", async () => {
    const { ask, path, read } = ground(linesForm(messages).split("\n").slice(1).join("\n"), "jsonl");
    expect((await ask()).code).toBe(0);
    expect(loadClaw(read()).compaction?.count).toBe(1);
    expect(fs.existsSync(path)).toBe(true);
  });
});

describe("what claw-code itself compacts away", () => {
  const summary = (text: string): string =>
    `{"blocks":[{"text":${JSON.stringify(text)},"type":"text"}],"role":"system"}`;
  const compaction =
    '{"count":1,"removed_message_count":6,"summary":"Conversation summary","type":"compaction"}';

  test.each(["before", "after"])("is found if it was archived, also if the index is %s it", async (when) => {
    const { world, path } = ground(linesForm([user("the wombat migration"), ...messages]), "jsonl");
    const search = async (words: string): Promise<string> => {
      const from = world.out().length;
      await run(["search", words, "-q"], world);
      return world.out().slice(from);
    };
    expect(await run(["archive"], world)).toBe(0);
    if (when === "after") expect(await search("wombat")).toBe(`${ID}\n`);
    const left = [
      summary("This session is being continued from a previous conversation."),
      ...messages.slice(-2),
    ];
    const lines = left.map((message) => `{"message":${message},"type":"message"}`);
    fs.writeFileSync(path, `${[meta, compaction, ...lines].join("\n")}\n`);
    expect(await search("wombat")).toBe(`${ID}\n`);
    await run(["archive"], world);
    await run(["index", "--rebuild"], world);
    expect(await search("wombat")).toBe(`${ID}\n`);
    expect(await search("Thanks")).toBe(`${ID}\n`);
  });
});
