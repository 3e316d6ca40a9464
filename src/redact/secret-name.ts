/** What a variable, field, header or flag says about its value. */
type NameKind = "password" | "api-key" | "secret" | "token" | "azure-key" | "cookie";

export interface SecretName {
  readonly kind: NameKind;
  /** The parts of the name, lower case: `dbPassword` has `db` and `password`. */
  readonly words: readonly string[];
  /** `api_key`, `auth_token`, `password`: even a uuid after it is a secret; after `token` or `tree_key` it is just an id. */
  readonly isStrong: boolean;
  /** `DB_PASSWORD`: a name that only settings have, so that a plain word after it is a value and not a variable. */
  readonly isSetting: boolean;
}

const PASSWORD =
  /(?:passwords?|passwd|passphrase|passwort|passcode|kennwort|contrasena|wachtwoord|motdepasse)$|^(?:pwd|pass|pw|psk|(?!by|mini|com|encom|tres|over|under|sur|sub|render|multi|no)[a-z]{2,14}(?:pass|pwd)|(?:db|root|admin|user|bind)pw|pin|senha|passe|parola|haslo|salasana|passord)$/;
/** contraseña, hasło, lösenord, пароль, 密码, パスワード, 비밀번호: words for a password whose letters splitting a name into words would lose. */
const FOREIGN_PASSWORD =
  /(?:contrase\u00f1a|has\u0142o|l\u00f6senord|\u043f\u0430\u0440\u043e\u043b\u044c|\u5bc6\u7801|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638)$/i;
const SECRET =
  /secrets?$|credentials?$|(?:secret|priv|private|encryption|signing|master|spend|view)key$|^(?:pepper|wif)$/;
const TOKEN = /token$|^(?:jwt|pat|bearer|dockerconfigjson|dockercfg)$/;
const KEY = /(?:api|access|auth|app|admin|service|license)key$/;
const COOKIES = new Set(
  "sessionid phpsessid jsessionid sessid sid aspsessionid cfid laravelsession".split(" "),
);
/** Words before `key` if the key grants access. */
const API_KEY_WORDS = new Set(
  "api apis app access auth admin service rest webhook integration write ingest maps license serial activation subscription".split(
    " ",
  ),
);
const SECRET_KEY_WORDS = new Set(
  "secret private priv encryption encrypt signing sign master hmac aes des jwt session cookie shared cipher crypto fernet kms root".split(
    " ",
  ),
);
/** Words before `code` if the code works like a token. */
const AUTH_CODE_WORDS = new Set("auth authorization device oauth".split(" "));
/** Words before `key` if the key only names or finds something. */
const HARMLESS_KEY_WORDS = new Set(
  "public pub primary foreign sort partition cache query object idempotency dedupe row map group index lookup hash site registry publishable candidate unique composite translation message shortcut hot arrow sha etag socket host".split(
    " ",
  ),
);
/** Tokens that refer to the next page or to a piece of text. */
const HARMLESS_TOKEN_WORDS = new Set(
  "next page continuation start sync cursor pagination cancellation max min total num eos bos pad unk stop".split(
    " ",
  ),
);
/** Endings that distinguish several values (`API_KEY_PROD`, `secret_key_base`); the name proper is before them. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  "prod production dev development staging stage test testing live sandbox old new base default main backup primary secondary plain plaintext cleartext raw value string text".split(
    " ",
  ),
);
/** `password2`, `api_key_v2`. */
const NUMBER = /^v?\d{1,2}$/;

/** A log repeats the same few names: each is parsed once. */
const known = new Map<string, SecretName | undefined>();
const MAX_KNOWN = 2_000;

/** Parses a name that means a secret; undefined for any other name. */
export function readSecretName(name: string): SecretName | undefined {
  const before = known.get(name);
  if (before !== undefined || known.has(name)) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const read = readName(name);
  // A copy, because a slice of a name would keep its whole text in memory.
  known.set(` ${name}`.slice(1), read);
  return read;
}

function readName(name: string): SecretName | undefined {
  if (FOREIGN_PASSWORD.test(name))
    return { kind: "password", words: ["password"], isStrong: false, isSetting: false };
  const words = splitName(name);
  let count = words.length;
  while (count > 1 && isQualifier(words[count - 1] ?? "")) count--;
  const last = (words[count - 1] ?? "").replace(/\d{1,2}$/, "");
  // `PASS` alone is what tests print.
  const isSetting = /^[A-Z][A-Z0-9_]*$/.test(name) && name !== "PASS";
  const kind = kindOf(last, words[count - 2] ?? "", words, isSetting);
  if (kind === undefined) return undefined;
  const isStrong =
    kind === "api-key"
      ? API_KEY_WORDS.has(words[count - 2] ?? "") || last !== "key"
      : words.length > 1 || /.(?:token|secret)$/.test(last);
  return { kind, words, isStrong, isSetting };
}

function isQualifier(word: string): boolean {
  return QUALIFIERS.has(word) || NUMBER.test(word);
}

function splitName(name: string): readonly string[] {
  const parted = /[a-z]/.test(name)
    ? name.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$3_$2")
    : name;
  return parted
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

function kindOf(
  last: string,
  before: string,
  words: readonly string[],
  isSetting: boolean,
): NameKind | undefined {
  if (PASSWORD.test(last)) return "password";
  if (last === "key") return kindOfKey(before, words);
  if (last === "accountkey" || last === "sharedaccesskey") return "azure-key";
  if (KEY.test(last)) return "api-key";
  if (SECRET.test(last)) return "secret";
  if (last === "data" && before === "key") return words.includes("client") ? "secret" : undefined;
  if (last === "signature" && words[0] === "x") return "secret";
  if ((last === "response" && before === "saml") || last === "assertion" || last === "samlresponse")
    return "token";
  if (last === "totp" || (last === "verifier" && before === "code")) return "secret";
  if (last === "code" && AUTH_CODE_WORDS.has(before)) return "token";
  // `AUTH_SALT=…` of a site's settings; in code a salt is as public as its hash.
  if ((last === "salt" || last === "seed") && (isSetting || SECRET_KEY_WORDS.has(before))) return "secret";
  if (isSetting && (last === "auth" || last === "sk")) return "api-key";
  if (last === "login") return "token";
  if (COOKIES.has(last) && !(last === "sid" && words.length > 1 && before !== "connect")) return "cookie";
  if (last === "session" && (before === "laravel" || before === "rails")) return "cookie";
  if (TOKEN.test(last)) return isHarmlessToken(last, before) ? undefined : "token";
  return undefined;
}

function isHarmlessToken(last: string, before: string): boolean {
  return HARMLESS_TOKEN_WORDS.has(before) || HARMLESS_TOKEN_WORDS.has(last.slice(0, -"token".length));
}

function kindOfKey(before: string, words: readonly string[]): NameKind | undefined {
  if (before === "" || HARMLESS_KEY_WORDS.has(before)) return undefined;
  if (words.includes("public") || words.includes("publishable")) return undefined;
  if (before === "account" || before === "storage" || words.join("").endsWith("sharedaccesskey"))
    return "azure-key";
  if (SECRET_KEY_WORDS.has(before)) return "secret";
  return "api-key";
}

/**
 * The endings of the names that may mean a secret. Most colons and equals signs follow a name, and nearly all names must be
 * rejected without cutting a string: first by a table of the last three letters, then letter by letter.
 */
const ENDINGS = (
  "password passwords passwd passwort kennwort passphrase passcode pwd pass psk pw secret secrets key key_data key-data token jwt pat bearer " +
  "sessionid sessid sid authorization cookie value default signature sig auth none private-lines mnemonic phrase words seed salt kty " +
  "credentials credential creds login accounts keypair totp otp code verifier dockerconfigjson dockercfg " +
  "keys tokens codes pin pepper sk wif appid license samlresponse assertion " +
  "contraseña contrasena senha passe wachtwoord parola hasło haslo salasana passord lösenord пароль 密码 パスワード 비밀번호"
).split(" ");
/** Which endings share their last three letters. */
const endingsByLast3: Uint16Array = new Uint16Array(1 << 15);
const lists: string[][] = [[]];
for (const word of [...ENDINGS, ...QUALIFIERS]) {
  // A word of two letters is entered with every letter that may come before it.
  for (let before = word.length < 3 ? 0 : 31; before < 32; before++) {
    const letters = word.length < 3 ? String.fromCharCode(before) + word : word;
    const index = packLetters(letters, letters.length);
    if (endingsByLast3[index] === 0) endingsByLast3[index] = lists.push([]) - 1;
    lists[endingsByLast3[index] ?? 0]?.push(word);
  }
}

/**
 * Characters that may come between a name and its separator: spaces, quotes, brackets, the `?` of an optional field.
 */
const SKIPPED_BEFORE_SEPARATOR: Uint8Array = new Uint8Array(65_536);
for (const character of " \t\"'`\\[])?:*") SKIPPED_BEFORE_SEPARATOR[character.charCodeAt(0)] = 1;
const MAX_SKIPPED = 40;

/** Returns the end of the name before the separator at `at`, or -1 if the name cannot mean a secret. */
export function endOfSecretName(text: string, at: number): number {
  const limit = at < MAX_SKIPPED ? 0 : at - MAX_SKIPPED;
  let end = at;
  while (end > limit && SKIPPED_BEFORE_SEPARATOR[text.charCodeAt(end - 1)] === 1) end--;
  const last = text.charCodeAt(end - 1);
  if (last >= 48 && last <= 57) return hasEndingBeforeDigits(text, end) ? end : -1;
  return endingsByLast3[packLetters(text, end)] !== 0 && hasEnding(text, end) ? end : -1;
}

/** The same for units in plain memory, by the last three letters alone; -1 only if it is certain. */
export function mayBeSecretName(units: Uint16Array, at: number): boolean {
  const limit = at - MAX_SKIPPED;
  let end = at;
  while (end > limit && SKIPPED_BEFORE_SEPARATOR[units[end - 1] ?? 0] === 1) end--;
  if (isDigit(units[end - 1] ?? 0)) {
    end--;
    if (isDigit(units[end - 1] ?? 0)) end--;
    if (isWordSeparator(units[end - 1] ?? 0)) end--;
  }
  const letters =
    (((units[end - 3] ?? 0) & 31) << 10) | (((units[end - 2] ?? 0) & 31) << 5) | ((units[end - 1] ?? 0) & 31);
  return endingsByLast3[letters] !== 0;
}

function packLetters(text: string, end: number): number {
  return (
    ((text.charCodeAt(end - 3) & 31) << 10) |
    ((text.charCodeAt(end - 2) & 31) << 5) |
    (text.charCodeAt(end - 1) & 31)
  );
}

function hasEnding(text: string, end: number): boolean {
  const ending = endingAt(text, end);
  if (ending === undefined) return false;
  if (ending === "default" || ending === "value" || !QUALIFIERS.has(ending)) return true;
  const joint = end - ending.length - 1;
  return isWordSeparator(text.charCodeAt(joint)) && endingAt(text, joint) !== undefined;
}

/** `password2`, `API_KEY_1`; not the times, line numbers and sizes before most colons. */
function hasEndingBeforeDigits(text: string, end: number): boolean {
  let at = end - 1;
  if (isDigit(text.charCodeAt(at - 1))) at--;
  if (isWordSeparator(text.charCodeAt(at - 1))) at--;
  return !isDigit(text.charCodeAt(at - 1)) && hasEnding(text, at);
}

function endingAt(text: string, end: number): string | undefined {
  for (const word of lists[endingsByLast3[packLetters(text, end)] ?? 0] ?? []) {
    let at = 1;
    while (at <= word.length && (text.charCodeAt(end - at) | 32) === (word.charCodeAt(word.length - at) | 32))
      at++;
    if (at > word.length) return word;
  }
  return undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `_`, `-`, `.` */
function isWordSeparator(code: number): boolean {
  return code === 95 || code === 45 || code === 46;
}
