import { cleanText } from "../../redact/clean-text.ts";

/**
 * Makes text out of logs safe to print: old sessions hold whatever tools wrote, and a terminal obeys what it is sent.
 * `line`: it also stays in one line, so that no text can pass for a line of ours.
 */
export function sanitize(text: string, keep: "line" | "lines" = "line"): string {
  const clean = cleanText(text);
  return keep === "lines" ? clean : clean.replace(breaks, " ");
}

const breaks = /[\t\n]+/g;
