import { removed } from "./clean-text.ts";
import type { Finding } from "./finding.ts";

/** A piece of a text that was written with escapes, in decoded form. */
export interface EscapedPiece {
  readonly decoded: string;
  /** Maps a finding in the decoded text to the encoded text. It covers whole escapes. */
  toEncoded(finding: Finding): Finding;
}

/** An escape of any kind, or the end of a piece: a quote or a line end. */
const STEP = /\\[^\n]|["\n]/g;
const ESCAPE = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/g;

const CHARACTERS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/**
 * The pieces of a text that contain escapes: inputs of tools are kept as JSON, and programs print JSON and string
 * literals. In `"x\nmysql -pSECRET"` no word begins with `mysql` until the line break is decoded. Unescaped quotes
 * separate the pieces, so that each value of an object is read alone, even if the end of the JSON is missing.
 */
export function* escapedPieces(text: string): Generator<EscapedPiece, void, void> {
  let from = 0;
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", from)) {
    const before = text.slice(from, at);
    const start = from + Math.max(before.lastIndexOf('"'), before.lastIndexOf("\n")) + 1;
    const end = endOfPiece(text, at);
    yield* pieceAt(text.slice(start, end), start, ESCAPE, decode);
    from = end + 1;
  }
}

/**
 * The text without invisible characters: they are removed when it is printed, but could split a secret in two parts
 * that no rule recognizes. Yields nothing if there are none.
 */
export function* seenText(text: string): Generator<EscapedPiece, void, void> {
  yield* pieceAt(text, 0, removed(), () => "");
}

/** Encodings other than those of string literals: their signs, the end of an encoded piece, and their escapes. */
const ENCODINGS = [
  { sign: /%(?:22|3[AD]|5D)/gi, end: /[\s"'<>\\]/, escaped: /%([\da-fA-F]{2})/g, decode: decodePercent },
  {
    sign: /&(?:quot|#34|#x22);/g,
    end: /[\n<>]/,
    escaped: /&(quot|apos|amp|lt|gt|#34|#39|#x22|#x27);/g,
    decode: decodeEntity,
  },
] as const;
const MAX_PIECE = 4_000;
const ENTITIES: Readonly<Record<string, string>> = {
  apos: "'",
  amp: "&",
  lt: "<",
  gt: ">",
  "#39": "'",
  "#x27": "'",
};

/** The pieces of a text with percent escapes (`%22password%22%3A…`) or entities of HTML, decoded. */
export function* otherEncodings(text: string): Generator<EscapedPiece, void, void> {
  for (const { sign, end, escaped, decode } of ENCODINGS) {
    sign.lastIndex = 0;
    let from = 0;
    for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
      let start = found.index;
      while (start > from && start > found.index - MAX_PIECE && !end.test(text.charAt(start - 1))) start--;
      let after = found.index;
      while (after < text.length && after < found.index + MAX_PIECE && !end.test(text.charAt(after))) after++;
      yield* pieceAt(text.slice(start, after), start, escaped, decode);
      from = after;
      sign.lastIndex = after;
    }
  }
}

function decodePercent(_: string, hex?: string): string {
  const code = Number.parseInt(hex ?? "", 16);
  return code >= 32 && code < 127 ? String.fromCharCode(code) : "?";
}

function decodeEntity(_: string, name?: string): string {
  return ENTITIES[name ?? ""] ?? '"';
}

/** The next unescaped quote or line end; the end of the text if there is none. */
function endOfPiece(text: string, from: number): number {
  STEP.lastIndex = from;
  for (let step = STEP.exec(text); step !== null; step = STEP.exec(text))
    if (step[0].length === 1) return step.index;
  return text.length;
}

type Decode = (whole: string, hex?: string, letter?: string) => string;

function* pieceAt(
  encoded: string,
  start: number,
  pattern: RegExp,
  replace: Decode,
): Generator<EscapedPiece, void, void> {
  const decoded = encoded.replace(pattern, replace);
  if (decoded === encoded) return;
  let offsets: readonly number[] | undefined;
  const toEncoded = (finding: Finding): Finding => {
    offsets ??= offsetsOf(encoded, pattern, replace);
    const at = start + (offsets[finding.start] ?? 0);
    return { ...finding, start: at, end: start + (offsets[finding.end] ?? encoded.length) };
  };
  yield { decoded, toEncoded };
}

/** The position in the encoded text of each decoded character, and of the end. */
function offsetsOf(encoded: string, pattern: RegExp, replace: Decode): readonly number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const { 0: whole, index, 1: hex, 2: letter } of encoded.matchAll(pattern)) {
    while (at < index) offsets.push(at++);
    if (replace(whole, hex, letter) !== "") offsets.push(at);
    at += whole.length;
  }
  while (at <= encoded.length) offsets.push(at++);
  return offsets;
}

function decode(_: string, hex?: string, letter?: string): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return letter === undefined ? "" : (CHARACTERS[letter] ?? letter);
}
