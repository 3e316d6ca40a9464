import { cleanText } from "../../redact/clean-text.ts";
import type { Output } from "../world.ts";

/** What this program itself sends to terminals: the colours of `createStyle`, and the line of progress being erased. */
const OWN_SEQUENCES = /(\x1b\[(?:1|2|4|22|24|31|32|33|36|39|1;33|22;39)m|\r\x1b\[K)/;

/**
 * The border to the terminal: whatever a command prints goes through here, so that no command can forget it. Only
 * sequences of our own pass.
 */
export function guardOutput(output: Output, hasColor: boolean = output.hasColor): Output {
  return {
    write: (text) => output.write(guardText(text)),
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    hasColor,
  };
}

export function guardText(text: string): string {
  if (!text.includes("\x1b")) return cleanText(text);
  return text
    .split(OWN_SEQUENCES)
    .map((part, at) => (at % 2 === 1 ? part : cleanText(part)))
    .join("");
}
