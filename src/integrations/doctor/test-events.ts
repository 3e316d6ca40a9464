import { join } from "node:path";
import type { Hooks, HookTest } from "../../agents/agent-actions.ts";
import { openArchive } from "../../archive/open-archive.ts";
import { errorCode, explainDiskError } from "../../fs/disk-error.ts";
import { removeTree } from "../../fs/folders.ts";
import type { Library } from "../../fs/library.ts";
import { findPlaces } from "../../fs/places.ts";
import { readHookFailures } from "../../retention/hook-log.ts";
import type { InstalledHook } from "./check-hooks.ts";

export interface DryRunOptions {
  readonly input: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Runs a program silently and returns its exit code; undefined if there is no such program. */
export type RunSilently = (
  program: string,
  args: readonly string[],
  options: DryRunOptions,
) => Promise<number | undefined>;

const TIMEOUT_MS = 20_000;

/**
 * Calls each hook as its agent would, on a test session in a temporary store that is removed afterwards: neither the
 * agent's folder nor the archive is touched. Returns the failures.
 */
export async function runTestEvents(
  library: Library,
  { makeTest }: Hooks,
  hooks: readonly InstalledHook[],
  run: RunSilently,
): Promise<readonly string[]> {
  const { disk, places } = library;
  const folder = join(places.home, "dry-event");
  try {
    removeTree(disk, folder);
    const test = makeTest(library, folder);
    const failures: string[] = [];
    for (const hook of hooks) {
      const what = await runOne(library, hook, folder, test, run);
      if (what !== undefined) failures.push(`${hook.event}: ${what}`);
    }
    return failures;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [`cannot set up a test event in ${folder}: ${explainDiskError(error)}`];
  } finally {
    removeTree(disk, folder);
  }
}

async function runOne(
  { disk }: Library,
  { event, subcommand, command, args }: InstalledHook,
  folder: string,
  { sessionId, variables: own, input }: HookTest,
  run: RunSilently,
): Promise<string | undefined> {
  const variables = { SESSIONS_HOME: join(folder, subcommand), ...own, SESSIONS_GUARD: "off" };
  const code = await run(command, args, { input: input(event), variables, timeoutMs: TIMEOUT_MS });
  const line = [command, ...args].join(" ");
  if (code === undefined) return `there is no program ${command}`;
  if (code !== 0) return `\`${line}\` ended with exit code ${code}`;
  const store = { disk, places: findPlaces({ home: folder, folder, variables }) };
  const [failure] = readHookFailures(store);
  if (failure !== undefined) return failure.what;
  const isKept = openArchive(store)
    .list()
    .sessions.some(({ id }) => id === sessionId);
  const mustKeep = subcommand === "pre-compact" || subcommand === "session-end";
  return mustKeep && !isKept ? `\`${line}\` archived nothing` : undefined;
}
