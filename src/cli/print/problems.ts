import type { Problem } from "../../core/model/session.ts";
import type { World } from "../world.ts";
import { countOf } from "./amounts.ts";
import { sanitize } from "./sanitize.ts";
import { createStyle } from "./style.ts";

/** More would hide what else there is to say; all of them stand in the JSON. */
const MAX_SHOWN = 20;

/** Tells what went wrong, a line each. */
export function tellProblems(problems: readonly Problem[], { stderr }: Pick<World, "stderr">): void {
  const style = createStyle(stderr.hasColor);
  for (const { path, line, what } of problems.slice(0, MAX_SHOWN)) {
    const place = line === 0 ? path : `${path}:${line}`;
    stderr.write(`${style.yellow(sanitize(place))}: ${sanitize(what)}\n`);
  }
  const rest = problems.length - MAX_SHOWN;
  if (rest > 0) stderr.write(`${style.dim(`and ${countOf(rest, "more problem")}`)}\n`);
}
