import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { looksRandom } from "./randomness.ts";

const BASE64 = /[ \t]{0,4}\\{0,3}["']?([A-Za-z0-9+/]{12,400}={0,2})(?![\w+/=-])/y;
const USER_TUPLE = /[ \t]{0,2}\([ \t]{0,2}["'][^"'\n]{1,80}["'],[ \t]{0,2}["']([^"'\n]{4,128})["']/y;
const SIGNATURE = /((?:[A-Za-z0-9+/]|%2[BbFf]){40,90}(?:=|%3[Dd]){0,2})/y;
const PUTTY_LINES = /[ \t]{0,2}\d{1,3}\r?\n((?:[A-Za-z0-9+/=]{4,80}\r?\n?){1,200})/y;

/** Twelve to twenty-four words: the way back into a wallet. */
const SEED_WORDS = /[ \t]{0,4}\\{0,3}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z ])/y;

export function isOddName(lower: string): boolean {
  return (
    lower === "sig" ||
    lower === "private-lines" ||
    (/(?:^|[._-])auth$|mnemonic$|phrase$/.test(lower) && !lower.endsWith("passphrase"))
  );
}

/** Values that only their own form confirms: `auth` in a registry's settings, `sig` in a URL, the lines of a PuTTY key. */
export function findOddValue(text: string, name: string, at: number, found: Finding[]): number {
  if (name === "sig") return mask(text, SIGNATURE, at, "azure-key", found);
  if (name === "private-lines") return mask(text, PUTTY_LINES, at, "ssh-private-key", found);
  if (!name.endsWith("auth")) return mask(text, SEED_WORDS, at, "seed-phrase", found);
  const end = mask(text, USER_TUPLE, at, "password", found);
  return end > at ? end : mask(text, BASE64, at, "password", found);
}

function mask(text: string, pattern: RegExp, at: number, kind: string, found: Finding[]): number {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const secret = match?.[1]?.trimEnd();
  if (match === null || secret === undefined || isPlaceholder(secret)) return at;
  if (pattern === BASE64 && !holdsUserAndPassword(secret)) return at;
  if (pattern === SIGNATURE && !looksRandom(secret.replace(/%../g, "+"), 40)) return at;
  const start = at + match[0].lastIndexOf(secret);
  found.push({ kind, start, end: start + secret.length, ...(pattern === PUTTY_LINES ? { shown: "" } : {}) });
  return start + secret.length;
}

/** `auth` of a registry is `user:password` in base64; nothing else that is called `auth` decodes to that. */
function holdsUserAndPassword(base64: string): boolean {
  try {
    return /^[\x21-\x7e]{1,80}:[\x20-\x7e]{3,}$/.test(atob(base64));
  } catch {
    return false;
  }
}
