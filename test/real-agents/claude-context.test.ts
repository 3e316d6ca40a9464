import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentHome, makeAgentHome } from "./support/agent-home.ts";
import { askClaude, linesOf, rest, saidByContext, saidIn, talkToClaude } from "./support/claude.ts";
import { isRecord } from "./support/fake-model.ts";

interface Ground {
  readonly home: AgentHome;
  readonly id: string;
  readonly log: string;
}

/** A session with calls of a tool, small enough to be kept whole in what is shown, large enough to be shrunk. */
async function setUp(): Promise<Ground> {
  const home = await makeAgentHome();
  home.model.rule(/count to (\d+)/, ({ asked }) => ({
    text: "Let me count.",
    call: {
      tool: "Bash",
      input: { command: `seq 1 ${/count to (\d+)/.exec(asked)?.[1]}`, description: "count" },
    },
  }));
  const { id, log } = await askClaude(home, "count to 400");
  for (const number of [401, 402]) await askClaude(home, `count to ${number}`, ["--resume", id]);
  rest(log);
  return { home, id, log };
}

/** Fails unless the next request of the real agent has exactly what `show --context` promised. */
async function expectSameContext(home: AgentHome, id: string, folder = home.project): Promise<string> {
  const promised = await saidByContext(home, id, { folder });
  const prompt = "what comes next?";
  const { log, requests } = await askClaude(home, prompt, ["--resume", id], { folder });
  const [first] = requests;
  if (first === undefined) throw new Error("the agent asked nothing");
  expect(saidIn(first)).toEqual([...promised, `user: ${prompt}`]);
  expect(promised.length).toBeGreaterThan(1);
  rest(log);
  return promised.join("\n");
}

describe("what `show --context` shows is what Claude Code sends", () => {
  test("before a compaction, after it, and after another", async () => {
    const { home, id, log } = await setUp();
    expect(await expectSameContext(home, id)).toContain("count to 400");
    await askClaude(home, "/compact", ["--resume", id]);
    rest(log);
    const compacted = await expectSameContext(home, id);
    expect(compacted).toContain("A summary by the model.");
    expect(compacted).not.toContain("user: count to 400");
    await askClaude(home, "count to 403", ["--resume", id]);
    await askClaude(home, "/compact", ["--resume", id]);
    rest(log);
    await expectSameContext(home, id);
  });

  test("after `compact`, which leaves what is sent besides the conversation as it was", async () => {
    const { home, id, log } = await setUp();
    const { requests } = await askClaude(home, "and before?", ["--resume", id]);
    rest(log);
    const answer = await home.json(["compact", id, "--keep", "1"]);
    expect(answer).toMatchObject({ shrunk: [{ tool: "Bash" }, { tool: "Bash" }], nothing: null });
    const { lines, bytes } = isRecord(answer.records) ? answer.records : {};
    expect(Number(lines)).toBeGreaterThan(4);
    expect(Number(bytes)).toBeGreaterThan(40_000);
    expect(statSync(log).size).toBe(answer.bytesAfter);

    const after = await askClaude(home, "and after?", ["--resume", id]);
    const { system, tools, model } = after.requests[0]?.body ?? {};
    const { system: system0, tools: tools0, model: model0 } = requests[0]?.body ?? {};
    expect({ system, tools, model }).toEqual({ system: system0, tools: tools0, model: model0 });
    // Nothing that was made small is written again.
    const added = linesOf(log).filter(({ type }) => type === "api-request-shape" || type === "attachment");
    const large = added.filter((line) => JSON.stringify(line).length > 20_000);
    expect(large.map(({ type }) => type)).toEqual(["attachment"]);
    rest(log);
    const text = await expectSameContext(home, id);
    expect(text.match(/\[output compacted\]/g)).toHaveLength(2);
  });

  test("after `flatten` and `unflatten`", async () => {
    const { home, id, log } = await setUp();
    const before = readFileSync(log);
    await home.json(["flatten", id]);
    expect(readFileSync(log).length).toBeLessThan(before.length);
    expect(await expectSameContext(home, id)).toContain("[FLATTENED id=");
    await home.json(["unflatten", id]);
    expect(readFileSync(log).subarray(0, before.length).equals(before)).toBe(true);
    expect(await expectSameContext(home, id)).not.toContain("[FLATTENED id=");
  });

  test("after `restore`", async () => {
    const { home, id, log } = await setUp();
    await home.json(["archive"]);
    rmSync(log);
    await home.json(["restore", id]);
    await expectSameContext(home, id);
  });

  test("in the copy that `compact --fork` makes, while the original stays", async () => {
    const { home, id, log } = await setUp();
    const before = readFileSync(log);
    const { fork } = await home.json(["compact", id, "--keep", "1", "--fork"]);
    const copy = String(isRecord(fork) ? fork.sessionId : "");
    expect(copy).not.toBe(id);
    rest(String(isRecord(fork) ? fork.source : ""));
    expect(await expectSameContext(home, copy)).toContain("[output compacted]");
    expect(readFileSync(log).equals(before)).toBe(true);
    expect(await expectSameContext(home, id)).not.toContain("[output compacted]");
  });

  test("with prompts that were typed while it worked", async () => {
    const home = await makeAgentHome();
    home.model.rule(/take your time/, () => ({
      call: { tool: "Bash", input: { command: "sleep 3" } },
    }));
    const talk = talkToClaude(home);
    talk.say("take your time");
    await talk.waitFor('"tool_use"');
    talk.say("typed ahead");
    await talk.waitFor('"queued_command"');
    await talk.waitFor("Answer number 2");
    const { id, log } = await talk.end("in order");
    rest(log);
    expect(await expectSameContext(home, id)).toContain("user: typed ahead");
  });

  test("without a prompt that was still waiting when it was killed, which is a turn nevertheless", async () => {
    const home = await makeAgentHome();
    home.model.rule(/take your time/, () => ({
      text: "I do.",
      call: { tool: "Bash", input: { command: "sleep 8; echo awake" } },
    }));
    const talk = talkToClaude(home);
    talk.say("take your time");
    await talk.waitFor('"tool_use"');
    talk.say("typed in vain");
    await talk.waitFor("typed in vain");
    const { id, log } = await talk.end("killed");
    rest(log);
    expect(await home.json(["show", id])).toMatchObject({
      requests: [{ text: "take your time" }, { text: "typed in vain", via: "queued" }],
    });
    const promised = await saidByContext(home, id);
    expect(promised.join("\n")).not.toContain("typed in vain");
    const { requests } = await askClaude(home, "go on", ["--resume", id]);
    const said = saidIn(requests[0] ?? expect.fail("the agent asked nothing"));
    expect(said.join("\n")).not.toContain("typed in vain");
    expect(said[0]).toBe(promised[0]);
  });

  test("in another project, after `restore --into`", async () => {
    const { home, id } = await setUp();
    await home.json(["archive"]);
    const elsewhere = join(home.home, "elsewhere");
    mkdirSync(elsewhere);
    await home.json(["restore", id, "--into", elsewhere]);
    await expectSameContext(home, id, elsewhere);
  });
});
