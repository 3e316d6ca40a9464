const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What stands between strings in JSON. */
const NO_TEXT = /^(?:[\s,:{}[\]\d.+-]|[eE]|true|false|null)*$/;
const KEY = /^[A-Za-z_$][\w$.-]*$/;

/**
 * The texts of a line that is broken JSON, decoded as far as that goes: all that stands between two quotes.
 * Of a line that lacks its beginning nobody can tell what is inside a string, so both sides are given.
 */
export function looseStrings(text: string): readonly string[] {
  const found: string[] = [];
  let from = 0;
  while (from <= text.length) {
    const end = endOfPiece(text, from);
    const piece = text.slice(from, end);
    const isKey = KEY.test(piece) && /^"\s*:/.test(text.slice(end, end + 8));
    if (!isKey && !NO_TEXT.test(piece)) found.push(decode(piece));
    from = end + 1;
  }
  return found;
}

/** The next quote that is not escaped, else the end. */
function endOfPiece(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([nrtbf])|(["\\/]))/g;
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Not by JSON.parse: an escape may be cut off, or be one that JSON does not know. */
function decode(piece: string): string {
  return piece.replace(ESCAPE, (whole, hex?: string, control?: string, plain?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return plain ?? CONTROLS[control ?? ""] ?? whole;
  });
}
