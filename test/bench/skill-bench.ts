/**
 * How well an agent finds what its user means that knows only the text of our skill: for questions over real logs,
 * whether the session that is meant is in what it was answered, with how many calls and tokens. Fails below 27 of 30.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { askAsAgent, type Call, skillQuestions } from "../quality/scripted-agent.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";

const MAX_CALLS = 2;
const MAX_TOKENS = 3_000;
const WANTED = 27;

const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const home = realHome();
const store = temporaryFolder();

const call: Call = (words) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...words.slice(1)], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: home, SESSIONS_HOME: store.path, SESSIONS_GUARD: "off" },
  });
  if (status !== 0 && status !== 1)
    throw new Error(`${words.join(" ")} ended with ${String(status)}: ${stderr}`);
  return stdout;
};

try {
  let found = 0;
  let first = 0;
  let calls = 0;
  let tokens = 0;
  for (const { question, sessions } of skillQuestions) {
    const run = askAsAgent(question, call);
    const place = run.seen.findIndex((id) => sessions.includes(id)) + 1;
    const isFound = place > 0 && run.calls <= MAX_CALLS && run.tokens <= MAX_TOKENS;
    found += Number(isFound);
    first += Number(place === 1);
    calls += run.calls;
    tokens += run.tokens;
    const how = `${run.calls} ${run.calls === 1 ? "call " : "calls"} ${String(run.tokens).padStart(5)} tokens`;
    print(`${isFound ? `place ${place}` : "missed "}  ${how}  ${question}`);
    print(`${" ".repeat(31)}${run.queries.join(" | ")}`);
  }
  const all = skillQuestions.length;
  print(`\n${found} of ${all} found, ${first} at the first place; ${calls} calls, ${tokens} tokens in all`);
  print(`${(calls / all).toFixed(2)} calls and ${Math.round(tokens / all)} tokens for a question`);
  if (found < WANTED) process.exitCode = 1;
} finally {
  store.remove();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
