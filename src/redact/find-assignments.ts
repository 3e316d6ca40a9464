import { findAuthorization } from "./find-authorization.ts";
import { findCookies } from "./find-cookies.ts";
import { findCredentialLine } from "./find-credential-lines.ts";
import { findJwk } from "./find-jwk.ts";
import { findOddValue } from "./find-odd-value.ts";
import { findUrlCredentials } from "./find-url-credentials.ts";
import type { Finding } from "./finding.ts";
import { MASK_BEGIN } from "./mask.ts";
import { readNameInWords, readNameWithParent, readPairedName, readParentName } from "./name-around.ts";
import { readValue, type Value } from "./read-value.ts";
import type { Sign } from "./scan-signs.ts";
import { endOfSecretName, mayBeSecretName } from "./secret-ending.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import { isSecretValue } from "./secret-value.ts";
import { MARGIN } from "./text-units.ts";

const MAX_NAME = 80;
const LONG = 256;
const LONG_VALUE = /[ \t]{0,12}[brufL@&]?\\{0,3}["'`]?[^\s"'`]{16}/iy;

/** Values of names that tell a secret: `password=`, `"apiKey": "…"`, `SECRET_TOKEN=…`, headers, URLs, cookies. */
export const assignmentSigns: readonly Sign[] = [
  { sign: "=", find: assignmentAt },
  { sign: ":", find: assignmentAt },
  // As it is typed in Chinese and Japanese.
  { sign: "：", find: assignmentAt },
  { sign: ":", before: "123456789*", find: findCredentialLine },
];

function assignmentAt(text: string, at: number, found: Finding[], units: Uint16Array): number {
  // The colons inside of a URL are no signs of their own.
  if (units[MARGIN + at + 1] === 47 && text.startsWith("://", at)) return findUrlCredentials(text, at, found);
  if (!mayBeSecretName(units, MARGIN + at)) return at;
  const nameEnd = endOfSecretName(text, at);
  return nameEnd === -1 ? at : maskValue(text, nameEnd, at, found);
}

function startOfName(text: string, end: number): number {
  const limit = Math.max(0, end - MAX_NAME);
  let start = end;
  while (start > limit && isNameCharacter(text.charCodeAt(start - 1))) start--;
  // A name inside a mask is the kind of what was masked.
  if (text.startsWith(": ", start - 2) && text.startsWith(MASK_BEGIN, start - 2 - MASK_BEGIN.length))
    return end;
  return start;
}

/** `sessionId`, `SessionID`: agents name every session so; only in cookies is such an id a secret. */
function isSessionId(text: string, nameEnd: number): boolean {
  return text.charCodeAt(nameEnd - 2) === 73 && text.charCodeAt(nameEnd - 3) >= 97;
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    isForeignLetter(code)
  );
}

/** Letters with accents, Cyrillic, kana, Chinese and Korean. */
function isForeignLetter(code: number): boolean {
  return (
    (code >= 0xc0 && code <= 0x24f) ||
    (code >= 0x400 && code <= 0x4ff) ||
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3)
  );
}

/** `=`, `:`, `==`, `===`, `=>`, `:=`, `=~`: where the operator is over. */
function afterOperator(text: string, at: number): number {
  let end = at + 1;
  while (
    end < at + 3 &&
    (text.charCodeAt(end) === 61 || text.charCodeAt(end) === 62 || text.charCodeAt(end) === 126)
  )
    end++;
  return end;
}

/** Masks the value, where it is one to mask; returns from where to go on. */
function maskValue(text: string, nameEnd: number, separatorAt: number, found: Finding[]): number {
  const nameStart = startOfName(text, nameEnd);
  if (nameStart === nameEnd || isSessionId(text, nameEnd)) return separatorAt;
  const name = text.slice(nameStart, nameEnd);
  const at = afterOperator(text, separatorAt);
  const lower = name.toLowerCase();
  if (lower.endsWith("authorization")) return findAuthorization(text, at, found);
  if (lower.endsWith("cookie")) return findCookies(text, at, found);
  if (lower === "kty") return findJwk(text, at, found);
  // `user/pass: admin/…`
  const isPair = text.startsWith("user/", nameStart - 5) || text.startsWith("username/", nameStart - 9);
  const oddEnd = findOddValue(text, isPair ? `user/${lower}` : lower, at, found);
  if (oddEnd !== -1) return oddEnd;
  // `--- PASS: TestName`
  if (name === "PASS" && text.charCodeAt(separatorAt) !== 61) return separatorAt;
  const secretName = readName(text, name, nameStart, at);
  if (secretName === undefined) return separatorAt;
  // C++ and Perl: `Pass::Name`.
  if (text.charCodeAt(separatorAt) === 58 && text.charCodeAt(at) === 58) return at + 1;
  // `${DB_PASSWORD:-hunter2}`
  const isDefault = text.startsWith("${", nameStart - 2);
  if (isDefault && text.charAt(at) !== "-") return at;
  const valueAt = isDefault ? at + 1 : at;
  const isSetting = secretName.isSetting && !isDefault && isSettingLine(text, nameEnd, separatorAt, valueAt);
  const value = readValue(text, valueAt, isSetting);
  if (value === undefined) return separatorAt;
  const next = isDefault ? "" : text.charAt(value.end);
  const isTaken = isSetting || (!isDefault && isLoneField(text, nameStart, nameEnd, value));
  if (!isSecretValue({ ...secretName, isSetting: isTaken }, value, next)) {
    // What is long is read once: else a text of nothing but `password=` would be read from each of them on.
    return value.text.length > LONG ? value.end : separatorAt;
  }
  found.push({ kind: kindOf(secretName, value), start: value.start, end: value.end });
  return value.end;
}

const WHOLE_LINE = /[ \t]{1,4}[^\s"'`\\]{1,4096}[ \t]{0,4}(?:$|[\r\n"'`\\])/y;

/** `NAME=value` without spaces, or `NAME: value` with nothing after it; with spaces or more words it is code or prose. */
function isSettingLine(text: string, nameEnd: number, separatorAt: number, valueAt: number): boolean {
  const first = text.charAt(valueAt);
  if (text.charCodeAt(separatorAt) === 61) return separatorAt === nameEnd && first !== " " && first !== "\t";
  WHOLE_LINE.lastIndex = valueAt;
  return WHOLE_LINE.test(text);
}

/** `?password=…&` in an address, `password=…` as a whole line of a settings file: no code looks like that. */
function isLoneField(text: string, nameStart: number, nameEnd: number, value: Value): boolean {
  if (text.charCodeAt(nameEnd) !== 61 || value.start !== nameEnd + 1) return false;
  const before = text.charAt(nameStart - 1);
  const after = text.charAt(value.end);
  if (before === "?" || before === "&") return after === "" || /[&\s"'`<)\\#]/.test(after);
  return (before === "" || before === "\n") && (after === "" || after === "\n" || after === "\r");
}

/** The name in front of the separator, or one that stands elsewhere. */
function readName(text: string, name: string, nameStart: number, at: number): SecretName | undefined {
  if (name.length < 40 && /(?:^|[.:])(?:value|default)$/i.test(name)) {
    const value = readValue(text, at, false);
    return value === undefined
      ? undefined
      : (readPairedName(text, nameStart, value.end) ?? readParentName(text, nameStart));
  }
  if (name.length <= 5 && /^(?:key|token|none|code)$/i.test(name)) {
    // These names are everywhere, and their values nearly always short.
    LONG_VALUE.lastIndex = at;
    if (!LONG_VALUE.test(text)) return undefined;
    // `?key=…`
    if (/[?&]/.test(text.charAt(nameStart - 1)))
      return readSecretName(name === "code" ? "auth_code" : "api_key");
    const named = readNameInWords(text, nameStart, name) ?? readNameWithParent(text, nameStart, name);
    if (named !== undefined) return named;
  }
  return readSecretName(name);
}

function kindOf(name: SecretName, value: Value): string {
  if (name.kind === "secret" || name.kind === "api-key") {
    if (/^[A-Za-z0-9+/]{40}$/.test(value.text) && name.words.includes("secret") && name.words.includes("key"))
      return "aws-secret-key";
    if (/^[A-Za-z0-9+/]{86}==$/.test(value.text)) return "azure-key";
  }
  if (name.kind === "token" && name.words.includes("session") && /^(?:IQoJ|FwoG|FQoG)/.test(value.text))
    return "aws-session-token";
  return name.kind;
}
