import { cleanText } from "../../redact/clean-text.ts";
import type { Output } from "../world.ts";

/**
 * Makes text from logs safe to print: old sessions contain arbitrary tool output, and a terminal executes control
 * sequences. `line` also keeps it on one line, so that no text can pass for a line of ours.
 */
export function sanitize(text: string, keep: "line" | "lines" = "line"): string {
  const clean = cleanText(text);
  return keep === "lines" ? clean : clean.replace(breaks, " ");
}

const breaks = /[\t\n]+/g;

/** The sequences that this program itself prints: the colours of `createStyle`, and erasing the progress line. */
const OWN_SEQUENCES = /(\x1b\[(?:1|2|4|7|22|24|27|31|32|33|36|39|1;33|22;39)m|\r\x1b\[K)/;

/** Lets only our own sequences through. All output of commands goes through here, so no command can forget it. */
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
