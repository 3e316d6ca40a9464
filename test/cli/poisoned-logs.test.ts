import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import fc from "../support/fc.ts";
import { makePoisonWorld, type PoisonWorld } from "../support/poison/every-command.ts";
import { exercise } from "../support/poison/exercise.ts";
import { deepList, deepObject } from "../support/poison/hostile-values.ts";
import type { FixtureAgent } from "../support/poison/poison-log.ts";
import {
  agents,
  type HomeEntry,
  healthy,
  healthyEntries,
  idNumber,
  logPath,
  makeEntries,
  poisonedHome,
} from "../support/poison/poisoned-home.ts";

const { POISON_RUNS: given } = process.env;
const RUNS = given === undefined ? 1 : Number(given);
const SESSIONS = 30;

test(
  "logs with anything in them stop no command, and healthy ones beside them are found and kept",
  async () => {
    await fc.assert(
      fc.asyncProperty(poisonedHome(SESSIONS), async (entries) => {
        expect(await exercise(entries, { everyNth: given === undefined ? 20 : 5 })).toEqual([]);
      }),
      // A smaller home that fails takes hours to be found: the first one is told.
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  24 * 3_600_000,
);

/** One poisoned log, of the agent that is named, beside healthy ones. */
function worldWith(...entries: readonly HomeEntry[]): PoisonWorld {
  const made = makePoisonWorld();
  makeEntries(made.world.home, [...healthyEntries(), ...entries]);
  return made;
}

const ID = idNumber(1);
const AT = "2026-10-20T08:00:00.000Z";

interface LogOf {
  readonly cwd?: string;
  readonly at?: string;
  /** What a tool was given. */
  readonly input?: string;
}

/** A small log of every agent, with JSON of the test's choice in it. */
function logOf(
  agent: FixtureAgent,
  { cwd = '"/home/ana/bad"', at = `"${AT}"`, input = '{"x":1}' }: LogOf,
  id: string = ID,
): HomeEntry {
  const lines: Readonly<Record<FixtureAgent, readonly string[]>> = {
    claude: [
      `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"${id}","cwd":${cwd},"timestamp":${at},"message":{"role":"user","content":"Feed the poison"}}`,
      `{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"${id}","cwd":${cwd},"timestamp":${at},"message":{"role":"assistant","id":"m1","content":[{"type":"tool_use","id":"toolu_1","name":"Feed","input":${input}}]}}`,
      `{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"${id}","cwd":${cwd},"timestamp":${at},"toolUseResult":${input},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":${input}}]}}`,
    ],
    pi: [
      `{"type":"session","version":3,"id":"${id}","timestamp":${at},"cwd":${cwd}}`,
      `{"type":"message","id":"u1","parentId":null,"timestamp":${at},"message":{"role":"user","content":[{"type":"text","text":"Feed the poison"}],"timestamp":${at}}}`,
      `{"type":"message","id":"u2","parentId":"u1","timestamp":${at},"message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_1","name":"feed","arguments":${input}}]}}`,
      `{"type":"message","id":"u3","parentId":"u2","timestamp":${at},"message":{"role":"toolResult","toolCallId":"toolu_1","toolName":"feed","content":${input},"details":${input},"isError":false}}`,
    ],
    claw: [
      `{"type":"session_meta","version":1,"session_id":"${id}","created_at_ms":${at},"updated_at_ms":${at},"workspace_root":${cwd}}`,
      `{"type":"prompt_history","timestamp_ms":${at},"text":"Feed the poison"}`,
      `{"type":"message","message":{"role":"user","blocks":[{"type":"text","text":"Feed the poison"}]}}`,
      `{"type":"message","message":{"role":"assistant","blocks":[{"type":"tool_use","id":"toolu_1","name":"feed","input":${input}}]}}`,
      `{"type":"message","message":{"role":"tool","blocks":[{"type":"tool_result","tool_use_id":"toolu_1","tool_name":"feed","output":${input},"is_error":false}]}}`,
    ],
    codex: [
      `{"timestamp":${at},"type":"session_meta","payload":{"id":"${id}","timestamp":${at},"cwd":${cwd}}}`,
      `{"timestamp":${at},"type":"event_msg","payload":{"type":"user_message","message":"Feed the poison"}}`,
      `{"timestamp":${at},"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Feed the poison"}]}}`,
      `{"timestamp":${at},"type":"response_item","payload":{"type":"function_call","call_id":"toolu_1","name":"feed","arguments":${input}}}`,
      `{"timestamp":${at},"type":"response_item","payload":{"type":"function_call_output","call_id":"toolu_1","output":${input}}}`,
    ],
    gemini: [
      `{"sessionId":"${id}","projectHash":"64ab","startTime":${at},"lastUpdated":${at},"directories":[${cwd}],"kind":"main"}`,
      `{"id":"u1","timestamp":${at},"type":"user","content":[{"text":"Feed the poison"}]}`,
      `{"id":"u2","timestamp":${at},"type":"gemini","content":"Fed.","toolCalls":[{"id":"toolu_1","name":"feed","args":${input},"result":[{"functionResponse":{"id":"toolu_1","name":"feed","response":${input}}}],"status":"success","timestamp":${at}}]}`,
    ],
    qwen: [
      `{"uuid":"u1","parentUuid":null,"sessionId":"${id}","timestamp":${at},"type":"user","cwd":${cwd},"message":{"role":"user","parts":[{"text":"Feed the poison"}]}}`,
      `{"uuid":"u2","parentUuid":"u1","sessionId":"${id}","timestamp":${at},"type":"assistant","cwd":${cwd},"message":{"role":"model","parts":[{"functionCall":{"id":"toolu_1","name":"feed","args":${input}}}]}}`,
      `{"uuid":"u3","parentUuid":"u2","sessionId":"${id}","timestamp":${at},"type":"tool_result","cwd":${cwd},"message":{"role":"user","parts":[{"functionResponse":{"id":"toolu_1","name":"feed","response":${input}}}]},"toolCallResult":${input}}`,
    ],
    copilot: [
      `{"type":"session.start","data":{"sessionId":"${id}","version":1,"startTime":${at},"context":{"cwd":${cwd}}},"id":"e1","timestamp":${at},"parentId":null}`,
      `{"type":"user.message","data":{"content":"Feed the poison","messageId":"m1"},"id":"e2","timestamp":"${AT}","parentId":"e1"}`,
      `{"type":"assistant.message","data":{"messageId":"m2","content":"Fed.","toolRequests":[{"toolCallId":"toolu_1","name":"feed","arguments":${input}}]},"id":"e3","timestamp":"${AT}","parentId":"e2"}`,
      `{"type":"tool.execution_start","data":{"toolCallId":"toolu_1","toolName":"feed","arguments":${input}},"id":"e4","timestamp":"${AT}","parentId":"e3"}`,
      `{"type":"tool.execution_complete","data":{"toolCallId":"toolu_1","success":true,"result":{"content":${input}}},"id":"e5","timestamp":"${AT}","parentId":"e4"}`,
    ],
  };
  const text = lines[agent].map((line) => `${line}\n`).join("");
  return { kind: "file", path: logPath(agent, id, "-home-ana-bad"), text };
}

const onAll: readonly (readonly string[])[] = [
  [],
  ["search", "swim", "--json"],
  ["list", "--json"],
  ["grep", "swim"],
  ["grep", "poison"],
  ["files", "*"],
  ["pending", "--everywhere"],
  ["retention"],
  ["doctor"],
  ["guard", "--json"],
  ["archive"],
  ["index", "--rebuild"],
];

const places: readonly (readonly string[])[] = [
  ["resume"],
  ["resume", "--exec"],
  ["export", "--format", "md"],
  ["restore", "--dry-run"],
];

const dates: readonly (readonly string[])[] = [
  ["show", "--full"],
  ["show", "--json"],
  ["export", "--format", "html"],
];

const walks: readonly (readonly string[])[] = [
  ["show"],
  ["show", "--full"],
  ["show", "--json"],
  ["show", "--markdown"],
  ["export", "--format", "html"],
  ["export", "--format", "json"],
  ["summary", "--format", "claw"],
  ["summary", "--format", "pi"],
  ["summary", "--format", "markdown"],
  ["compact", "-n", "--keep", "0", "--preserve", "0", "--max-tokens", "0"],
  ["flatten", "-n", "--min-size", "0"],
  ["retrieve", "toolu_1"],
];

/** What is in a log, and commands about that session which stumbled over it, or might have. */
const poisons: readonly (readonly [string, LogOf, readonly (readonly string[])[]])[] = [
  ["a NUL in its folder", { cwd: '"/home/ana/\\u0000shop"' }, places],
  ["a folder that is no absolute path", { cwd: '"../../etc"' }, places],
  ["a folder of 5,000 characters", { cwd: `"/${"x".repeat(5_000)}"` }, places],
  ["a time that no calendar has", { at: "1e300" }, dates],
  ["a time in the year 275760", { at: '"+275760-09-13T00:00:00.000Z"' }, dates],
  ["the last millisecond of all time", { at: "8640000000000000" }, dates],
  ["a time long before our era", { at: '"-271821-04-20T00:00:00.000Z"' }, dates],
  ["a list nested 4,500 levels deep", { input: `{"x":${deepList(4_500)}}` }, walks],
  ["an object nested 100,000 levels deep", { input: deepObject(100_000) }, walks],
];

async function expectAnswer({ ask }: PoisonWorld, argv: readonly string[]): Promise<string> {
  const { code, err, out } = await ask(argv);
  expect([0, 1, 2, 3], `${argv.join(" ")}: ${code} ${err}`).toContain(code);
  expect(err, argv.join(" ")).not.toMatch(/Error:/);
  return out;
}

describe.each(agents)("logs of %s", (agent) => {
  test("with hostile folders, times and depths stop no command", async () => {
    const world = worldWith(...poisons.map(([, poison], number) => logOf(agent, poison, idNumber(number))));
    for (const argv of onAll) await expectAnswer(world, argv);
    for (const { id, word } of healthy)
      expect(await expectAnswer(world, ["search", word, "-q"])).toContain(id);
    const found = await expectAnswer(world, ["search", "poison", "-q"]);
    for (const [number, [what, , commands]] of poisons.entries()) {
      expect(found, what).toContain(idNumber(number));
      for (const [name = "", ...rest] of commands)
        await expectAnswer(world, [name, idNumber(number), ...rest]);
    }
  });
});

test("the guard archives what is new beside a log with a NUL in its folder, byte for byte", async () => {
  const poisoned = logOf("claude", { cwd: '"/home/ana/\\u0000shop"' });
  const { world, ask } = worldWith(poisoned);
  expect(JSON.parse((await ask(["guard", "--json"])).out)).toMatchObject({
    archived: healthy.length + 1,
    problems: [],
  });
  const later = join(world.home, logPath("claude", idNumber(2), "-home-ana-later"));
  mkdirSync(dirname(later), { recursive: true });
  writeFileSync(
    later,
    '{"type":"user","sessionId":"x","uuid":"u","message":{"role":"user","content":"Later"}}\n',
  );
  expect(JSON.parse((await ask(["guard", "--json", "--log", later])).out)).toMatchObject({ archived: 1 });
  const to = join(world.root, "to");
  expect((await ask(["restore", ID, "--to", to])).code).toBe(0);
  expect(readFileSync(join(to, poisoned.path), "utf8")).toBe(poisoned.kind === "file" ? poisoned.text : "");
});

test.each([
  ["a number of no process", '{"pid":1e300,"sessionId":"x"}'],
  ["a group of processes", `{"pid":-1,"sessionId":"${ID}"}`],
  ["the group of this process", `{"pid":0,"sessionId":"${ID}"}`],
  ["more than anybody reads", `{"pid":1,"sessionId":"${"x".repeat(100_000)}"}`],
])("a registry of running processes with %s stops no command, and makes no session live", async (_, text) => {
  const world = worldWith(logOf("claude", {}), { kind: "file", path: ".claude/sessions/1.json", text });
  for (const argv of onAll) await expectAnswer(world, argv);
  const { out } = await world.ask(["show", ID, "--json"]);
  expect(JSON.parse(out)).toMatchObject({ state: "idle" });
});

test("a session that can't be resumed because of its folder says so", async () => {
  const { ask } = worldWith(logOf("claude", { cwd: '"/home/ana/\\u0000shop"' }));
  const { code, err } = await ask(["resume", ID, "--exec"]);
  expect([code, err]).toEqual([2, expect.stringContaining("Cannot run claude: there is no folder")]);
});
