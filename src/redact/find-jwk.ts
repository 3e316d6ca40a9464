import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./secret-value.ts";

const MAX_BEFORE = 3_000;
const MAX_AFTER = 6_000;
/** The private members of a JSON web key: of an EC or RSA key, and of a symmetric one. */
const PRIVATE_MEMBER =
  /(?<!\w)(?:d|p|q|dp|dq|qi|k)\\{0,7}["']?\s{0,8}(?::|=>|=)\s{0,8}\\{0,7}["']([\w-]{16,2000}={0,2})/g;

/** Masks the private half of the JSON web key around its `kty` member; returns where to go on. */
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
