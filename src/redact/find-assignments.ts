import { findCredentialLine } from "./find-credential-lines.ts";
import { findJwk } from "./find-jwk.ts";
import { findUrlCredentials } from "./find-url-credentials.ts";
import type { Finding } from "./finding.ts";
import { MASK_BEGIN } from "./mask.ts";
import { readNameInWords, readNameWithParent, readPairedName, readParentName } from "./name-around.ts";
import { isUuid, looksRandom, looksWritten } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { endOfSecretName, mayBeSecretName } from "./secret-ending.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import { isPlaceholder, isSecretValue, readValue, type Value, withoutTrailing } from "./secret-value.ts";
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

/** A value that only its own form confirms, because its name says too little. */
interface OddValue {
  /** The name, in lower case. */
  readonly name: RegExp;
  readonly kind: string;
  /** What follows the separator; the first group is the secret. */
  readonly pattern: RegExp;
  readonly confirm?: (secret: string) => boolean;
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
      /\s{0,8}\\{0,3}["'`]?((?:(?:\d{1,2}[.)] {0,2})?[a-z]{3,8}(?:,? {1,2}|[ \t]{0,2}\r?\n[ \t]{0,4})){11,23}(?:\d{1,2}[.)] {0,2})?[a-z]{3,8})(?![a-z ])/y,
    confirm: isSeedPhrase,
  },
  {
    name: SEED_NAME,
    kind: "seed-phrase",
    pattern: /\s{0,8}\[\s{0,8}["']([a-z]{3,8}(?:["'],\s{0,8}["'][a-z]{3,8}){11,23})["']\s{0,8}\]/y,
    confirm: isSeedPhrase,
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
  // The keys of accounts of a blockchain: `accounts: ["0x…"]`
  {
    name: /^accounts$/,
    kind: "private-key",
    pattern: /\s{0,4}\[\s{0,8}["'`](?:0x)?([0-9a-fA-F]{64})/y,
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
    if (match === null || secret === undefined || isPlaceholder(secret)) continue;
    if (odd.confirm !== undefined && !odd.confirm(secret)) continue;
    const start = at + match[0].lastIndexOf(secret);
    const end = start + secret.length;
    found.push({ kind: odd.kind, start, end });
    return end;
  }
  return -1;
}

/** Words of sentences are in no seed phrase. */
function isSeedPhrase(words: string): boolean {
  return !/\b(?:the|and|for|are|was|were|you|has|have|with|from|not)\b/.test(words);
}

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

/** `Bearer …`, `"Basic …"`, `` `token …` ``, `ApiKey …`: the scheme stays, what follows it goes. */
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

/** Masks the credentials of an Authorization header; returns where to go on. */
function findAuthorization(text: string, at: number, found: Finding[]): number {
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
  // Without a scheme, only what could be nothing else.
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
