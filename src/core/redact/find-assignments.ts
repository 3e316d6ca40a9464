import { findAuthorization } from "./find-authorization.ts";
import { findCookies } from "./find-cookies.ts";
import { findOddValue, isOddName } from "./find-odd-value.ts";
import { findUrlCredentials } from "./find-url-credentials.ts";
import type { Finder, Finding } from "./finding.ts";
import { MASK_BEGIN } from "./mask.ts";
import { readValue, type Value } from "./read-value.ts";
import { endOfSecretName, mayBeSecretName } from "./secret-ending.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import { isSecretValue } from "./secret-value.ts";
import { MARGIN } from "./text-units.ts";

const MAX_NAME = 80;
const LONG = 256;
const LOOK_BACK = 100;
/** `name: DB_PASSWORD` or `key="SmtpPassword"`, right before its value. */
const PAIR_NAME =
  /(?:name|key|variable)\\?["']?\s{0,2}[:=]\s{0,2}\\?["']?([\w.-]{2,60})\\?["']?[\s,;]{1,24}\\?["']?$/i;
const LONG_VALUE = /[ \t]{0,12}[brufL@&]?\\{0,3}["'`]?[^\s"'`]{16}/iy;
/** In prose and prompts a name has spaces: `API key: …`, `AWS Secret Access Key [None]: …`. */
const WORDS_BEFORE = /(?<![A-Za-z])((?:[A-Za-z]{2,12} ){1,3})\[?$/;

/** Values of names that tell a secret: `password=`, `"apiKey": "…"`, `SECRET_TOKEN=…`, headers, URLs, cookies. */
export const findAssignments: Finder = (text, found, units) => {
  scan(text, "=", found, units);
  scan(text, ":", found, units);
};

function scan(text: string, separator: "=" | ":", found: Finding[], units: Uint16Array): void {
  let at = text.indexOf(separator);
  while (at !== -1) {
    let next = at + 1;
    if (separator === ":" && units[MARGIN + next] === 47 && units[MARGIN + next + 1] === 47) {
      next = findUrlCredentials(text, at, found);
    } else if (mayBeSecretName(units, MARGIN + at)) {
      const nameEnd = endOfSecretName(text, at);
      if (nameEnd !== -1) next = Math.max(next, maskValue(text, nameEnd, at, found));
    }
    at = text.indexOf(separator, next);
  }
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
    code === 46
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
  if (isOddName(lower)) return findOddValue(text, lower, at, found);
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

/** The name in front of the separator, or the one that a pair gives: `name: DB_PASSWORD, value: …`; `API key: …`. */
function readName(text: string, name: string, nameStart: number, at: number): SecretName | undefined {
  if (name.length < 40 && /(?:^|[.:])value$/i.test(name)) {
    const before = text.slice(Math.max(0, nameStart - LOOK_BACK), nameStart);
    const pair = PAIR_NAME.exec(before)?.[1];
    return pair === undefined ? undefined : readSecretName(pair);
  }
  if (name.length <= 5 && /^(?:key|token|none)$/i.test(name)) {
    // These names are everywhere, and their values nearly always short.
    LONG_VALUE.lastIndex = at;
    if (!LONG_VALUE.test(text)) return undefined;
    // `?key=…`
    if (/[?&]/.test(text.charAt(nameStart - 1))) return readSecretName("api_key");
    const words = WORDS_BEFORE.exec(text.slice(Math.max(0, nameStart - LOOK_BACK), nameStart))?.[1];
    if (words !== undefined) {
      const spoken = readSecretName((/none/i.test(name) ? words : words + name).trim().replaceAll(" ", "_"));
      // Any word may stand before `key` in a sentence.
      return spoken?.isStrong === true ? spoken : undefined;
    }
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
