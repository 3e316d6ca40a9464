import { exitCodes, UserError } from "../errors.ts";
import { once } from "../fs/once.ts";
import type { World } from "./world.ts";

/** Asks at the terminal. Without a terminal, `what` is refused. */
export async function isConfirmed(what: string, question: string, world: World): Promise<boolean> {
  return askAtTerminal(what, world).confirm(question);
}

/** Questions that are asked one after the other. They share the input: closing it after the first would end it. */
interface Questions {
  /** Returns the number of the choice; the first if the answer is empty or none of them. */
  choose(question: string, choices: readonly string[]): Promise<number>;
  /** The last question. */
  confirm(question: string): Promise<boolean>;
}

/** Without a terminal, `what` is refused. */
export function askAtTerminal(what: string, world: World): Questions {
  if (!world.stdin.isTerminal || !world.stderr.isTerminal) {
    throw new UserError(`Cannot ${what} without asking first, and this is not a terminal`, {
      exitCode: exitCodes.refused,
      hint: "pass --yes",
    });
  }
  const lines = once(() => world.stdin.lines()[Symbol.asyncIterator]());
  const ask = async (question: string): Promise<string> => {
    world.stderr.write(question);
    const { value } = await lines().next();
    return typeof value === "string" ? value.trim() : "";
  };
  return {
    async choose(question, choices) {
      const rows = choices.map((choice, at) => `  ${at + 1}  ${choice}\n`);
      const chosen = Number(await ask(`${question}\n${rows.join("")}Choice [1] `));
      return choices[chosen - 1] === undefined ? 0 : chosen - 1;
    },
    async confirm(question) {
      const answer = await ask(`${question} [y/N] `);
      await lines().return?.();
      if (/^y(?:es)?$/i.test(answer)) return true;
      world.stderr.write("Nothing was changed.\n");
      return false;
    },
  };
}
