import { findAuthorization, findCookies, holdsUserAndPassword, isSessionCookie } from "./find-headers.ts";
import { findListedValues } from "./find-lists.ts";
import { findCredentialLine, findPair, mayBePair } from "./find-pairs.ts";
import { isSeedPhrase } from "./find-phrases.ts";
import { findJwk } from "./find-private-keys.ts";
import { findUrlCredentials } from "./find-urls.ts";
import type { Finding } from "./finding.ts";
import { MASK_BEGIN } from "./mask.ts";
import {
  isInCookie,
  readNameInWords,
  readNameOfPair,
  readNameWithParent,
  readPairedName,
  readParentName,
} from "./name-around.ts";
import { isMixed } from "./place.ts";
import { isPasswordOfUser, isStrongKey, isStrongPassword, looksRandom } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { PADDING } from "./scan-signs.ts";
import { endOfSecretName, mayBeSecretName, readSecretName, type SecretName } from "./secret-name.ts";
import { isPlaceholder, isSecretValue, readValue, skip, TYPE_BETWEEN, type Value } from "./secret-value.ts";

const MAX_NAME = 80;
const PLURAL = /(?:keys|tokens|secrets|passwords|credentials)$/;
const LONG = 256;
const LONG_VALUE = /[ \t]{0,12}[brufL@&]?\\{0,3}["'`]?[^\s"'`]{16}/iy;

/** A whole line, or everything up to the next quote: `token: h7Tq2Lm9`. */
const SHORT_VALUE = /[ \t]{0,4}["']?[^\s"'`,;(){}[\]<>\\]{8,15}["']?[ \t]{0,4}(?:$|[\r\n"'\\])/y;

/** Values after names that mean a secret: `password=`, `"apiKey": "…"`, `SECRET_TOKEN=…`, headers, URLs, cookies. */
export const assignmentSigns: readonly Sign[] = [
  { sign: "=", find: assignmentAt },
  { sign: ":", find: assignmentAt },
  // As it is typed in Chinese and Japanese.
  { sign: "：", find: assignmentAt },
  { sign: ":", before: "123456789*", find: findCredentialLine },
  // `setProperty("db.password", "…")`, `getenv("DB_PASS", "…")`
  ...['",', "',"].map((sign) => ({ sign, find: argumentAfter })),
  // `set -gx DB_PASS …`, `ENV API_KEY …`, `#define WIFI_PASSWORD "…"`
  ...["PASS ", "Pass ", "PWD ", "WORD ", "KEY ", "TOKEN ", "CRET "].map((sign) => ({
    sign,
    find: (text: string, at: number, found: Finding[]) => settingAfter(text, at + sign.length - 1, found),
  })),
];

function assignmentAt(text: string, at: number, found: Finding[], units: Uint16Array): number {
  // The colons inside a URL are not separators.
  if (units[PADDING + at + 1] === 47 && text.startsWith("://", at))
    return findUrlCredentials(text, at, found);
  if (!mayBeSecretName(units, PADDING + at))
    return units[PADDING + at] === 58 && mayBePair(units, PADDING + at) ? findPair(text, at, found) : at;
  const nameEnd = endOfSecretName(text, at);
  const after = nameEnd === -1 ? at : maskValue(text, nameEnd, at, found);
  return after === at && mayBePair(units, PADDING + at) ? findPair(text, at, found) : after;
}

const ARGUMENT = /["'],\s{0,8}(?:\w{1,12}\s?[=:]\s?)?(?:'"|"\\"|(["']))([^"'\n\\]{4,400})(?:"'|\\""|["'])/y;

/** Masks the argument after one that names a secret; returns the position to continue from. */
function argumentAfter(text: string, at: number, found: Finding[], units: Uint16Array): number {
  if (!mayBeSecretName(units, PADDING + at) || endOfSecretName(text, at) !== at) return at;
  ARGUMENT.lastIndex = at;
  const match = ARGUMENT.exec(text);
  const argument = match?.[2];
  if (argument === undefined || match === null) return at;
  const name = readSecretName(text.slice(startOfName(text, at), at));
  const start = at + match[0].lastIndexOf(argument);
  const value: Value = { text: argument, start, end: start + argument.length, quote: '"', isInside: true };
  if (name === undefined || !isSecretValue(name, value, "")) return at;
  found.push({ kind: kindOf(name, value), start, end: value.end });
  return value.end;
}

const AFTER_SETTING = /[ \t]{1,8}(["']?)([^\s"'`\\;|<>(){}[\]]{6,400})\1(?=[\s;]|\\|$)/y;

/** Masks the word after the name of a setting, without a sign between them; returns the position to continue from. */
function settingAfter(text: string, nameEnd: number, found: Finding[]): number {
  AFTER_SETTING.lastIndex = nameEnd;
  const word = AFTER_SETTING.exec(text)?.[2];
  if (word === undefined || !(isStrongPassword(word) || isStrongKey(word))) return nameEnd;
  const name = readSecretName(text.slice(startOfName(text, nameEnd), nameEnd));
  const end =
    AFTER_SETTING.lastIndex -
    (AFTER_SETTING.lastIndex > nameEnd && /["']/.test(text.charAt(AFTER_SETTING.lastIndex - 1)) ? 1 : 0);
  const value: Value = { text: word, start: end - word.length, end, quote: '"' };
  if (name === undefined || !isSecretValue(name, value, "")) return nameEnd;
  found.push({ kind: kindOf(name, value), start: value.start, end });
  return end;
}

function startOfName(text: string, end: number): number {
  const limit = Math.max(0, end - MAX_NAME);
  let start = end;
  while (start > limit && isNameCharacter(text.charCodeAt(start - 1))) start--;
  // A name inside a mask is the kind of the masked secret.
  if (text.startsWith(": ", start - 2) && text.startsWith(MASK_BEGIN, start - 2 - MASK_BEGIN.length))
    return end;
  return start;
}

/** `arn:aws:secretsmanager:eu-west-1:123456789012:secret:…` */
function isPartOfArn(text: string, nameStart: number): boolean {
  return (
    text.charAt(nameStart - 1) === ":" && text.slice(Math.max(0, nameStart - 80), nameStart).includes("arn:")
  );
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

/** `=`, `:`, `==`, `===`, `=>`, `:=`, `=~`: returns the position after the operator. */
function afterOperator(text: string, at: number): number {
  let end = at + 1;
  while (
    end < at + 3 &&
    (text.charCodeAt(end) === 61 || text.charCodeAt(end) === 62 || text.charCodeAt(end) === 126)
  )
    end++;
  return end;
}

/** Masks the value if it is a secret; returns the position to continue from. */
function maskValue(text: string, nameEnd: number, separatorAt: number, found: Finding[]): number {
  const nameStart = startOfName(text, nameEnd);
  if (nameStart === nameEnd || isSessionId(text, nameEnd)) return separatorAt;
  const name = text.slice(nameStart, nameEnd);
  const at = afterOperator(text, separatorAt);
  const lower = name.toLowerCase();
  if (lower.endsWith("authorization")) return findAuthorization(text, at, found);
  if (lower.endsWith("cookie"))
    return findCookies(text, at, found, lower.length > 6 && !lower.endsWith("set-cookie"));
  if (lower === "value") {
    const headerEnd = maskHeaderValue(text, nameStart, at, found);
    if (headerEnd !== -1) return headerEnd;
  }
  if (lower === "kty") return findJwk(text, at, found);
  // `user/pass: admin/…`
  const isPair = text.startsWith("user/", nameStart - 5) || text.startsWith("username/", nameStart - 9);
  const oddEnd = findOddValue(text, isPair ? `user/${lower}` : lower, at, found);
  if (oddEnd !== -1) return oddEnd;
  // `--- PASS: TestName`
  if (name === "PASS" && text.charCodeAt(separatorAt) !== 61) return separatorAt;
  if (PLURAL.test(lower)) {
    const listed = readSecretName(name.replace(/s$/i, ""));
    const listEnd = listed === undefined ? -1 : findListedValues(text, at, listed, found);
    if (listEnd !== -1) return listEnd;
  }
  const secretName = readName(text, name, nameStart, at);
  if (secretName === undefined || isPartOfArn(text, nameStart)) return separatorAt;
  // C++ and Perl: `Pass::Name`; LDIF: `userPassword:: <base64>`.
  if (text.charCodeAt(separatorAt) === 58 && text.charCodeAt(at) === 58)
    return maskBase64(text, at + 1, secretName, found);
  // `${DB_PASSWORD:-hunter2}`
  const isDefault = text.startsWith("${", nameStart - 2);
  const isAssigned = text.charAt(separatorAt + 1) === "=";
  if (isDefault && text.charAt(at) !== "-" && !isAssigned) return at;
  const valueAt = isDefault && !isAssigned ? at + 1 : at;
  const isSetting = secretName.isSetting && !isDefault && isSettingLine(text, nameEnd, separatorAt, valueAt);
  const value = readValue(text, valueAt, isSetting);
  if (value === undefined) return separatorAt;
  const next = isDefault ? "" : text.charAt(value.end);
  const isTaken = isSetting || (!isDefault && isLoneField(text, nameStart, nameEnd, value));
  if (!isSecretValue({ ...secretName, isSetting: isTaken }, value, next)) {
    // A long value is read only once: otherwise a text of nothing but `password=` would be read again from each of
    // them.
    return value.text.length > LONG ? value.end : separatorAt;
  }
  found.push({ kind: kindOf(secretName, value), start: value.start, end: value.end });
  return maskReplacement(text, value, secretName, found);
}

/** The `value` of a header or cookie in a HAR file, a collection of requests, or an export of a browser; -1 if it is none. */
function maskHeaderValue(text: string, nameStart: number, at: number, found: Finding[]): number {
  const name = readNameOfPair(text, nameStart);
  if (name === undefined) return -1;
  if (name.endsWith("authorization")) return findAuthorization(text, at, found);
  if (name === "cookie" || name === "set-cookie") return findCookies(text, at, found);
  const value = readValue(text, at, false);
  if (value === undefined || value.quote === "" || !isSessionCookie(name, value.text)) return -1;
  if (/\s/.test(value.text) || !isInCookie(text, nameStart, value.end)) return -1;
  found.push({ kind: "cookie", start: value.start, end: value.end });
  return value.end;
}

/** `"old" -> "new"`, as Terraform prints a change. */
const REPLACEMENT = /["'][ \t]{0,2}(?:->|=>|\u2192)[ \t]{0,2}["']([^"'\n]{4,200})["']/y;

function maskReplacement(text: string, value: Value, name: SecretName, found: Finding[]): number {
  if (value.quote === "") return value.end;
  REPLACEMENT.lastIndex = value.end;
  const other = REPLACEMENT.exec(text)?.[1];
  if (other === undefined || isPlaceholder(other)) return value.end;
  const end = REPLACEMENT.lastIndex - 1;
  found.push({ kind: kindOf(name, value), start: end - other.length, end });
  return end;
}

const LDIF_BASE64 = /[ \t]{1,2}([A-Za-z0-9+/]{8,400}={0,2})(?=\s|$)/y;

function maskBase64(text: string, at: number, name: SecretName, found: Finding[]): number {
  LDIF_BASE64.lastIndex = at;
  const encoded = LDIF_BASE64.exec(text)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return at;
  const end = LDIF_BASE64.lastIndex;
  found.push({ kind: name.kind, start: end - encoded.length, end });
  return end;
}

const WHOLE_LINE = /[ \t]{1,4}[^\s"'`\\]{1,4096}[ \t]{0,4}(?:$|[\r\n"'`\\])/y;

/**
 * `NAME=value` without spaces, or `NAME: value` with nothing after it; with spaces or more words it is code or prose.
 */
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

/** The name before the separator, or a name elsewhere that describes the value. */
function readName(text: string, name: string, nameStart: number, at: number): SecretName | undefined {
  if (name.length < 40 && /(?:^|[.:])(?:value|default)$/i.test(name)) {
    const value = readValue(text, at, false);
    return value === undefined
      ? undefined
      : (readPairedName(text, nameStart, value.end) ?? readParentName(text, nameStart));
  }
  if (name.length <= 9 && /^(?:appid|signature|auth)$/i.test(name))
    return /[?&]/.test(text.charAt(nameStart - 1)) ? readSecretName("api_secret") : undefined;
  if (name.length <= 5 && /^(?:key|token|none|code)$/i.test(name)) {
    // These names are everywhere, and their values are nearly always short.
    LONG_VALUE.lastIndex = skip(TYPE_BETWEEN, text, at);
    if (!LONG_VALUE.test(text))
      return /^token$/i.test(name) && skip(SHORT_VALUE, text, at) > at ? readSecretName(name) : undefined;
    // `?key=…`
    if (/[?&]/.test(text.charAt(nameStart - 1)))
      return readSecretName(name === "code" ? "auth_code" : "api_key");
    if (
      name !== "none" &&
      /totp|otpauth|authenticator/i.test(text.slice(Math.max(0, nameStart - 60), nameStart))
    )
      return readSecretName("totp_secret");
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

/** A value that only its own form confirms, because its name says too little. */
interface OddValue {
  /** The name, in lower case. */
  readonly name: RegExp;
  readonly kind: string;
  /** The text after the separator; the first group is the secret. */
  readonly pattern: RegExp;
  readonly confirm?: (secret: string) => boolean;
  /** The secret is made of dictionary words, so `sample` or `hidden` in it does not mean a placeholder. */
  readonly isWords?: boolean;
  /** The text before each further secret of the same list; the first group is the secret. */
  readonly more?: RegExp;
}

const SEED_NAME = /mnemonic$|(?<!pass)phrase$|(?:seed|recovery|backup|wallet)[._-]?words$|seed$/;

const oddValues: readonly OddValue[] = [
  {
    name: /^sig$/,
    kind: "azure-key",
    pattern: /((?:[A-Za-z0-9+/]|%2[BbFf]){40,90}(?:=|%3[Dd]){0,2})/y,
    confirm: (signature) => looksRandom(signature.replace(/%../g, "+"), 40),
  },
  {
    name: /^private-lines$/,
    kind: "ssh-private-key",
    pattern: /[ \t]{0,2}\d{1,3}\r?\n((?:[A-Za-z0-9+/=]{4,80}\r?\n?){1,200})/y,
  },
  // Twelve to twenty-four words, in one line or numbered, or a list of them: the way back into a wallet.
  {
    name: SEED_NAME,
    kind: "seed-phrase",
    pattern:
      /\s{0,8}\\{0,3}["'`]?((?:(?:\d{1,2}[.)] {0,2})?[a-z]{3,8}(?:,? {1,3}|[ \t]{0,2}\r?\n[ \t]{0,4})){11,23}(?:\d{1,2}[.)] {0,2})?[a-z]{3,8})(?![a-z]| [a-z])/y,
    confirm: isSeedPhrase,
    isWords: true,
  },
  {
    name: SEED_NAME,
    kind: "seed-phrase",
    pattern: /\s{0,8}\[\s{0,8}["']([a-z]{3,8}(?:["'],\s{0,8}["'][a-z]{3,8}){11,23})["']\s{0,8}\]/y,
    confirm: isSeedPhrase,
    isWords: true,
  },
  // `auth=("user", "…")` of a call.
  {
    name: /(?:^|[._-])auth$/,
    kind: "password",
    pattern: /[ \t]{0,2}[([][ \t]{0,2}["'][^"'\n]{1,80}["'],[ \t]{0,2}["']([^"'\n]{4,128})["']/y,
  },
  // `auth` of a registry is `user:password` in base64.
  {
    name: /(?:^|[._-])auth$/,
    kind: "password",
    pattern: /[ \t]{0,4}\\{0,3}["']?([A-Za-z0-9+/]{12,400}={0,2})(?![\w+/=-])/y,
    confirm: holdsUserAndPassword,
  },
  // The bytes of a key: `secretKey = [12, 201, …]`
  {
    name: /key$|secret$|keypair$/,
    kind: "private-key",
    pattern:
      /\s{0,4}(?:Uint8Array\.from\(|new Uint8Array\()?\[\s{0,8}((?:\d{1,3}\s{0,2},\s{0,8}){31,127}\d{1,3})\s{0,8}\]/y,
  },
  // The key of an authenticator, in groups: `abcd efgh …`
  {
    name: /(?:key|secret|totp|otp|code)$/,
    kind: "secret",
    pattern: /\s{0,4}["'`]?((?:[A-Za-z2-7]{4} ){3,15}[A-Za-z2-7]{4})(?![\w ])/y,
    confirm: (groups) =>
      /[2-7]/.test(groups) && (groups === groups.toLowerCase() || groups === groups.toUpperCase()),
  },
  // `--basic-auth=user:…`, `proxy_auth: user:…`
  {
    name: /(?:^|[._-])auth$/,
    kind: "password",
    pattern: /[ \t]{0,4}\\{0,3}["']?[\w.@+-]{1,60}:([^\s"'`\\:/,;(){}][^\s"'`\\:,;(){}]{5,127})/y,
    confirm: (password) => isPasswordOfUser(password) && (isMixed(password) || looksRandom(password, 20)),
  },
  // The keys of accounts of a blockchain: `accounts: ["0x…"]`
  {
    name: /^accounts$/,
    kind: "private-key",
    pattern: /\s{0,4}\[\s{0,8}["'`](?:0x)?([0-9a-fA-F]{64})/y,
    more: /["'`],\s{0,20}["'`](?:0x)?([0-9a-fA-F]{64})(?![0-9a-fA-F])/y,
  },
  // The answer of an identity provider: signed XML in base64, of any length
  {
    name: /samlresponse$|assertion$/,
    kind: "token",
    pattern: /["'`]?((?:[A-Za-z0-9+/]|%2[BbFf]|%0[AaDd]){80,60000}(?:=|%3[Dd]){0,2})(?![\w.-])/y,
  },
  // `login: qa-bot / …`, `creds: admin:…`
  {
    name: /(?:^|[._-])(?:creds|credentials|login|user\/pass(?:word)?)$/,
    kind: "password",
    pattern: /[ \t]{0,4}["'`]?[\w.@+-]{2,60}["'`]?[ \t]{0,2}[/:|,][ \t]{0,2}["'`]?([^\s"'`,;()<>/\\]{6,64})/y,
    confirm: (password) =>
      /\d/.test(password) &&
      /[A-Za-z]{2}/.test(password) &&
      /[^\w.:-]|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(password),
  },
];

const ODD_NAME = new RegExp(oddValues.map(({ name }) => name.source).join("|"));

/** Masks the value of such a name; returns where it ends, or -1. */
function findOddValue(text: string, name: string, at: number, found: Finding[]): number {
  if (!ODD_NAME.test(name)) return -1;
  for (const odd of oddValues) {
    if (!odd.name.test(name)) continue;
    odd.pattern.lastIndex = at;
    const match = odd.pattern.exec(text);
    const secret = match?.[1]?.trimEnd();
    if (match === null || secret === undefined) continue;
    if (odd.isWords === true ? secret.includes(MASK_BEGIN) : isPlaceholder(secret)) continue;
    if (odd.confirm !== undefined && !odd.confirm(secret)) continue;
    const start = at + match[0].lastIndexOf(secret);
    const end = start + secret.length;
    found.push({ kind: odd.kind, start, end });
    return odd.more === undefined ? end : maskMore(text, end, odd.kind, odd.more, found);
  }
  return -1;
}

/** Masks the further secrets of a list; returns where the last one ends. */
function maskMore(text: string, from: number, kind: string, more: RegExp, found: Finding[]): number {
  let end = from;
  more.lastIndex = end;
  for (let match = more.exec(text); match !== null; match = more.exec(text)) {
    end = more.lastIndex;
    found.push({ kind, start: end - (match[1] ?? "").length, end });
  }
  return end;
}
