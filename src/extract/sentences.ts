/**
 * Cuts prose into sentences: at line ends, and behind `.`, `!`, `?` and their CJK kin where white
 * space or the end follows. List marks, headings and quotes at the beginning are left out, code
 * fences whole.
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

/** At most `max` characters, cut with an ellipsis. */
export function shorten(text: string, max: number): string {
  const flat = text.length > 4 * max ? text.slice(0, 4 * max) : text;
  const line = flat.replace(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}
