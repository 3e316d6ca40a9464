import type { Output } from "../world.ts";
import { displayWidth } from "./display-width.ts";
import { highlight } from "./highlight.ts";
import type { Style } from "./style.ts";
import { truncate } from "./truncate.ts";

type Range = readonly [number, number];

/** A matching text, safe to print, with its matches marked; on a terminal each line is cut to fit around its first match. */
export function formatMatchLine(
  text: string,
  highlights: readonly Range[],
  output: Output,
  indent: number,
  style: Pick<Style, "match">,
): string {
  const width = output.columns === undefined ? undefined : Math.max(20, output.columns - indent);
  let from = 0;
  return text
    .split("\n")
    .map((line) => {
      const start = from;
      from += line.length + 1;
      const own = highlights
        .filter(([first, last]) => first < start + line.length && last > start)
        .map(([first, last]): Range => [Math.max(0, first - start), Math.min(line.length, last - start)]);
      return fitLine(line, own, width, style);
    })
    .join("\n");
}

function fitLine(
  line: string,
  ranges: readonly Range[],
  width: number | undefined,
  style: Pick<Style, "match">,
): string {
  if (width === undefined || displayWidth(line) <= width) return highlight(line, ranges, style);
  const [first = 0, firstEnd = 0] = ranges[0] ?? [];
  // The first match is shown with what stands before it, as far as there is room.
  const skipped = firstEnd <= width - 1 ? 0 : first - Math.min(Math.floor(width / 3), first);
  const shown = skipped === 0 ? line : `…${line.slice(skipped)}`;
  const shift = skipped === 0 ? 0 : 1 - skipped;
  const cut = truncate(shown, width);
  const end = cut === shown ? cut.length : cut.length - 1;
  const moved = ranges.map(([from, to]): Range => [Math.max(0, from + shift), Math.min(end, to + shift)]);
  return highlight(cut, moved, style);
}
