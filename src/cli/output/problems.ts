import type { Problem } from "../../errors.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle } from "./style.ts";

/** A longer list would bury the answer; the JSON has all of them. */
const MAX_SHOWN = 20;

/** Prints problems, one line each; the same problem in many lines of a file is printed once. */
export function reportProblems(problems: readonly Problem[], { stderr }: Pick<World, "stderr">): void {
  const style = createStyle(stderr.hasColor);
  const kinds = new Map<string, { readonly first: Problem; count: number }>();
  for (const problem of problems) {
    const kind = `${problem.path}\0${problem.what}`;
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, { first: problem, count: 1 });
    else known.count++;
  }
  const all = [...kinds.values()];
  for (const { first, count } of all.slice(0, MAX_SHOWN)) {
    const { path, line, what } = first;
    const place = line === 0 ? path : `${path}:${line}`;
    const more = count === 1 ? "" : style.dim(" (and more lines of this file)");
    stderr.write(`${style.yellow(sanitize(place))}: ${sanitize(what)}${more}\n`);
  }
  const rest = all.slice(MAX_SHOWN).reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) stderr.write(`${style.dim(`and ${amountOf(rest, "more problem")}`)}\n`);
}
