import fs from "node:fs";
import { dirname, join } from "node:path";

/** A file of a made-up home. */
export interface MadeFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  readonly mtimeMs: number;
}

export interface LogHome {
  readonly home: string;
  /** The folder of the project that the sessions are of. */
  readonly project: string;
  readonly files: readonly MadeFile[];
  readonly ids: {
    readonly claude: string;
    readonly pi: string;
    readonly claw: string;
    readonly codex: string;
  };
}

const CLAUDE = "5f0c3c1e-0d6b-4a55-9a53-0d1c5d1f7a01";
const PI = "019b2c6e-7f00-7aaa-8bbb-1234567890ab";
const CLAW = "session-1775386832313-0";
const CODEX = "019b2c6e-1111-7222-8333-444455556666";
/** Not a whole second: times are kept to the millisecond. */
const MTIME_MS = Date.UTC(2026, 9, 20, 8) + 321;

/** The folder that Claude Code makes for a project of that path. */
export function claudeFolder(project: string): string {
  return project.replace(/[^A-Za-z0-9]/g, "-");
}

export interface LogHomeOptions {
  readonly small?: boolean;
  /** A folder that need not exist, in place of one in the home. */
  readonly project?: string;
}

/**
 * One session of every agent, Claude Code's with all that can belong to one. A small one, for tests that
 * make many, has a log with a sub-agent, and one of Pi.
 */
export function makeLogHome(home: string, options: LogHomeOptions = {}): LogHome {
  const project = options.project ?? join(home, "work", "shop");
  const files: MadeFile[] = [];
  if (options.project === undefined) fs.mkdirSync(project, { recursive: true });
  const make = (path: string, text: string, mode = 0o600): void => {
    const mtimeMs = MTIME_MS + files.length;
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
    fs.chmodSync(path, mode);
    fs.utimesSync(path, mtimeMs / 1000, mtimeMs / 1000 + 5e-7);
    files.push({ path, text, mode, mtimeMs });
  };
  const makeMore = options.small === true ? () => undefined : make;
  const claude = join(home, ".claude");
  const log = join(claude, "projects", claudeFolder(project), CLAUDE);
  make(`${log}.jsonl`, claudeLog(CLAUDE, project, "Add a cart to the shop"));
  make(join(log, "subagents", "agent-a1b2.jsonl"), claudeLog(CLAUDE, project, "Look for carts", "a1b2"));
  makeMore(
    join(log, "subagents", "agent-a1b2.meta.json"),
    '{"agentType":"Explore","description":"carts"}',
    0o644,
  );
  makeMore(
    join(log, "tool-results", "toolu_01.txt"),
    `${"spilled output \u0000\u2028 of a tool\n".repeat(50)}`,
    0o640,
  );
  makeMore(join(log, "custom-title.json"), '{"customTitle":"The cart"}');
  makeMore(join(claude, "tasks", CLAUDE, "1.json"), '{"id":"1","subject":"Write tests","status":"pending"}');
  makeMore(
    join(claude, "todos", `${CLAUDE}-agent-${CLAUDE}.json`),
    '[{"content":"Old todo","status":"pending","activeForm":"x"}]',
  );
  make(
    join(
      home,
      ".pi",
      "agent",
      "sessions",
      `--${project.slice(1).replaceAll("/", "-")}--`,
      `2026-10-20T08-00-00-000Z_${PI}.jsonl`,
    ),
    piLog(PI, project),
    0o644,
  );
  makeMore(
    join(home, ".claw", "sessions", "5b33eb81f40747e0", `${CLAW}.jsonl`),
    clawLog(CLAW, project),
    0o644,
  );
  makeMore(
    join(home, ".codex", "sessions", "2026", "10", "20", `rollout-2026-10-20T08-00-00-${CODEX}.jsonl`),
    codexLog(CODEX, project),
  );
  return { home, project, files, ids: { claude: CLAUDE, pi: PI, claw: CLAW, codex: CODEX } };
}

/** Numbers and escapes that no round trip through a parser leaves as they are. */
const ODD = '"odd":12345678901234567890,"one":1.0,"esc":"\\u00e9\\/"';

export function claudeLog(id: string, cwd: string, request: string, agent?: string): string {
  const side = agent === undefined ? '"isSidechain":false' : `"isSidechain":true,"agentId":"${agent}"`;
  const line = (n: number, parent: number | null, rest: string): string =>
    `{"parentUuid":${parent === null ? null : `"${agent ?? "m"}-${parent}"`},${side},"cwd":${JSON.stringify(cwd)},` +
    `"sessionId":"${id}","version":"2.1.150","uuid":"${agent ?? "m"}-${n}",` +
    `"timestamp":"2026-10-20T08:00:0${n}.000Z",${ODD},${rest}}\n`;
  return (
    line(1, null, `"type":"user","message":{"role":"user","content":${JSON.stringify(request)}}`) +
    line(
      2,
      1,
      `"type":"assistant","message":{"id":"msg_${agent ?? "m"}","role":"assistant","model":"m","content":` +
        `[{"type":"tool_use","id":"toolu_01","name":"Bash","input":{"command":"ls","cwd":${JSON.stringify(cwd)}}}]}`,
    ) +
    line(
      3,
      2,
      `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01",` +
        `"content":"cart.ts"}]},"toolUseResult":{"cwd":${JSON.stringify(cwd)},"stdout":"cart.ts"}`,
    ) +
    line(
      4,
      3,
      `"type":"assistant","message":{"id":"msg_2${agent ?? ""}","role":"assistant","model":"m","content":` +
        `[{"type":"text","text":"Done with the cart."}]}`,
    )
  );
}

export function piLog(id: string, cwd: string): string {
  return (
    `{"type":"session","version":3,"id":"${id}","timestamp":"2026-10-20T08:00:00.000Z","cwd":${JSON.stringify(cwd)},${ODD}}\n` +
    `{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-10-20T08:00:01.000Z","cwd":${JSON.stringify(cwd)},` +
    `"message":{"role":"user","content":"Paint the shed","timestamp":1792483201000}}\n`
  );
}

export function clawLog(id: string, root: string): string {
  return (
    `{"created_at_ms":1775386832313,"session_id":"${id}","type":"session_meta","updated_at_ms":1775386832313,` +
    `"version":1,"workspace_root":${JSON.stringify(root)}}\n` +
    `{"message":{"blocks":[{"text":"Mend the fence","type":"text"}],"role":"user"},"type":"message"}\n`
  );
}

export function codexLog(id: string, cwd: string): string {
  return (
    `{"timestamp":"2026-10-20T08:00:00.000Z","type":"session_meta","payload":{"id":"${id}","cwd":${JSON.stringify(cwd)},` +
    `"originator":"codex_cli_rs","cli_version":"0.166.0",${ODD}}}\n` +
    `{"timestamp":"2026-10-20T08:00:01.000Z","type":"turn_context","payload":{"cwd":${JSON.stringify(cwd)},"model":"m"}}\n` +
    `{"timestamp":"2026-10-20T08:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user",` +
    `"content":[{"type":"input_text","text":"Sweep the floor"}]}}\n`
  );
}

/** The same files, as they are on the disk now; undefined for one that is gone. */
export function standing(files: readonly MadeFile[]): readonly (MadeFile | undefined)[] {
  return files.map(({ path }) => {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return {
      path,
      text: fs.readFileSync(path, "utf8"),
      mode: stat.mode & 0o7777,
      mtimeMs: Math.floor(stat.mtimeMs),
    };
  });
}
