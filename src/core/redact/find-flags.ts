import type { Finder, Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { readValue } from "./read-value.ts";
import { readSecretName } from "./secret-name.ts";
import { isSecretValue } from "./secret-value.ts";
import { MARGIN } from "./text-units.ts";

/** `--password x`, `-Password x`, and in a list of arguments `"--password", "x"`. With `=` it is an assignment. */
const LONG_FLAG = /--?([A-Za-z][\w-]{1,40})(?:\\{0,3}["'],[ \t]{0,2}(?=\\{0,3}["'])|[ \t]{1,3}(?!-))/y;
/** Flags of one letter, and the programs that take a password with them. */
const SHORT_FLAGS: Readonly<Record<string, RegExp>> = {
  p: /\b(?:sshpass|docker login|podman login|mongo(?:sh|dump|restore|export|import)?|mysql\w{0,10}|mariadb\w{0,10}|7za?|unrar|cadaver)\b/,
  a: /\bredis-cli\b/,
  w: /\bldap\w{1,10}\b/,
  P: /\b(?:zip|unzip|sqlcmd|bcp)\b/,
  u: /\b(?:curl|wget|http|https|xh)\b/,
};
const LOOK_BACK = 200;

/** Secrets after flags of a command. */
export const findFlags: Finder = (text, found, units) => {
  let at = text.indexOf("-");
  while (at !== -1) {
    const end = mayBeFlag(units, MARGIN + at) ? flagAt(text, at, found) : at;
    at = text.indexOf("-", Math.max(end, at + 1));
  }
};

/** Space, line end, tab, quotes, bracket, comma: what stands before a flag. */
const OPENS_FLAG: Uint8Array = new Uint8Array(65_536);
for (const character of " \n\t\"'`[,") OPENS_FLAG[character.charCodeAt(0)] = 1;
/** The letters of flags that have one and may come with a password. */
const SHORT_FLAG: Uint8Array = new Uint8Array(65_536);
for (const letter of ["S", ...Object.keys(SHORT_FLAGS)]) SHORT_FLAG[letter.charCodeAt(0)] = 1;

/** Whether a flag worth reading may begin here; nearly all hyphens stand inside of words, or before a space. */
function mayBeFlag(units: Uint16Array, at: number): boolean {
  if (at !== MARGIN && OPENS_FLAG[units[at - 1] ?? 0] !== 1) return false;
  const second = units[at + 1] ?? 0;
  const third = units[at + 2] ?? 0;
  if (second === 45) return isLetter(third);
  return isLetter(second) && ((third >= 97 && third <= 122) || SHORT_FLAG[second] === 1);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function flagAt(text: string, at: number, found: Finding[]): number {
  const second = text.charAt(at + 1);
  const third = text.charCodeAt(at + 2);
  if (second === "S" && text.endsWith("sudo ", at)) return pipedPassword(text, at, found);
  if (text.startsWith("--password-stdin", at)) return pipedPassword(text, at, found);
  const isLong = second === "-" || (third >= 97 && third <= 122);
  if (isLong) {
    const end = longFlag(text, at, found);
    if (end > at) return end;
  }
  const programs = SHORT_FLAGS[second];
  if (programs === undefined) return at;
  const line = text.slice(Math.max(0, at - LOOK_BACK), at);
  return programs.test(line.slice(line.lastIndexOf("\n") + 1)) ? shortFlag(text, at, second, found) : at;
}

/** `echo … | sudo -S`, `echo … | docker login --password-stdin`. */
const PIPED = /\becho (?:-n )?\\{0,3}(["']?)([^\s"'|]{4,128})\\{0,3}\1 ?\| ?[^|\n]{0,150}$/;

function pipedPassword(text: string, at: number, found: Finding[]): number {
  const from = Math.max(0, at - LOOK_BACK);
  const match = PIPED.exec(text.slice(from, at));
  const password = match?.[2]?.replace(/\\+$/, "");
  if (
    match === null ||
    password === undefined ||
    isPlaceholder(password) ||
    /^\$|^\w*pass\w*$/i.test(password)
  )
    return at;
  const start = from + match.index + match[0].indexOf(password, 5);
  found.push({ kind: "password", start, end: start + password.length });
  return at;
}

function longFlag(text: string, at: number, found: Finding[]): number {
  LONG_FLAG.lastIndex = at;
  const match = LONG_FLAG.exec(text);
  const flag = match?.[1];
  if (flag === undefined) return at;
  const valueAt = LONG_FLAG.lastIndex;
  if (flag === "user" || flag === "proxy-user") return userAndPassword(text, valueAt, found);
  if (flag === "passin" || flag === "passout") return passArgument(text, valueAt, found);
  const name = readSecretName(flag);
  if (name === undefined) return at;
  const value = readValue(text, valueAt, false);
  if (value === undefined || !isSecretValue(name, value, text.charAt(value.end))) return at;
  found.push({ kind: name.kind, start: value.start, end: value.end });
  return value.end;
}

function shortFlag(text: string, at: number, letter: string, found: Finding[]): number {
  if (letter === "u") return userAndPassword(text, at + 2, found);
  const isGlued = text.charCodeAt(at + 2) !== 32;
  const value = readValue(text, at + 2, true);
  if (value === undefined || value.text.startsWith("-") || isPlaceholder(value.text)) return at;
  // After a space it may be the name of the database; a word glued to the flag can only be the password.
  if (!/\d/.test(value.text) && !(isGlued && value.text.length >= 4 && letter === "p")) return at;
  if (/^[\d.:/]+$/.test(value.text) && !isGlued) return at;
  found.push({ kind: "password", start: value.start, end: value.end });
  return value.end;
}

const USER = /[ \t]{0,3}\\{0,3}["']?[\w.@+-]{1,80}:/y;

/** `-u user:password`, `--user "user:password"`. */
function userAndPassword(text: string, at: number, found: Finding[]): number {
  USER.lastIndex = at;
  if (!USER.test(text)) return at;
  const start = USER.lastIndex;
  const end = endOfWord(text, start);
  const password = text.slice(start, end);
  if (
    password.length < 4 ||
    isPlaceholder(password) ||
    /^(?:password|passwd|pass|token|secret|\d{1,5})$/i.test(password)
  )
    return at;
  found.push({ kind: "password", start, end });
  return end;
}

/** `-passin pass:secret` of openssl. */
function passArgument(text: string, at: number, found: Finding[]): number {
  if (!text.startsWith("pass:", at)) return at;
  const end = endOfWord(text, at + 5);
  if (end - at < 8 || isPlaceholder(text.slice(at + 5, end))) return at;
  found.push({ kind: "password", start: at + 5, end });
  return end;
}

const WORD = /[^\s"'`\\]{1,200}/y;

function endOfWord(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.test(text) ? WORD.lastIndex : at;
}
