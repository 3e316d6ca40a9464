import { setTimeout } from "node:timers/promises";
import { exitCodes, UserError } from "../errors.ts";
import type { Library } from "../fs/library.ts";
import { noteHookFailure } from "../retention/hook-log.ts";
import type { SessionPointer } from "../search/select-sessions.ts";
import { waitUntilIdle } from "../shrink/refuse-live.ts";
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

/** Starts the same command in a background process that waits for the session to end. */
export async function startWhenIdle(
  world: World,
  command: string,
  { id }: SessionPointer,
  args: readonly string[],
  json: boolean,
): Promise<number> {
  if (world.startDetached === undefined) {
    throw new UserError("Cannot wait: no background process can be started here", {
      exitCode: exitCodes.refused,
      hint: "run it again when the session has ended",
    });
  }
  await world.startDetached([command, id, ...args, "--wait-idle"]);
  if (json) printJson(world, { sessionId: id, waiting: true });
  else
    world.stdout.write(`A background process waits for session ${sanitize(id)} to end, then rewrites it.\n`);
  return exitCodes.done;
}

/** Waits for the session to end, if requested. Nobody sees an error in the background, so it is logged. */
export async function whenIdle<T>(
  world: World,
  library: Library,
  pointer: SessionPointer,
  isRequested: boolean,
  work: () => Promise<T>,
): Promise<T> {
  if (!isRequested) return work();
  try {
    const { pid } = world.processes;
    if (!(await waitUntilIdle(library, pointer, { wait: (ms) => setTimeout(ms), pid }))) {
      throw new UserError(`Cannot rewrite session ${pointer.id}: it never ended`, {
        exitCode: exitCodes.refused,
      });
    }
    return await work();
  } catch (error) {
    noteHookFailure(library, { at: world.now(), event: "when-idle", what: String(error) });
    throw error;
  }
}
