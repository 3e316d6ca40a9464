import { join } from "node:path";
import { run } from "../../../src/cli/run.ts";
import type { World } from "../../../src/cli/world.ts";
import { nodeProcesses } from "../../../src/fs/processes.ts";
import { makeWorld, type TestWorld } from "../make-world.ts";

const NOW_MS = Date.UTC(2026, 10, 16, 12);

/** What one command said. */
export interface Answer {
  readonly argv: readonly string[];
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A world in which commands are run one after the other, and each is told apart. */
export interface PoisonWorld {
  readonly world: TestWorld;
  ask(argv: readonly string[], input?: string): Promise<Answer>;
}

export function makePoisonWorld(columns?: number): PoisonWorld {
  const world = makeWorld({
    nowMs: NOW_MS,
    variables: { SESSIONS_DEBUG: "1" },
    programs: { claude: 0, pi: 0, claw: 0, codex: 0 },
    ...(columns === undefined ? {} : { columns, hasColor: true }),
  });
  return {
    world,
    async ask(argv, input = "") {
      const before = { out: world.out().length, err: world.err().length };
      const asked: World = {
        ...world,
        isRunning: (pid) => nodeProcesses.exists(pid),
        stdin: { ...world.stdin, readText: async () => input },
      };
      const code = await run(argv, asked);
      return { argv, code, out: world.out().slice(before.out), err: world.err().slice(before.err) };
    },
  };
}

/** Commands about all sessions, in an order in which each finds something to do. */
export function commandsOnAll(world: TestWorld): readonly (readonly string[])[] {
  const to = join(world.root, "restored");
  return [
    [],
    ["search", "swim", "--json"],
    ["search", "deep", "word"],
    ["search", "swim", "--sort", "newest", "-C", "2"],
    ["search", "title:a", "--no-refresh"],
    ["list", "--limit", "500"],
    ["list", "--stubs", "--limit", "500", "--json"],
    ["list", "--project", ".", "-q"],
    ["grep", "swim", "--json"],
    ["grep", "[a-z]{3}", "--limit", "50", "-C", "1"],
    ["grep", "-l", "word", "--role", "field"],
    ["files", "*"],
    ["files", "ts", "--json"],
    ["pending", "--everywhere"],
    ["pending", "--everywhere", "--json"],
    ["retention"],
    ["retention", "--json", "--within", "9999"],
    ["doctor"],
    ["guard"],
    ["archive", "--json"],
    ["archive", "--check"],
    ["verify"],
    ["verify", "--json"],
    ["restore", "--all", "--dry-run"],
    ["restore", "--all", "--to", to],
    ["restore", "--all", "--to", to, "--json"],
    ["index", "--rebuild"],
    ["index", "--json"],
    ["doctor", "--json"],
  ];
}

/** Commands about one session. */
export function commandsOnOne(world: TestWorld, name: string): readonly (readonly string[])[] {
  const to = join(world.root, "one");
  return [
    ["show", name],
    ["show", name, "--json"],
    ["show", name, "--full"],
    ["show", name, "--full", "--json"],
    ["show", name, "--tree"],
    ["show", name, "--tree", "--json"],
    ["show", name, "--context"],
    ["show", name, "--markdown"],
    ["show", name, "--turn", "1"],
    ["show", name, "--budget", "300"],
    ["show", name, "--json", "--budget", "300"],
    ["export", name, "--format", "md", "-o", join(world.root, "one.md"), "--force"],
    ["export", name, "--format", "html"],
    ["export", name, "--format", "json"],
    ["summary", name, "--format", "claw"],
    ["summary", name, "--format", "pi"],
    ["summary", name, "--format", "markdown"],
    ["summary", name, "--continuation"],
    ["summary", name, "--json"],
    [
      "compact",
      name,
      "-n",
      "--aggressive",
      "--keep",
      "0",
      "--preserve",
      "0",
      "--max-tokens",
      "0",
      "--keep-recent",
      "0",
    ],
    ["compact", name, "-n", "--json"],
    ["compact", name, "--auto", "-n"],
    ["flatten", name, "-n", "--min-size", "0"],
    ["flatten", name, "-n", "--fork", "--json"],
    ["unflatten", name, "-n"],
    ["retrieve", name, "toolu_1"],
    ["resume", name],
    ["resume", name, "--json"],
    ["resume", name, "--exec"],
    ["archive", name],
    ["verify", name],
    ["restore", name, "--dry-run"],
    ["restore", name, "--to", to],
    ["restore", name, "--into", world.folder, "--dry-run"],
  ];
}

/** Events of agents, about a log. */
export function hookEvents(log: string): readonly (readonly [readonly string[], string])[] {
  const event = (name: string, more: object): string =>
    JSON.stringify({ hook_event_name: name, session_id: "x", transcript_path: log, cwd: "/", ...more });
  return [
    [["hook", "pre-compact"], event("PreCompact", { trigger: "auto" })],
    [["hook", "post-compact"], event("PostCompact", { compact_summary: "short" })],
    [["hook", "session-start"], event("SessionStart", { source: "compact" })],
    [["hook", "session-end"], event("SessionEnd", {})],
  ];
}
