import { exitCodes, UserError } from "../core/errors.ts";
import { shellQuote } from "../core/view/shell-quote.ts";
import type { ResumeCommand } from "../formats/format.ts";
import type { World } from "./world.ts";

/** Runs an agent's own resume command in the session's folder, and gives its exit code. */
export async function runResume(
  { command, folder }: ResumeCommand,
  world: World,
  done = "",
): Promise<number> {
  const [program = "", ...args] = command;
  const hint = `${done}the command is: ${shellQuote(command)}`;
  // A log may name any folder, also one that no system has.
  if (folder !== null && world.disk.stat(folder)?.kind !== "folder") {
    throw new UserError(`Cannot run ${program} in ${JSON.stringify(folder)}: there is no such folder`, {
      exitCode: exitCodes.wrongUsage,
      hint,
    });
  }
  const code = await world.run(program, args, folder === null ? {} : { folder });
  if (code !== undefined) return code;
  throw new UserError(`Cannot run ${program}: there is no such program`, {
    exitCode: exitCodes.wrongUsage,
    hint,
  });
}
