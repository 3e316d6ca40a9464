import { exitCodes, UserError } from "../errors.ts";
import type { World } from "./world.ts";

/** Asks a person at the terminal. Where nobody is there, `what` is refused. */
export async function isConfirmed(what: string, question: string, world: World): Promise<boolean> {
  if (!world.stdin.isTerminal || !world.stderr.isTerminal) {
    throw new UserError(`Cannot ${what}: nobody is there to be asked`, {
      exitCode: exitCodes.refused,
      hint: "with --yes it does not ask",
    });
  }
  world.stderr.write(`${question} [y/N] `);
  for await (const line of world.stdin.lines()) {
    if (/^\s*y(?:es)?\s*$/i.test(line)) return true;
    break;
  }
  world.stderr.write("Nothing was done.\n");
  return false;
}
