import type { Problem } from "../../errors.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle, type Style } from "./style.ts";
import { wrapMessage } from "./text-width.ts";

/** A longer list would bury the answer; the JSON has all of them. */
const MAX_SHOWN = 20;

/** Prints problems on stderr, one line each. */
export function reportProblems(problems: readonly Problem[], { stderr }: Pick<World, "stderr">): void {
  for (const line of problemLines(problems, createStyle(stderr.hasColor)))
    stderr.write(`${wrapMessage(line, stderr.columns)}\n`);
}

/** Formats problems, one line each; the same problem in many lines of a file is one. */
export function problemLines(
  problems: readonly Problem[],
  style: Pick<Style, "dim" | "yellow">,
): readonly string[] {
  const kinds = new Map<string, { readonly first: Problem; count: number }>();
  for (const problem of problems) {
    const kind = `${problem.path}\0${problem.what}`;
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, { first: problem, count: 1 });
    else known.count++;
  }
  const all = [...kinds.values()];
  const lines = all.slice(0, MAX_SHOWN).map(({ first, count }) => {
    const { path, line, what } = first;
    const place = line === 0 ? path : `${path}:${line}`;
    const more = count === 1 ? "" : style.dim(" (and more lines of this file)");
    return `${style.yellow(sanitize(place))}: ${sanitize(what)}${more}`;
  });
  const rest = all.slice(MAX_SHOWN).reduce((sum, { count }) => sum + count, 0);
  return rest === 0 ? lines : [...lines, style.dim(`and ${amountOf(rest, "more problem")}`)];
}
