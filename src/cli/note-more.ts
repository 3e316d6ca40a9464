import { amountOf } from "./output/amounts.ts";
import { createStyle } from "./output/style.ts";
import type { World } from "./world.ts";

/** The part of an answer that is shown. */
export interface ShownPage {
  readonly total: number;
  readonly offset: number;
  readonly shown: number;
  /** The noun for one item: "session". */
  readonly unit?: string;
}

/** Says on stderr that there is more and how to see it, or that the offset skipped everything. */
export function noteMore({ total, offset, shown, unit }: ShownPage, { stderr }: World): void {
  const style = createStyle(stderr.hasColor);
  const hidden = total - offset - shown;
  const more = unit === undefined ? "more" : `more ${unit}`;
  if (shown === 0 && total > 0) {
    const all = amountOf(total, `${unit ?? "session"} matches`, `${unit ?? "session"}s match`);
    stderr.write(`${style.dim(`No more: ${all}, and --offset ${offset} skips all of them.`)}\n`);
  } else if (hidden > 0) {
    const amount = amountOf(hidden, more, unit === undefined ? more : `${more}s`);
    stderr.write(`${style.dim(`${amount}: --offset ${offset + shown}`)}\n`);
  }
}
