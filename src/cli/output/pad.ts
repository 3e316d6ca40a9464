import { displayWidth } from "./display-width.ts";

/** Fills a text with spaces up to a number of columns; one that is wider is left as it is. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}
