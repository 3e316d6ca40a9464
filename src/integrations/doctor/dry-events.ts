import { dirname, join } from "node:path";
import { encodeProjectPath } from "../../agents/claude/files.ts";
import { openArchive } from "../../archive/open-archive.ts";
import { errorCode, explainDiskError } from "../../fs/disk-error.ts";
import { makeFolders, removeTree } from "../../fs/folders.ts";
import type { Library } from "../../fs/library.ts";
import { findPlaces } from "../../fs/places.ts";
import { replaceFile } from "../../fs/replace-file.ts";
import { readHookFailures } from "../../retention/hook-log.ts";
import type { InstalledHook } from "./check-hooks.ts";

export interface DryRunOptions {
  readonly input: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs a program without showing what it prints; its exit code, or undefined where there is no such program. */
export type DryRun = (
  program: string,
  args: readonly string[],
  options: DryRunOptions,
) => Promise<number | undefined>;

const SESSION = "00000000-0000-4000-8000-00000000d0c0";
const TIMEOUT_MS = 20_000;

/**
 * Has each hook do its work as Claude Code would, on a made-up session in a store of its own, which is removed
 * afterwards: neither the agent's folder nor the archive sees anything of it. Gives what went wrong.
 */
export async function runDryEvents(
  library: Library,
  hooks: readonly InstalledHook[],
  run: DryRun,
): Promise<readonly string[]> {
  const { disk, places } = library;
  const folder = join(places.home, "dry-event");
  try {
    removeTree(disk, folder);
    const log = makeSession(library, folder);
    const failures: string[] = [];
    for (const hook of hooks) {
      const what = await runOne(library, hook, folder, log, run);
      if (what !== undefined) failures.push(`${hook.event}: ${what}`);
    }
    return failures;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`no dry event could be made in ${folder}: ${explainDiskError(error)}`];
  } finally {
    removeTree(disk, folder);
  }
}

async function runOne(
  { disk }: Library,
  { event, subcommand, command, args }: InstalledHook,
  folder: string,
  log: string,
  run: DryRun,
): Promise<string | undefined> {
  const variables = {
    SESSIONS_HOME: join(folder, subcommand),
    CLAUDE_CONFIG_DIR: join(folder, "claude"),
    SESSIONS_GUARD: "off",
  };
  const input = JSON.stringify({
    ...{ session_id: SESSION, transcript_path: log, cwd: folder, hook_event_name: event },
    ...{ trigger: "manual", custom_instructions: "", source: "compact", reason: "other" },
    compact_summary: "A dry event.",
  });
  const code = await run(command, args, { input, variables, timeoutMs: TIMEOUT_MS });
  const line = [command, ...args].join(" ");
  if (code === undefined) return `there is no program ${command}`;
  if (code !== 0) return `\`${line}\` ended with exit code ${code}`;
  const store = { disk, places: findPlaces({ home: folder, folder, variables }) };
  const [failure] = readHookFailures(store);
  if (failure !== undefined) return failure.what;
  const isKept = openArchive(store)
    .list()
    .sessions.some(({ id }) => id === SESSION);
  const mustKeep = subcommand === "pre-compact" || subcommand === "session-end";
  return mustKeep && !isKept ? `\`${line}\` archived nothing` : undefined;
}

/** Two lines, as Claude Code writes them. */
function makeSession({ disk, now }: Library, folder: string): string {
  const log = join(folder, "claude", "projects", encodeProjectPath(folder), `${SESSION}.jsonl`);
  const timestamp = new Date(now()).toISOString();
  const common = {
    sessionId: SESSION,
    cwd: folder,
    timestamp,
    version: "0.0.0",
    isSidechain: false,
    userType: "external",
  };
  const lines = [
    {
      ...common,
      type: "user",
      uuid: "1",
      parentUuid: null,
      message: { role: "user", content: "Is anybody there?" },
    },
    {
      ...{ ...common, type: "assistant", uuid: "2", parentUuid: "1" },
      message: { role: "assistant", content: [{ type: "text", text: "Yes." }] },
    },
  ];
  makeFolders(disk, dirname(log));
  replaceFile(disk, log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return log;
}
