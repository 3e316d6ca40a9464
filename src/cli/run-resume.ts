import type { ResumeCommand } from "../agents/agent.ts";
import { exitCodes, UserError } from "../errors.ts";
import { shellQuote } from "../render/json/shell-quote.ts";
import type { World } from "./world.ts";

/** Runs an agent's own resume command in the session's folder, and gives its exit code. */
export async function runResume(
  { command, folder }: ResumeCommand,
  world: World,
  done = "",
): Promise<number> {
  const [program = "", ...args] = command;
  // A log may name any folder, also one that no system can have.
  const canBe = folder === null || !folder.includes("\0");
  const code = canBe ? await world.run(program, args, folder === null ? {} : { folder }) : undefined;
  if (code !== undefined) return code;
  const isThere = folder === null || world.disk.stat(folder)?.kind === "folder";
  const what = isThere
    ? "there is no such program"
    : `there is no folder ${JSON.stringify(folder)} to run it in`;
  throw new UserError(`Cannot run ${program}: ${what}`, {
    exitCode: exitCodes.wrongUsage,
    hint: `${done}the command is: ${shellQuote(command)}`,
  });
}
