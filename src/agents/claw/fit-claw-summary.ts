import { TIMELINE } from "./claw-summary.ts";

/**
 * claw-code cuts every text that it writes at 16,384 characters, and what it cuts off is the end: the last messages,
 * and the words that tell the model to go on. So a summary gives up its oldest lines instead.
 */
export function fitClawSummary(summary: string, maxChars: number): string {
  if (summary.length <= maxChars) return summary;
  const lines = summary.split("\n");
  const timeline = lines.indexOf(TIMELINE) + 1;
  const room = maxChars - MARK_CHARS;
  const dropped = cutToFit(lines, timeline, lines.length - 1, room);
  const short = [...lines.slice(0, timeline), mark(dropped), ...lines.slice(timeline + dropped)];
  if (short.join("\n").length <= maxChars) return short.join("\n");
  // Even without any of it: many summaries were merged, and the oldest go first.
  const first = short.indexOf("Conversation summary:") + 1;
  const older = cutToFit(short, first, timeline - 1, room);
  return [...short.slice(0, first), ...short.slice(first + older)].join("\n");
}

const MARK_CHARS = 60;

function mark(count: number): string {
  return `  - … ${count} earlier messages …`;
}

/** How many lines from `from` on, of those before `to`, must go. */
function cutToFit(lines: readonly string[], from: number, to: number, maxChars: number): number {
  let chars = lines.reduce((sum, line) => sum + line.length + 1, 0);
  let dropped = 0;
  while (chars > maxChars && from + dropped < to) {
    chars -= (lines[from + dropped]?.length ?? 0) + 1;
    dropped++;
  }
  return dropped;
}
