/**
 * What a recall packet is worth, over real logs: for how many of the labelled questions it alone names the session that
 * answers them. At the start of a new session in that session's folder, as of now and as if the question were asked some
 * sessions later; and after a compaction of the session itself, whether it names a file that the session changed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type SkillQuestion, skillQuestions } from "../quality/scripted-agent.ts";
import { realHome, temporaryFolder } from "../real/support/real-home.ts";

const program = fileURLToPath(new URL("../../dist/sessions.cjs", import.meta.url));
const newQuestions: readonly SkillQuestion[] = JSON.parse(
  readFileSync(new URL("../quality/mcp-questions.json", import.meta.url), "utf8"),
);
const home = realHome();
const store = temporaryFolder();

interface Listed {
  readonly sessionId: string;
  readonly project: string | null;
  readonly source: string | null;
}

try {
  mkdirSync(store.path, { recursive: true });
  writeFileSync(join(store.path, "config.json"), JSON.stringify({ hooks: { recall: "always" } }));
  const { sessions } = JSON.parse(run(["list", "--json", "--limit", "100000"])) as {
    sessions: readonly Listed[];
  };
  for (const [what, questions] of [
    ["known questions", skillQuestions],
    ["new questions", newQuestions],
  ] as const)
    measure(what, questions, sessions);
} finally {
  store.remove();
}

function measure(what: string, questions: readonly SkillQuestion[], listed: readonly Listed[]): void {
  const atStart = { named: 0, chars: 0, places: [] as number[], room: [] as number[] };
  const afterCompaction = { file: 0, chars: 0, asked: 0 };
  for (const { sessions } of questions) {
    const answers = listed.filter(({ sessionId }) => sessions.includes(sessionId));
    const [answer] = answers;
    if (answer?.project == null || answer.source === null) continue;
    const packet = recall({ source: "startup", cwd: answer.project, transcript_path: "/nowhere.jsonl" });
    atStart.chars += packet.length;
    atStart.named += Number(sessions.some((id) => packet.includes(id.slice(0, 8))));
    const inFolder = listed.filter(({ project }) => project === answer.project);
    atStart.places.push(Math.min(...answers.map((each) => inFolder.indexOf(each)).filter((at) => at >= 0)));
    atStart.room.push(1 + (packet.match(/^> [0-9a-f-]{8,} \d{4}-/gm)?.length ?? 0));

    const compacted = recall({ source: "compact", cwd: answer.project, transcript_path: answer.source });
    const { files } = JSON.parse(run(["show", answer.source, "--json", "--budget", "0"])) as {
      files: readonly { path: string; writes: number }[];
    };
    const written = files.filter(({ writes }) => writes > 0).map(({ path }) => path);
    afterCompaction.asked += Number(written.length > 0);
    afterCompaction.file += Number(written.some((path) => compacted.includes(path)));
    afterCompaction.chars += compacted.length;
  }
  const all = atStart.places.length;
  const room = Math.round(atStart.room.reduce((sum, each) => sum + each, 0) / all);
  const within = (later: number): number =>
    atStart.places.filter((at, k) => Math.min(at, later) < (atStart.room[k] ?? 0)).length;
  const last = atStart.places.filter((at) => at === 0).length;
  print(`\n${what}: ${all} with a log and a folder; for ${last} it is the last session of its folder`);
  print(
    `  start of a session: names the session for ${atStart.named} of ${all} as of now; ${room} sessions named on average, ${Math.round(atStart.chars / all)} characters`,
  );
  print(
    `  the same if asked within 0, 5, 10 sessions of the folder: ${within(0)}, ${within(5)}, ${within(10)} of ${all}`,
  );
  print(
    `  after a compaction: names a file that the session changed for ${afterCompaction.file} of ${afterCompaction.asked} that changed any; ${Math.round(afterCompaction.chars / all)} characters`,
  );
}

/** What the hook hands to the agent. */
function recall(event: object): string {
  const out = run(
    ["hook", "session-start"],
    JSON.stringify({ ...event, hook_event_name: "SessionStart", session_id: "x" }),
  );
  return out === "" ? "" : String(JSON.parse(out).hookSpecificOutput.additionalContext);
}

function run(args: readonly string[], input = ""): string {
  const env = { PATH: process.env.PATH, HOME: home, SESSIONS_HOME: store.path, SESSIONS_GUARD: "off" };
  const options = { env, input, encoding: "utf8", maxBuffer: 1 << 30 } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], options);
  if (status !== 0) throw new Error(`sessions ${args.join(" ")}: ${stderr}`);
  return stdout;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
