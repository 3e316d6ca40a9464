import type { World } from "../world.ts";
import { guardText } from "./sanitize.ts";

type PagerWorld = Pick<World, "stdout" | "variables" | "run">;

/**
 * Prints a long text: through the user's pager on a terminal, else directly. `-F` lets less exit if the text fits on one
 * screen, `-R` passes colours, `-X` leaves the text on the screen.
 */
export async function page(text: string | Iterable<string>, world: PagerWorld): Promise<void> {
  const [program, ...args] = pagerOf(world.variables);
  if (!world.stdout.isTerminal || program === undefined) {
    // In parts: a long document is never in memory as a whole.
    for (const part of typeof text === "string" ? [text] : text) world.stdout.write(part);
    return;
  }
  // Without a locale, as in many containers, less would print the bytes of `–`.
  const { LESS = "FRX", LESSCHARSET = "utf-8" } = world.variables;
  const variables = { LESS, LESSCHARSET };
  const input = guardText(typeof text === "string" ? text : Array.from(text).join(""));
  const exitCode = await world.run(program, args, { input, variables });
  // There is no such program; 127 is the exit code of `env` and shells for that.
  if (exitCode === undefined || exitCode === 127) world.stdout.write(input);
}

/** The pager and its arguments; empty for no pager (`PAGER=` or `PAGER=cat`). */
function pagerOf(variables: World["variables"]): readonly string[] {
  const pager = variables.SESSIONS_PAGER ?? variables.PAGER ?? "less";
  const words = pager.trim().split(/\s+/).filter(Boolean);
  return words[0] === "cat" ? [] : words;
}
