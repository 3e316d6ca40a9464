import { Buffer } from "node:buffer";

/** What stands for results; the agent's display knows the one of Grep, and fails at other words there. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  Grep: "No matches found",
  Read: "[file content compacted]",
  Bash: "[output compacted]",
};
const OTHER_PLACEHOLDER = "[compacted]";

export const INPUT_PLACEHOLDER: Buffer = Buffer.from('{"_compacted":true}');

export function placeholderFor(tool: string): string {
  return PLACEHOLDERS[tool] ?? OTHER_PLACEHOLDER;
}

/** Does this stand for a result? What Grep says may be its own word. */
export function isCompactedText(text: string): boolean {
  return text === OTHER_PLACEHOLDER || Object.values(PLACEHOLDERS).includes(text);
}
