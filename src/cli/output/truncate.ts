import { displayWidth, graphemesOf, graphemeWidth, isPlain } from "./display-width.ts";

const ELLIPSIS = "…";

/**
 * Cuts a text to a number of columns, never through a character, and shows with `…` that it was cut.
 * Paths are cut in the middle: both their root and their file name tell something.
 */
export function truncate(text: string, width: number, where: "end" | "middle" = "end"): string {
  if (isPlain(text) ? text.length <= width : displayWidth(text) <= width) return text;
  if (width <= 0) return "";
  const room = width - 1;
  if (where === "end") return takeStart(text, room) + ELLIPSIS;
  // The end says more than the start: the file, not the disk.
  const end = Math.ceil(room * (2 / 3));
  return takeStart(text, room - end) + ELLIPSIS + takeEnd(text, end);
}

function takeStart(text: string, width: number): string {
  if (isPlain(text)) return text.slice(0, width);
  let taken = "";
  let used = 0;
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > width) break;
    taken += grapheme;
  }
  return taken;
}

function takeEnd(text: string, width: number): string {
  if (isPlain(text)) return text.slice(text.length - width);
  const graphemes = [...graphemesOf(text)];
  let from = graphemes.length;
  for (let used = 0; from > 0; from--) {
    used += graphemeWidth(graphemes[from - 1] ?? "");
    if (used > width) break;
  }
  return graphemes.slice(from).join("");
}
