/**
 * How well an agent finds what its user means with the MCP server, over real logs: whether the right session is among
 * those that at most two calls of search_sessions name, within 3,000 tokens. A script without a model puts the distinctive
 * words of the question into the first call, and its three most distinctive ones into a second call if the best hit does
 * not mention most of the words. Then memory and latency of 1,000 calls. Fails below 28 of 30.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { distinctiveWords, type SkillQuestion, skillQuestions } from "../quality/scripted-agent.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";
import { type McpClient, startMcp } from "../support/mcp-client.ts";

const MAX_TOKENS = 3_000;
const WANTED = 28;
const HALF = 15;
const CALLS = 1_000;

const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const newQuestions: readonly SkillQuestion[] = JSON.parse(
  readFileSync(new URL("../quality/mcp-questions.json", import.meta.url), "utf8"),
);
const home = realHome();
const store = temporaryFolder();
const client = startMcp({ program, home, variables: { SESSIONS_HOME: store.path } });

try {
  await client.initialize();
  await client.call("list_sessions", { limit: 1 });
  const found = [
    await askAll("known questions", skillQuestions.slice(0, HALF)),
    await askAll("new questions", newQuestions),
  ].reduce((sum, each) => sum + each, 0);
  print(`\n${found} of ${HALF + newQuestions.length} found`);
  await askAll("all known questions", skillQuestions);
  await measureCalls();
  if (found < WANTED) process.exitCode = 1;
} finally {
  await client.end();
  store.remove();
}

async function askAll(what: string, questions: readonly SkillQuestion[]): Promise<number> {
  let found = 0;
  let first = 0;
  let calls = 0;
  let tokens = 0;
  print(`\n${what}`);
  for (const { question, sessions } of questions) {
    const run = await ask(client, question);
    const place = run.seen.findIndex((id) => sessions.includes(id)) + 1;
    const isFound = place > 0 && run.tokens <= MAX_TOKENS;
    found += Number(isFound);
    first += Number(isFound && place === 1);
    calls += run.calls;
    tokens += run.tokens;
    const says = isFound ? `place ${place}`.padEnd(8) : "missed  ";
    print(`  ${says}  ${run.calls} call(s) ${String(run.tokens).padStart(5)} tokens  ${question}`);
  }
  const all = questions.length;
  print(
    `  ${found} of ${all} found, ${first} at the first place; ${(calls / all).toFixed(2)} calls and ${Math.round(tokens / all)} tokens for a question`,
  );
  return found;
}

interface AskedAgent {
  readonly calls: number;
  readonly tokens: number;
  /** Ids in the answers, in their order. */
  readonly seen: readonly string[];
}

async function ask(server: McpClient, question: string): Promise<AskedAgent> {
  const seen: string[] = [];
  let tokens = 0;
  let calls = 0;
  for (const most of [6, 3]) {
    const words = distinctiveWords(question, most);
    const { text } = await server.call("search_sessions", { query: words.join(" ") });
    calls++;
    tokens += Math.ceil(text.length / 4);
    seen.push(...Array.from(text.matchAll(/^> session (\S+)/gm), ([, id = ""]) => id));
    const [best = ""] = text.split(/^> session /m).slice(1);
    const spoken = words.filter((word) =>
      best.toLowerCase().includes(word.toLowerCase().replaceAll('"', "").slice(0, 6)),
    );
    if (spoken.length >= (2 / 3) * words.length) break;
  }
  return { calls, tokens, seen };
}

/** Searches, lists and reads in turn; the memory is the server's own after each tenth of the calls. */
async function measureCalls(): Promise<void> {
  const ids = [...skillQuestions, ...newQuestions].map(({ sessions }) => sessions[0] ?? "");
  const took: number[] = [];
  const memory: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const { question = "" } = skillQuestions[call % skillQuestions.length] ?? {};
    const start = performance.now();
    if (call % 4 === 3) await client.call("read_session", { session_id: ids[call % ids.length] });
    else if (call % 4 === 2) await client.call("list_sessions", { limit: 20 });
    else
      await client.call("search_sessions", { query: distinctiveWords(question, 2 + (call % 5)).join(" ") });
    took.push(performance.now() - start);
    if (call % (CALLS / 10) === CALLS / 10 - 1) memory.push(residentMegabytes());
  }
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): string => `${Math.round(sorted[Math.floor(share * (CALLS - 1))] ?? 0)} ms`;
  print(`\n${CALLS} calls: median ${at(0.5)}, 95 % within ${at(0.95)}, longest ${at(1)}`);
  print(`memory of the server in MB after each ${CALLS / 10} calls: ${memory.join(", ")}`);
}

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${client.child.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
