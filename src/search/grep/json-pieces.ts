const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Yields what is between two quotes of JSON, broken or not: its strings, and what comes between them. */
export function* jsonPieces(json: string): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = 0; start <= json.length; ) {
    const end = endOfPiece(json, start);
    yield { start, end };
    start = end + 1;
  }
}

/** Returns the position of the next quote that is not escaped, or the end of the text. */
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

/** Decodes escapes without JSON.parse, because one may be cut off or not be valid JSON. */
export function decodePiece(piece: string): string {
  return piece.replace(ESCAPE, (whole, hex?: string, control?: string, plain?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return plain ?? CONTROLS[control ?? ""] ?? whole;
  });
}
