import { sanitize } from "./sanitize.ts";
import type { Style } from "./style.ts";

/**
 * Marks ranges of a text, as a search hit has them: [start, end) in UTF-16 units, in any order. Ranges that
 * overlap are marked once; what lies outside the text is cut off. The text is made safe to print here, piece
 * by piece: before, the ranges would no longer fit, and afterwards the marks would go too.
 */
export function highlight(
  text: string,
  ranges: readonly (readonly [number, number])[],
  style: Pick<Style, "match">,
): string {
  let done = 0;
  let marked = "";
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(done, from);
    const end = Math.min(text.length, to);
    if (start >= end) continue;
    marked += sanitize(text.slice(done, start)) + style.match(sanitize(text.slice(start, end)));
    done = end;
  }
  return marked + sanitize(text.slice(done));
}
