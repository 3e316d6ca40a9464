import { exitCodes, UserError } from "../errors.ts";
import type { World } from "./world.ts";

/** Asks at the terminal. Without a terminal, `what` is refused. */
export async function isConfirmed(what: string, question: string, world: World): Promise<boolean> {
  if (!world.stdin.isTerminal || !world.stderr.isTerminal) {
    throw new UserError(`Cannot ${what} without asking first, and this is not a terminal`, {
      exitCode: exitCodes.refused,
      hint: "pass --yes",
    });
  }
  world.stderr.write(`${question} [y/N] `);
  for await (const line of world.stdin.lines()) {
    if (/^\s*y(?:es)?\s*$/i.test(line)) return true;
    break;
  }
  world.stderr.write("Nothing was changed.\n");
  return false;
}
