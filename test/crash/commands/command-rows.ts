import fs from "node:fs";
import { dirname, join } from "node:path";
import { claudeFolder, claudeLog } from "../../support/archive/log-home.ts";
import { callOf, PI_SESSION, piToolLog, TOOL_SESSION, toolLog } from "../../support/shrink/tool-log.ts";
import type { Place } from "./place.ts";

/** One command that writes, and what it is to be killed over. */
export interface CommandRow {
  /** As a person would say it; names the row for `--only`. */
  readonly name: string;
  readonly argv: readonly string[] | ((place: Place) => readonly string[]);
  readonly input?: (place: Place) => string;
  /** What has happened before, beyond a home whose logs are archived and indexed. */
  readonly prepare?: (place: Place) => Promise<void> | void;
  /** Takes it back: all files of the home are then what they were before. */
  readonly undo?: readonly string[];
  /** It replaces a log, or writes a new one: power cuts are tried at more of its calls. */
  readonly rewritesLog?: boolean;
}

export const CLAUDE = "5f0c3c1e-0d6b-4a55-9a53-0d1c5d1f7a01";
export const UNSAFE = "6a6a6a6a-0d6b-4a55-9a53-0d1c5d1f7a02";
export const CLAW = "session-1775400000000-0";
const PROJECT = "/home/ana/shop";
/** What every search of these tests finds, in a session that no row touches. */
export const WORD = "xylophone";

const projectFolder = `.claude/projects/${claudeFolder(PROJECT)}`;

const paths = {
  tool: `${projectFolder}/${TOOL_SESSION}.jsonl`,
  claude: `${projectFolder}/${CLAUDE}.jsonl`,
  subagent: `${projectFolder}/${CLAUDE}/subagents/agent-a1b2.jsonl`,
  unsafe: `${projectFolder}/${UNSAFE}.jsonl`,
  pi: `.pi/agent/sessions/--home-ana-shop--/2026-10-20T08-00-00-000Z_${PI_SESSION}.jsonl`,
  claw: `.claw/sessions/${CLAW}.jsonl`,
  settings: ".claude/settings.json",
} as const;

const calls = [
  callOf("Read", 1_500, { file_path: "/a" }, "toolu_read"),
  callOf("Bash", 600, { command: "ls" }, "toolu_bash"),
];
const clawMessage = (role: string): string =>
  `{"message":{"blocks":[{"text":${JSON.stringify(`${role} ${"word ".repeat(20)}`)},"type":"text"}],"role":"${role}"},"type":"message"}\n`;

/** Files of the home, as their owner has them. */
const files: Readonly<Record<Exclude<keyof typeof paths, "unsafe">, string>> = {
  tool: toolLog(calls, PROJECT),
  claude: claudeLog(CLAUDE, PROJECT, `Tune the ${WORD}`),
  subagent: claudeLog(CLAUDE, PROJECT, "Look for mallets", "a1b2"),
  pi: piToolLog(PROJECT, 1_200),
  claw:
    `{"created_at_ms":1,"session_id":"${CLAW}","type":"session_meta","updated_at_ms":1,"version":1}\n` +
    ["user", "assistant", "user"].map(clawMessage).join(""),
  settings: '\ufeff{\r\n\t"a": 1, // one\r\n\t"hooks": {}\r\n}\r\n',
};

/** A home with a session of each kind, archived and indexed, and one that only the guard will archive. */
export async function prepareHome(place: Place, row: CommandRow): Promise<void> {
  for (const [name, text] of Object.entries(files)) write(place, paths[name as keyof typeof files], text);
  await expectDone(place, ["archive"]);
  await expectDone(place, ["index"]);
  write(place, paths.unsafe, claudeLog(UNSAFE, PROJECT, "Nobody has archived this yet"));
  await row.prepare?.(place);
}

/** Hours old: an agent that writes it, or a guard that waits until it is quiet, is another test. */
function write({ home }: Place, path: string, text: string, hours = 30): void {
  const whole = join(home, path);
  fs.mkdirSync(dirname(whole), { recursive: true });
  fs.writeFileSync(whole, text, { mode: 0o600 });
  const seconds = Math.floor(Date.now() / 1000) - hours * 3_600;
  fs.utimesSync(whole, seconds, seconds);
}

async function expectDone(place: Place, argv: readonly string[]): Promise<void> {
  const { code, out, err } = await place.command(argv);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${out}${err}`);
}

const grown = (place: Place): void => {
  const line = claudeLog(CLAUDE, PROJECT, "And now the drum", "m9")
    .split("\n")[0]
    ?.replaceAll('"m9-1"', '"m-9"');
  write(place, paths.claude, `${files.claude}${line}\n`, 20);
};
const rewritten = (place: Place): void => write(place, paths.tool, toolLog(calls.slice(0, 1), PROJECT), 20);
const event =
  (name: string) =>
  (place: Place): string =>
    JSON.stringify({
      session_id: UNSAFE,
      transcript_path: join(place.home, paths.unsafe),
      cwd: PROJECT,
      hook_event_name: name,
      ...(name === "PostCompact" ? { compact_summary: "All is well", trigger: "auto" } : {}),
    });

const compactClaude = ["compact", TOOL_SESSION, "--keep", "0"];
const compactPi = ["compact", PI_SESSION, "--keep-recent", "10"];
const compactClaw = ["compact", CLAW, "--preserve", "1", "--max-tokens", "0"];
const flatten = ["flatten", TOOL_SESSION, "--min-size", "300"];
const flattenPi = ["flatten", PI_SESSION, "--min-size", "300"];
const after =
  (...lines: readonly (readonly string[])[]) =>
  async (place: Place): Promise<void> => {
    for (const argv of lines) await expectDone(place, argv);
  };

/** Every command that writes. A new one gets a row here, and `command-rows.test.ts` asks for it. */
export const commandRows: readonly CommandRow[] = [
  {
    name: "index",
    argv: ["index"],
    prepare: ({ store }) => fs.rmSync(join(store, "index"), { recursive: true }),
  },
  { name: "index --rebuild", argv: ["index", "--rebuild"] },
  {
    name: "search, logs have changed",
    argv: ["search", WORD],
    prepare: (place) => {
      grown(place);
      rewritten(place);
    },
  },
  {
    name: "archive, a first time",
    argv: ["archive"],
    prepare: ({ store }) => fs.rmSync(store, { recursive: true }),
  },
  {
    name: "archive, logs have changed",
    argv: ["archive"],
    prepare: (place) => {
      grown(place);
      rewritten(place);
    },
  },
  { name: "archive --check", argv: ["archive", "--check"] },
  {
    name: "archive, a store without a version",
    argv: ["archive"],
    prepare: ({ store }) => fs.rmSync(join(store, "version.json")),
  },
  {
    name: "restore",
    argv: ["restore", CLAUDE],
    prepare: ({ home }) => {
      fs.rmSync(join(home, paths.claude));
      fs.rmSync(join(home, dirname(dirname(paths.subagent))), { recursive: true });
    },
  },
  {
    name: "restore --into",
    argv: ({ home }) => ["restore", CLAUDE, "--into", join(home, "elsewhere")],
    prepare: ({ home }) => {
      fs.mkdirSync(join(home, "elsewhere"));
    },
  },
  { name: "restore --to", argv: ({ home }) => ["restore", CLAUDE, "--to", join(home, "other-home")] },
  {
    name: "restore --force",
    argv: ["restore", TOOL_SESSION, "--generation", "1", "--force"],
    prepare: rewritten,
    rewritesLog: true,
  },
  { name: "forget", argv: ["forget", TOOL_SESSION, "--yes"], undo: ["forget", TOOL_SESSION, "--undo"] },
  {
    name: "forget, a flattened session",
    argv: ["forget", TOOL_SESSION, "--yes"],
    prepare: after(flatten),
    undo: ["forget", TOOL_SESSION, "--undo"],
  },
  {
    name: "forget --undo",
    argv: ["forget", TOOL_SESSION, "--undo"],
    prepare: after(flatten, ["forget", TOOL_SESSION, "--yes"]),
  },
  { name: "compact claude", argv: compactClaude, rewritesLog: true },
  { name: "compact claude --bak", argv: [...compactClaude, "--bak"], rewritesLog: true },
  { name: "compact claude --fork", argv: [...compactClaude, "--fork"], rewritesLog: true },
  { name: "compact pi", argv: compactPi, rewritesLog: true },
  { name: "compact pi --fork", argv: [...compactPi, "--fork"], rewritesLog: true },
  { name: "compact claw", argv: compactClaw, rewritesLog: true },
  { name: "compact claw --fork", argv: [...compactClaw, "--fork"], rewritesLog: true },
  { name: "flatten claude", argv: flatten, undo: ["unflatten", TOOL_SESSION], rewritesLog: true },
  { name: "flatten pi", argv: flattenPi, undo: ["unflatten", PI_SESSION], rewritesLog: true },
  {
    name: "flatten, flattened before",
    argv: flatten,
    prepare: after(["flatten", TOOL_SESSION, "--min-size", "1000"]),
    rewritesLog: true,
  },
  { name: "flatten --fork", argv: [...flatten, "--fork"], rewritesLog: true },
  { name: "unflatten claude", argv: ["unflatten", TOOL_SESSION], prepare: after(flatten), rewritesLog: true },
  { name: "unflatten pi", argv: ["unflatten", PI_SESSION], prepare: after(flattenPi), rewritesLog: true },
  { name: "retention set", argv: ["retention", "set", "365"], undo: ["retention", "reset"] },
  { name: "retention forever", argv: ["retention", "forever"], undo: ["retention", "reset"] },
  { name: "retention reset", argv: ["retention", "reset"], prepare: after(["retention", "set", "365"]) },
  { name: "install", argv: ["install", "--all", "--yes"], undo: ["uninstall", "--all", "--yes"] },
  {
    name: "uninstall",
    argv: ["uninstall", "--all", "--yes"],
    prepare: after(["install", "--all", "--yes"]),
  },
  { name: "hook pre-compact", argv: ["hook", "pre-compact"], input: event("PreCompact") },
  { name: "hook post-compact", argv: ["hook", "post-compact"], input: event("PostCompact") },
  { name: "hook session-end", argv: ["hook", "session-end"], input: event("SessionEnd") },
  { name: "hook session-start", argv: ["hook", "session-start"], input: event("SessionStart") },
  {
    name: "export -o",
    argv: ({ home }) => ["export", CLAUDE, "--format", "html", "-o", join(home, "session.html")],
  },
  { name: "show -o", argv: ({ home }) => ["show", CLAUDE, "--markdown", "-o", join(home, "session.md")] },
  {
    name: "retrieve -o",
    argv: ({ home }) => ["retrieve", TOOL_SESSION, "toolu_read", "-o", join(home, "result.txt")],
    prepare: after(flatten),
  },
  { name: "guard", argv: ["guard"] },
  { name: "doctor", argv: ["doctor"], prepare: after(["install", "--yes"]) },
];
