import type { Finding } from "./finding.ts";
import { isPlaceholder } from "./secret-value.ts";
import { MARGIN } from "./text-units.ts";

const COLON = 58;
/** `.pgpass`: from the colon after the host, `:5432:shop:app:…` up to the end of the line. */
const PGPASS = /:(?:\d{3,5}|\*):[\w*.-]{1,63}:[\w*.@-]{1,63}:([^\s:"'`\\]{4,128})(?![^\r\n"'`\\])/y;
const HOST_BEFORE = /(?:^|[\s"'`])(?:\*|localhost|\/[\w/.-]{1,80}|[\w-]{1,63}(?:\.[\w-]{1,63}){0,8})$/;
/** A dump of Windows accounts, from the second colon on: `:500:<LM hash>:<NT hash>:::`. */
const PWDUMP = /:\d{3,10}:([0-9a-f]{32}:[0-9a-f]{32}):::/iy;

/** Masks the password of a line whose fields are parted by colons, at the first colon; returns where to go on. */
export function findCredentialLine(text: string, at: number, found: Finding[], units: Uint16Array): number {
  // `:*:` or three digits: what line numbers and times seldom have.
  const fourth = units[MARGIN + at + 4] ?? 0;
  const isNumber = fourth >= 48 && fourth <= COLON;
  if (!isNumber && units[MARGIN + at + 2] !== COLON) return at;
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
