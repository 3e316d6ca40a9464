import { exitCodes, type OpenHistory, type SelectedSession, UserError } from "../index.ts";
import { noteHookFailure } from "../retention/hook-log.ts";
import { printJson } from "./output/print-json.ts";
import { sanitize } from "./output/sanitize.ts";
import type { World } from "./world.ts";

/** Flags of commands that can wait for a session to end. */
export const whenIdleFlags = {
  "when-idle": {
    type: "boolean",
    description: "do it in the background, when the session has ended",
  },
  "wait-idle": { type: "boolean", hidden: true, description: "wait for the session to end, then do it" },
} as const;

/** Flags that make no sense with `--when-idle`, and the reasons. */
const ALONE: Readonly<Record<string, string>> = {
  "dry-run": "a dry run changes nothing and need not wait: leave out --when-idle",
  fork: "a fork leaves the session as it is and need not wait: leave out --when-idle",
  reconnect: "a background process has no terminal to resume it in: leave out one of them",
};

/** Refuses flags that the background process would not follow. */
export function checkWhenIdle(flags: Readonly<Record<string, unknown>>): void {
  if (flags["when-idle"] !== true) return;
  for (const [name, why] of Object.entries(ALONE)) {
    if (flags[name] !== true) continue;
    throw new UserError(`Cannot use --${name} and --when-idle together`, {
      exitCode: exitCodes.wrongUsage,
      hint: why,
    });
  }
}

/** Starts the same command in a background process that waits for the session to end. */
export async function startWhenIdle(
  world: World,
  command: string,
  { id, files }: SelectedSession,
  args: readonly string[],
  json: boolean,
): Promise<number> {
  const waiter = [command, files.files[0]?.path ?? id, ...args, "--wait-idle"];
  if ((await world.startDetached?.(waiter)) !== true) {
    throw new UserError("Cannot wait: no background process could be started", {
      exitCode: exitCodes.refused,
      hint: "run it again when the session has ended",
    });
  }
  if (json) printJson(world, { sessionId: id, waiting: true });
  else
    world.stdout.write(`A background process waits for session ${sanitize(id)} to end, then rewrites it.\n`);
  return exitCodes.done;
}

/** Rewrites a session, after waiting for its end if requested. Nobody would see an error then, so it is logged. */
export async function loggedIfWaiting<T>(
  world: World,
  { library }: Pick<OpenHistory, "library">,
  isWaiting: boolean,
  work: (waitUntilIdle: boolean) => Promise<T>,
): Promise<T> {
  if (!isWaiting) return world.uninterrupted(() => work(false));
  try {
    return await work(true);
  } catch (error) {
    noteHookFailure(library, { at: world.now(), event: "when-idle", what: String(error) });
    throw error;
  }
}
