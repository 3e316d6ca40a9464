import { TIMELINE } from "./claw-summary.ts";

const NEWER = "- Newly compacted context:";
const HEADINGS: ReadonlySet<string> = new Set([
  "Summary:",
  "Conversation summary:",
  // What claw-code wrote before May 2026.
  "- Previously compacted context:",
]);

/** Tags are for programs. */
const TAG = /^\s*<\/?[a-z-]+>$/;

/**
 * Puts a new summary behind an earlier one, as claw-code does: all that the earlier one says but its timeline, then
 * what is new, then the timeline of the new part alone.
 */
export function mergeClawSummary(earlier: string, newer: string): string {
  const old = flattened(highlights(earlier)).map((line) => (/^\s*-/.test(line) ? line : `- ${line}`));
  const lines = ["<summary>", "Conversation summary:", ...old];
  lines.push(NEWER, ...highlights(newer).map((line) => `  ${line}`));
  lines.push(TIMELINE, ...timeline(newer), "</summary>");
  return lines.join("\n");
}

/** Everything but headings and the timeline. */
function highlights(summary: string): readonly string[] {
  const found: string[] = [];
  for (const line of summary.split("\n")) {
    const text = line.trimEnd();
    if (text === TIMELINE) break;
    if (text.trim() !== "" && !HEADINGS.has(text.trim()) && !TAG.test(text)) found.push(text);
  }
  return found;
}

/** What was new in an earlier merge is old now: it moves up a level, or each round would nest it deeper. */
function flattened(lines: readonly string[]): readonly string[] {
  let isNested = false;
  return lines.flatMap((line) => {
    if (line === NEWER) {
      isNested = true;
      return [];
    }
    isNested &&= line.startsWith("  ");
    return [isNested ? line.slice(2) : line];
  });
}

function timeline(summary: string): readonly string[] {
  const lines = summary.split("\n");
  const from = lines.indexOf(TIMELINE);
  return from === -1 ? [] : lines.slice(from + 1).filter((line) => line.startsWith("  "));
}
