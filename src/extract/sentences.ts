/**
 * Splits prose into sentences: at line ends, and after `.`, `!`, `?` and their CJK counterparts if white space or the end
 * follows. List marks, headings and quote marks at the start of a line are removed, and so is fenced code.
 */
export function* sentences(text: string): Generator<string> {
  let inFence = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      inFence = !inFence;
      continue;
    }
    if (inFence) continue;
    const prose = line
      .replace(/^\s*(?:[-*+>#|]+|\d{1,3}[.)])\s+/, "")
      .replace(/\*\*|__/g, "")
      .trim();
    let from = 0;
    for (const match of prose.matchAll(/[.!?](?=\s|$)|[\u3002\uff01\uff1f]/g)) {
      const end = match.index + 1;
      const sentence = prose.slice(from, end).trim();
      if (sentence !== "") yield sentence;
      from = end;
    }
    const rest = prose.slice(from).trim();
    if (rest !== "") yield rest;
  }
}

/** Cuts a text to one line of at most `max` characters, the last of them an ellipsis if something was cut. */
export function shorten(text: string, max: number): string {
  // Four times as much allows for white space that is folded, and a text of megabytes is not processed.
  const head = text.length > 4 * max ? text.slice(0, 4 * max) : text;
  const line = head.replace(/\s+/g, " ").trim();
  if (line.length <= max && head.length === text.length) return line;
  const cut = line.slice(0, max - 1);
  const isHalfPair = /[\ud800-\udbff]$/.test(cut);
  return `${(isHalfPair ? cut.slice(0, -1) : cut).trimEnd()}…`;
}
