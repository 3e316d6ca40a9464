import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { looksRandom } from "./randomness.ts";

const MAX_HEADER = 4096;
const PAIR = /([\w.!#$%&*+^|~-]{1,100})=([^;,\s"'`\\]{0,4096})/g;
/** Attributes of Set-Cookie, and cookies that follow a visitor without letting anyone in. */
const HARMLESS =
  /^(?:path|domain|expires|max-age|samesite|version|priority|_ga.*|_gid|_gcl_.*|_fbp|theme|lang|locale)$/i;
const SESSION = /sess|sid$|auth|token|jwt|csrf|remember|login/i;

/** Masks the values in a Cookie or Set-Cookie header that let someone in; returns where the header ends. */
export function findCookies(text: string, at: number, found: Finding[]): number {
  const limit = Math.min(text.length, at + MAX_HEADER);
  // Up to the end of the line, of the quoted text, or an escaped line end of JSON.
  const opening = /[ \t]{0,4}\\{0,3}["'`]?/y;
  opening.lastIndex = at;
  opening.test(text);
  const start = opening.lastIndex;
  let end = start;
  while (end < limit && !/[\n"'`\\]/.test(text.charAt(end))) end++;
  for (const match of text.slice(start, end).matchAll(PAIR)) {
    const [pair, name = "", value = ""] = match;
    if (HARMLESS.test(name) || isPlaceholder(value)) continue;
    const plain = value.replace(/%[0-9A-Fa-f]{2}/g, "");
    if (
      !(SESSION.test(name)
        ? plain.length >= 12 && (/\d/.test(plain) || looksRandom(plain, 20))
        : looksRandom(plain, 24))
    )
      continue;
    const valueStart = start + match.index + pair.length - value.length;
    found.push({ kind: "cookie", start: valueStart, end: valueStart + value.length });
  }
  return end;
}
