import type { Finding } from "./finding.ts";
import { hasFewCharacters } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { isPlaceholder, LINE_BREAK, skip } from "./secret-value.ts";

const HEADER = /-----BEGIN ((?:[A-Z0-9]{1,12} ){0,3})PRIVATE KEY( BLOCK)?-----/y;
const FOOTER = /-----END ((?:[A-Z0-9]{1,12} ){0,3})PRIVATE KEY( BLOCK)?-----/y;

/**
 * Text that may come between two lines of a key in a log: line ends, including escaped ones of JSON in JSON;
 * indentation, line numbers, marks of diffs and quotes, and the quotes and plus signs of a text that code
 * concatenates.
 */
const GAP = /(?:\\{1,4}[nrt]|\\?["'`]|[\s+,>|#*]|\d{1,6} {0,2}[\u2192:|\t]|<br ?\/?>){1,200}/y;
/** The separator that `grep` prints between the name of a file and its line, with or without a number. */
const AFTER_NAME = /[:-](?:\d{1,6}[:-])?/y;
/** The file name that `grep` prints before the header, and so before every line of the key. */
const NAME_BEFORE = /([^\s:]{1,200}?)[:-](?:\d{1,6}[:-])?$/;
/** `Proc-Type: 4,ENCRYPTED` and its like. */
const ARMOR_HEADER = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[^\n\\]{1,100}/y;
const LINE = /[A-Za-z0-9+/]{1,20000}={0,2}/y;

/** A line of fewer characters ends a block, unless the footer follows: it may be the first word of other text. */
const FULL_LINE = 40;
const MIN_KEY = 40;

/** Private keys in many lines: PEM, OpenSSH, PGP; whole, or torn at either end. Other blocks of secrets. */
export const keyBlockSigns: readonly Sign[] = [
  {
    sign: "-----",
    find: (text, at, found) => {
      const end = text.startsWith("BEGIN", at + 5) ? blockFrom(text, at, found) : tailBefore(text, at, found);
      return Math.max(end, endOfDashes(text, at));
    },
  },
  hexBlock("private-key", "-----BEGIN OpenVPN Static key V1-----", "[0-9a-f]{32}"),
  hexBlock("ansible-vault", "$ANSIBLE_VAULT;", "[0-9a-f]{2,80}"),
];

/** A block of lines that are hex digits, after its own header. */
function hexBlock(kind: string, header: string, line: string): Sign {
  const pattern = new RegExp(
    `[\\w.;-]{0,60}(?:${LINE_BREAK})(${line}(?:${LINE_BREAK}${line}(?![0-9A-Za-z])){0,400})`,
    "y",
  );
  return {
    sign: header,
    find: (text, at, found) => {
      pattern.lastIndex = at + header.length;
      const body = pattern.exec(text)?.[1];
      if (body === undefined || body.length < MIN_KEY) return at;
      found.push({ kind, start: pattern.lastIndex - body.length, end: pattern.lastIndex, shown: "" });
      return pattern.lastIndex;
    },
  };
}

/** A whole rule of dashes is skipped at once; the last five may belong to a header. */
function endOfDashes(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === 45) end++;
  return end - 5 > at ? end - 5 : end;
}

function blockFrom(text: string, at: number, found: Finding[]): number {
  HEADER.lastIndex = at;
  const header = HEADER.exec(text);
  if (header === null) return at;
  const before = text.slice(Math.max(0, at - 220), at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const body = readBody(text, HEADER.lastIndex, NAME_BEFORE.exec(line)?.[1]);
  if (
    body.size < MIN_KEY ||
    hasFewCharacters(text.slice(HEADER.lastIndex, body.end).replace(/[^A-Za-z0-9+/]/g, ""))
  ) {
    return HEADER.lastIndex;
  }
  found.push({ kind: kindOf(header[1] ?? "", header[2]), start: at, end: body.end, shown: "" });
  return body.end;
}

/** Reads lines of a key; `size` counts their characters. `name`: the file name that may come before each. */
function readBody(
  text: string,
  from: number,
  name: string | undefined,
): { readonly end: number; readonly size: number } {
  let end = from;
  let size = 0;
  let at = from;
  for (;;) {
    at = skip(GAP, text, at);
    if (name !== undefined && text.charCodeAt(at - 1) === LF && text.startsWith(name, at))
      at = skip(AFTER_NAME, text, at + name.length);
    const footer = skip(FOOTER, text, at);
    if (footer > at) return { end: footer, size };
    const armor = skip(ARMOR_HEADER, text, at);
    if (armor > at) {
      at = armor;
      continue;
    }
    // A PGP checksum line begins with the equals sign.
    const line = skip(LINE, text, text.charCodeAt(at) === 61 ? at + 1 : at);
    const length = line - at;
    if (length === 0) return { end, size };
    const rest = text.slice(line, line + 300);
    if (length < FULL_LINE && !isBeforeFooter(name === undefined ? rest : rest.replace(name, ""))) {
      // Truncated: a short rest counts only if it can't be a word.
      const isRest = size > 0 && /[\d+/=]/.test(text.slice(at, line)) && length >= 8;
      return isRest ? { end: line, size: size + length } : { end, size };
    }
    end = line;
    size += length;
    at = line;
  }
}

const BEFORE_FOOTER =
  /^(?:\\{1,4}[nr]|\\?["'`+,]|[\s>|#*:-]|\d{1,6} {0,2}[\u2192:|\t-]|<br ?\/?>|=\S{4}\s){0,60}-----END/;

function isBeforeFooter(rest: string): boolean {
  return BEFORE_FOOTER.test(rest);
}

const LF = 10;

const MAX_TAIL_LINES = 200;
const MAX_TAIL_LINE = 200;

/** The end of a key whose beginning was cut off: the lines of base64 right before its footer. */
function tailBefore(text: string, at: number, found: Finding[]): number {
  FOOTER.lastIndex = at;
  const footer = FOOTER.exec(text);
  if (footer === null) return at;
  const end = FOOTER.lastIndex;
  let start = at;
  let lineEnd = at;
  for (let count = 0; count < MAX_TAIL_LINES; count++) {
    const from = Math.max(0, lineEnd - MAX_TAIL_LINE);
    const lineStart = from + text.slice(from, Math.max(from, lineEnd - 1)).lastIndexOf("\n") + 1;
    if ((lineStart === from && from > 0) || lineEnd <= lineStart) break;
    const line = /^[\s\d\u2192:|>+]{0,14}([A-Za-z0-9+/]{8,100}={0,2})\s{0,2}$/.exec(
      text.slice(lineStart, lineEnd),
    );
    const key = line?.[1];
    if (key === undefined || (count > 0 && key.length < FULL_LINE)) break;
    start = lineStart;
    lineEnd = lineStart;
  }
  if (at - start < MIN_KEY) return end;
  found.push({ kind: kindOf(footer[1] ?? "", footer[2]), start, end, shown: "" });
  return end;
}

function kindOf(label: string, block: string | undefined): string {
  if (block !== undefined || label.startsWith("PGP")) return "pgp-private-key";
  return label.startsWith("OPENSSH") || label.startsWith("SSH") ? "ssh-private-key" : "private-key";
}

const MAX_BEFORE = 3_000;
const MAX_AFTER = 6_000;
/** The private members of a JSON web key: of an EC or RSA key, and of a symmetric one. */
const PRIVATE_MEMBER =
  /(?<!\w)(?:d|p|q|dp|dq|qi|k)\\{0,7}["']?\s{0,8}(?::|=>|=)\s{0,8}\\{0,7}["']([\w-]{16,2000}={0,2})/g;

/** Masks the private half of the JSON web key around its `kty` member; returns the position to continue from. */
export function findJwk(text: string, at: number, found: Finding[]): number {
  const from = Math.max(0, at - MAX_BEFORE);
  const around = text.slice(from, at + MAX_AFTER);
  // Only inside of one object, or one call: `dict(kty="EC", …)`.
  const brackets = around.lastIndexOf("{", at - from) > around.lastIndexOf("(", at - from) ? "{}" : "()";
  const closing = around.indexOf(brackets.charAt(1), at - from);
  const opening = around.lastIndexOf(brackets.charAt(0), at - from);
  if (closing === -1 || opening === -1 || around.lastIndexOf(brackets.charAt(1), at - from) > opening)
    return at;
  const start = from + opening;
  const end = from + closing;
  for (const match of text.slice(start, end).matchAll(PRIVATE_MEMBER)) {
    const value = match[1] ?? "";
    if (isPlaceholder(value)) continue;
    const valueEnd = start + match.index + match[0].length;
    found.push({ kind: "private-key", start: valueEnd - value.length, end: valueEnd, shown: "" });
  }
  return end;
}
