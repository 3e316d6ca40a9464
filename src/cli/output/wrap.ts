import { displayWidth, graphemesOf, graphemeWidth } from "./display-width.ts";

export interface WrapOptions {
  readonly width: number;
  /** Put before every line; it counts. */
  readonly indent?: string;
  /** Put before the first line instead; as wide as `indent`. */
  readonly firstIndent?: string;
}

/**
 * Breaks a text at spaces into lines of at most so many columns. Its own line breaks stay. A word wider
 * than a line is broken where the line ends.
 */
export function wrap(text: string, options: WrapOptions): string {
  const indent = options.indent ?? "";
  const room = Math.max(1, options.width - displayWidth(indent));
  return text
    .split("\n")
    .flatMap((paragraph) => wrapParagraph(paragraph, room))
    .map((line, index) => `${index === 0 ? (options.firstIndent ?? indent) : indent}${line}`.trimEnd())
    .join("\n");
}

function wrapParagraph(paragraph: string, room: number): readonly string[] {
  const lines: string[] = [];
  const leading = /^ */.exec(paragraph)?.[0] ?? "";
  let line = leading.length < room ? leading : "";
  let isEmpty = true;
  for (const word of paragraph.trim().split(/ +/)) {
    for (const [index, piece] of piecesOf(word, room - (isEmpty ? line.length : 0)).entries()) {
      const joined = isEmpty ? line + piece : `${line} ${piece}`;
      if (isEmpty || (index === 0 && displayWidth(joined) <= room)) {
        line = joined;
      } else {
        lines.push(line);
        line = piece;
      }
      isEmpty = false;
    }
  }
  return [...lines, line];
}

/** A word, cut into pieces that fit a line each. */
function piecesOf(word: string, room: number): readonly string[] {
  if (displayWidth(word) <= room) return [word];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const grapheme of graphemesOf(word)) {
    const width = graphemeWidth(grapheme);
    if (used + width > room && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += grapheme;
    used += width;
  }
  return [...pieces, piece];
}
