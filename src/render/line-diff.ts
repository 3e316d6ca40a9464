import { type StructuredPatchHunk, structuredPatch } from "diff";

/** Two texts that differ in more lines than this are shown as one text removed and one added: the time grows with its square. */
const MAX_EDITS = 1_000;

/** The difference of two texts in the form that `diff -u` prints and `patch` reads, without its two head lines. */
export function lineDiff(before: string, after: string): string {
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, maxEditLength: MAX_EDITS });
  return (patch?.hunks ?? [replaceAll(before, after)])
    .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const head = `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
      return [head, ...lines].map((line) => `${line}\n`).join("");
    })
    .join("");
}

/** A hunk without lines is numbered by the line before it, and a single line needs no count. */
function range(start: number, lines: number): string {
  if (lines === 0) return `${start - 1},0`;
  return lines === 1 ? String(start) : `${start},${lines}`;
}

function replaceAll(before: string, after: string): StructuredPatchHunk {
  const removed = structuredPatch("", "", before, "", "", "").hunks.flatMap(({ lines }) => lines);
  const added = structuredPatch("", "", "", after, "", "").hunks.flatMap(({ lines }) => lines);
  const count = (lines: readonly string[]): number => lines.filter((line) => !line.startsWith("\\")).length;
  return {
    oldStart: 1,
    oldLines: count(removed),
    newStart: 1,
    newLines: count(added),
    lines: [...removed, ...added],
  };
}
