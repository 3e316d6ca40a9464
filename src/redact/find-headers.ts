import { isUuid } from "../jsonl/values.ts";
import type { Finding } from "./finding.ts";
import { looksRandom, looksWritten } from "./randomness.ts";
import { isPlaceholder, withoutTrailing } from "./secret-value.ts";

/** Whether base64 decodes to `user:password`. */
export function holdsUserAndPassword(base64: string): boolean {
  try {
    return /^[\x21-\x7e]{1,80}:[\x20-\x7e]{3,}$/.test(atob(base64));
  } catch {
    return false;
  }
}

const MAX_HEADER = 4096;
const PAIR = /([\w.!#$%&*+^|~-]{1,100})=([^;,\s"'`\\]{0,4096})/g;
/** Attributes of Set-Cookie, and tracking cookies, which grant no access. */
const HARMLESS =
  /^(?:path|domain|expires|max-age|samesite|version|priority|_ga.*|_gid|_gcl_.*|_fbp|theme|lang|locale)$/i;
const SESSION = /sess|sid$|auth|token|jwt|csrf|remember|login/i;

/** Masks the values in a Cookie or Set-Cookie header that grant access; returns where the header ends. */
export function findCookies(text: string, at: number, found: Finding[], mayBeOne = false): number {
  const limit = Math.min(text.length, at + MAX_HEADER);
  // Up to the end of the line, of the quoted text, or an escaped line end of JSON.
  const opening = /[ \t]{0,4}\\{0,3}["'`]?/y;
  opening.lastIndex = at;
  opening.test(text);
  const start = opening.lastIndex;
  let end = start;
  while (end < limit && !/[\n"'`\\]/.test(text.charAt(end))) end++;
  const header = text.slice(start, end);
  // `RELEASE_COOKIE=…`: the cookie by which nodes of Erlang know each other.
  if (mayBeOne && looksRandom(header.trim(), 16) && !/=./.test(header))
    found.push({ kind: "cookie", start, end: start + header.trimEnd().length });
  for (const match of header.matchAll(PAIR)) {
    const [pair, name = "", value = ""] = match;
    if (!isSessionCookie(name, value)) continue;
    const valueStart = start + match.index + pair.length - value.length;
    found.push({ kind: "cookie", start: valueStart, end: valueStart + value.length });
  }
  return end;
}

/** Whether a cookie of this name and value grants access. */
export function isSessionCookie(name: string, value: string): boolean {
  if (HARMLESS.test(name) || isPlaceholder(value)) return false;
  const plain = value.replace(/%[0-9A-Fa-f]{2}/g, "");
  return SESSION.test(name)
    ? plain.length >= 12 && (/\d/.test(plain) || looksRandom(plain, 20))
    : looksRandom(plain, 24);
}

/** `Bearer …`, `"Basic …"`, `` `token …` ``, `ApiKey …`: the scheme stays, the text after it is masked. */
const CREDENTIALS =
  /[\s,]{0,4}\\{0,3}["'`]?(?:([A-Za-z][\w-]{1,40})(?:\s|%20|\+){1,2})?([\w+/=.~:%!@-]{8,4096})/y;
/** Schemes after which even a value that does not look random is a credential. */
const KNOWN_SCHEME =
  /^(?:bearer|basic|token|apikey|api-key|digest|negotiate|ntlm|key|bot|jwt|oauth|ssws|geniekey|accesskey|hmac|aws|sharedkey(?:lite)?|zoho-oauthtoken)$/i;
/** `Digest username="…", response="…"`, `Signature keyId="…",signature="…"`, `SharedAccessSignature sr=…&sig=…`. */
const PARAMETERS = /[\s,]{0,4}\\{0,3}["'`]?[A-Za-z][\w-]{1,40}\s{1,2}(?=[\w-]{1,40}=[^=\s])/y;
const PARAMETER = /([\w-]{1,40})=\\{0,3}["']?([^\s"',&;\\]{8,1000})/g;
const SECRET_PARAMETER =
  /^(?:response|(?:\w{1,20}_)?(?:signature|token|secret|password)|sig|mac|hash|auth|key|api[_-]?key|pveapitoken)$/i;
const MAX_PARAMETERS = 2_000;
const MIN_BARE = 20;

/** Masks the credentials of an Authorization header; returns where to continue. */
export function findAuthorization(text: string, at: number, found: Finding[]): number {
  PARAMETERS.lastIndex = at;
  if (PARAMETERS.test(text)) return maskParameters(text, PARAMETERS.lastIndex, found);
  CREDENTIALS.lastIndex = at;
  const match = CREDENTIALS.exec(text);
  if (match?.[2] === undefined) return at;
  const credentials = withoutTrailing(match[2], ".:%!");
  if (credentials.includes("://") || isPlaceholder(credentials) || !isCredential(match[1], credentials))
    return at;
  const start = at + match[0].length - match[2].length;
  const end = start + credentials.length;
  found.push({ kind: "authorization", start, end });
  return end;
}

function isCredential(scheme: string | undefined, credentials: string): boolean {
  // Without a scheme, only a value that can be nothing else.
  if (scheme === undefined)
    return (
      credentials.length >= MIN_BARE &&
      !looksWritten(credentials) &&
      (/[\d+/=]/.test(credentials) || looksRandom(credentials, MIN_BARE))
    );
  if (KNOWN_SCHEME.test(scheme)) return /[\d+/=]/.test(credentials) || looksRandom(credentials, 20);
  return isUuid(credentials) || looksRandom(credentials, 16);
}

function maskParameters(text: string, from: number, found: Finding[]): number {
  const parameters = text.slice(from, from + MAX_PARAMETERS).split("\n", 1)[0] ?? "";
  for (const match of parameters.matchAll(PARAMETER)) {
    const [pair, name = "", value = ""] = match;
    if (!SECRET_PARAMETER.test(name) || isPlaceholder(value) || !/\d/.test(value)) continue;
    const start = from + match.index + pair.length - value.length;
    found.push({ kind: "authorization", start, end: start + value.length });
  }
  return from;
}
