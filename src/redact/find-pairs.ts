import type { Finding } from "./finding.ts";
import { isStrongPassword } from "./randomness.ts";
import { PADDING } from "./scan-signs.ts";
import { isPlaceholder } from "./secret-value.ts";

/** A user right before the colon, and the characters that may precede a user. */
const USER = /(?:^|[\s"'`=[(>/\\,|:])([A-Za-z][\w.@+-]{1,40})$/;
/** Words that precede a colon elsewhere: `sha256:`, `npm:`, `fix:`. */
const NO_USER =
  /^(?:sha\d{0,3}|md5|h1|https?|urn|uuid|id|ref|v\d+|data|key|image|tag|commit|branch|npm|pkg|node|file|line|at|type|kind|name|version|re|fix|feat|chore|docs|test|integrity|checksum|hash|digest|etag|nonce|cid|did|arn|aws|secret|label|status|error|warn|info|debug)$/i;
const PASSWORD = /:\\{0,3}["']?([^\s"'`\\,;|<>(){}[\]]{8,80})/y;
/** A host after the last `@`: `user:password@host`, `user:password@tcp(host)`. */
const HOST = /^@(?:\/\/)?[A-Za-z\d][\w.-]*(?:[:/(]|$)/;
/** Words near a pair that say that it is one. */
const CONTEXT = /auth|user|login|logon|log in|cred|passw|account|zugang|allow|bundle|base64|secret/i;
const KNOWN_USER =
  /^(?:admin|administrator|root|postgres|ubuntu|deploy|demo|guest|sa|pi|superuser|elastic|neo4j)$/i;
const LOOK_BACK = 160;

const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 4;
const SIGN = 8;
/** The class of a character within a password; 0 for characters that end a word. */
const CLASS_OF: Uint8Array = new Uint8Array(65_536);
for (let code = 33; code < 127; code++) {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) CLASS_OF[code] = DIGIT;
  else if (/[a-z]/.test(character)) CLASS_OF[code] = SMALL;
  else if (/[A-Z]/.test(character)) CLASS_OF[code] = CAPITAL;
  else if (/[^"'`\\,;|<>(){}[\]]/.test(character)) CLASS_OF[code] = SIGN;
}
const MIN_PASSWORD = 8;

/** Whether a pair may be around the colon at `at` (with the margin); false only if there is certainly none. */
export function mayBePair(units: Uint16Array, at: number): boolean {
  const before = CLASS_OF[units[at - 1] ?? 0] ?? 0;
  if (before === 0 || before === SIGN) return false;
  let start = at + 1;
  while (units[start] === 92) start++;
  if (units[start] === 34 || units[start] === 39) start++;
  const first = CLASS_OF[units[start] ?? 0] ?? 0;
  if (first === 0 || first === SIGN || (first === DIGIT && before === DIGIT)) return false;
  let classes = first;
  let end = start + 1;
  for (
    let kind = CLASS_OF[units[end] ?? 0] ?? 0;
    kind !== 0 && end < start + 48;
    kind = CLASS_OF[units[++end] ?? 0] ?? 0
  )
    classes |= kind;
  return end - start >= MIN_PASSWORD && (classes & DIGIT) !== 0 && (classes & (CAPITAL | SIGN)) !== 0;
}

/** Masks the password of `user:password` if it can be nothing else; returns the position to continue from. */
export function findPair(text: string, at: number, found: Finding[]): number {
  PASSWORD.lastIndex = at;
  const word = PASSWORD.exec(text)?.[1];
  if (word === undefined) return at;
  const start = PASSWORD.lastIndex - word.length;
  const sign = word.lastIndexOf("@");
  const isBeforeHost =
    (sign > 0 && HOST.test(text.slice(start + sign, start + sign + 80))) ||
    /^["']@/.test(text.slice(PASSWORD.lastIndex, PASSWORD.lastIndex + 2));
  const password = isBeforeHost && sign > 0 ? word.slice(0, sign) : word.replace(/[.:?]+$/, "");
  if (!isStrongPassword(password) || isPlaceholder(password)) return at;
  const before = text.slice(Math.max(0, at - LOOK_BACK), at);
  const user = USER.exec(before.slice(-48))?.[1];
  if (user === undefined || NO_USER.test(user)) return at;
  if (!isBeforeHost && !KNOWN_USER.test(user) && !CONTEXT.test(before.slice(0, -user.length))) return at;
  found.push({ kind: "password", start, end: start + password.length });
  return start + password.length;
}

const COLON = 58;
/** `.pgpass`: from the colon after the host, `:5432:shop:app:…` up to the end of the line. */
const PGPASS = /:(?:\d{3,5}|\*):[\w*.-]{1,63}:[\w*.@-]{1,63}:([^\s:"'`\\]{4,128})(?![^\r\n"'`\\])/y;
const HOST_BEFORE = /(?:^|[\s"'`])(?:\*|localhost|\/[\w/.-]{1,80}|[\w-]{1,63}(?:\.[\w-]{1,63}){0,8})$/;
/** A dump of Windows accounts, from the second colon on: `:500:<LM hash>:<NT hash>:::`. */
const PWDUMP = /:\d{3,10}:([0-9a-f]{32}:[0-9a-f]{32}):::/iy;

/** Masks the password of a line whose fields are separated by colons, at the first colon; returns the position to continue from. */
export function findCredentialLine(text: string, at: number, found: Finding[], units: Uint16Array): number {
  // `:*:` or three digits: what line numbers and times seldom have.
  const fourth = units[PADDING + at + 4] ?? 0;
  const isNumber = fourth >= 48 && fourth <= COLON;
  if (!isNumber && units[PADDING + at + 2] !== COLON) return at;
  PWDUMP.lastIndex = at;
  const hashes = PWDUMP.exec(text)?.[1];
  if (hashes !== undefined) {
    const end = PWDUMP.lastIndex - 3;
    found.push({ kind: "password-hash", start: end - hashes.length, end });
    return end;
  }
  PGPASS.lastIndex = at;
  const password = PGPASS.exec(text)?.[1];
  if (
    password === undefined ||
    isPlaceholder(password) ||
    !/[^a-z.]/.test(password) ||
    /^[\d.]+$/.test(password)
  )
    return at;
  if (!HOST_BEFORE.test(text.slice(Math.max(0, at - 120), at))) return at;
  const end = PGPASS.lastIndex;
  found.push({ kind: "password", start: end - password.length, end });
  return end;
}
