import type { World } from "../world.ts";
import { guardText } from "./sanitize.ts";

type PagerWorld = Pick<World, "stdout" | "variables" | "run">;

/**
 * Prints a long text: through the user's pager on a terminal, at once anywhere else. `-F` lets less end by
 * itself where all fits on one screen, `-R` passes colours, `-X` leaves the text on the screen.
 */
export async function page(text: string | Iterable<string>, world: PagerWorld): Promise<void> {
  const [program, ...args] = pagerOf(world.variables);
  if (!world.stdout.isTerminal || program === undefined) {
    // In parts: of a long document the whole is never held.
    for (const part of typeof text === "string" ? [text] : text) world.stdout.write(part);
    return;
  }
  const variables = { LESS: world.variables.LESS ?? "FRX" };
  const input = guardText(typeof text === "string" ? text : Array.from(text).join(""));
  const exitCode = await world.run(program, args, { input, variables });
  // No such program: 127 is how `env` and shells in between say it.
  if (exitCode === undefined || exitCode === 127) world.stdout.write(input);
}

/** The program and its arguments; empty where the user wants none (`PAGER=` or `PAGER=cat`). */
function pagerOf(variables: World["variables"]): readonly string[] {
  const pager = variables.SESSIONS_PAGER ?? variables.PAGER ?? "less";
  const words = pager.trim().split(/\s+/).filter(Boolean);
  return words[0] === "cat" ? [] : words;
}
