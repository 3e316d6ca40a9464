import { sanitize } from "./output/sanitize.ts";
import { shortPath } from "./output/session-table.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

/** A selected session, and the other logs with its id. */
interface Selected {
  readonly source: string | null;
  readonly others: readonly string[];
  readonly part?: string | undefined;
  readonly isForgotten?: true | undefined;
}

/** Nobody reads more. */
const MAX_LISTED = 5;

/** Says on stderr which of several logs with one id an answer is about, or that a file is a part of a session. */
export function noteCopies(
  { source, others, part, isForgotten }: Selected,
  selectors: readonly string[],
  world: Pick<World, "stderr" | "home">,
): void {
  const style = createStyle(world.stderr.hasColor);
  const say = (text: string): void => world.stderr.write(`${style.dim(text)}\n`);
  const path = (text: string): string => sanitize(shortPath(text, world.home));
  if (part !== undefined) say(`${path(part)} is a part of the session that this is about`);
  if (isForgotten === true) say("this log was forgotten: it is in no list, search or archive");
  // A user who names a file knows which one it is.
  if (others.length === 0 || selectors.some((word) => /[/\\]|\.jsonl?$/.test(word))) return;
  const which = source === null ? "" : `; this is ${path(source)}`;
  const more = others.length > MAX_LISTED ? ` and ${others.length - MAX_LISTED} more` : "";
  say(
    `${others.length + 1} copies${which}, others are ${others.slice(0, MAX_LISTED).map(path).join(", ")}${more}`,
  );
}
