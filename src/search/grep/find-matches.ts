import type { PlacedText } from "./file-texts.ts";
import { type LineMatch, matchLines } from "./match-lines.ts";
import type { TextRole } from "./text-role.ts";

/** A text with the lines of it that match. */
export interface MatchingText extends PlacedText {
  readonly lines: readonly LineMatch[];
}

/**
 * Matches the texts of one place. Agents write a result down twice, as the model saw it and as the tool gave
 * it: of the second, only lines that differ from what was found in the first are told, and each once.
 */
export function findMatches(
  texts: readonly PlacedText[],
  regex: RegExp,
  roles: ReadonlySet<TextRole>,
): readonly MatchingText[] {
  const found: MatchingText[] = [];
  const told = new Set<string>();
  let hasResult = false;
  for (const { role, text } of texts) {
    if (role === "result") hasResult = true;
    if (role === "result" || !roles.has(role)) continue;
    const lines = matchLines(text, regex);
    if (lines.length === 0) continue;
    found.push({ role, text, lines });
    if (role === "output") for (const line of lines) isNew(text.slice(line.start, line.end), told);
  }
  if (!hasResult || !roles.has("result")) return found;
  for (const { role, text } of texts) {
    if (role !== "result") continue;
    const lines = matchLines(text, regex).filter(({ start, end }) => isNew(text.slice(start, end), told));
    if (lines.length > 0) found.push({ role, text, lines });
  }
  return found;
}

/** A match may go over several lines: one new line makes it new. */
function isNew(lines: string, told: Set<string>): boolean {
  const before = told.size;
  for (const line of lines.split("\n")) told.add(coreOf(line));
  return told.size > before;
}

/** A line without its number, the sign of a diff, and space around it. */
function coreOf(line: string): string {
  return line
    .replace(/^\s*\d+(?:\u2192|\t)/, "")
    .replace(/^[\s+-]+/, "")
    .trimEnd();
}
