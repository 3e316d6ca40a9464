import { isPlaceholder } from "./placeholder.ts";
import { isUuid, looksRandom } from "./randomness.ts";
import type { Value } from "./read-value.ts";
import type { SecretName } from "./secret-name.ts";

/** Words that follow `password:` in forms, schemas, types and settings, and are none. */
const NO_PASSWORD = new Set(
  (
    "string text password passwd passwort pass pwd secret token hidden required optional invalid missing hashed encrypted plain none null nil " +
    "true false yes no undefined empty value type input default number boolean object weak strong confirm bcrypt scrypt argon2 argon2id argon2i " +
    "pbkdf2 sha1 sha256 sha512 md5 base64 oauth oauth2 bearer basic jwt str bytes int bool any unknown never void char varchar nvarchar prompt " +
    "interactive never changed expired incorrect wrong disabled enabled unset postgres root admin test user guest username x509 utf8 utf16 " +
    "authentication credentials credential disable enable require env keyring keychain vault file stdin http1 http2 ipv4 ipv6"
  ).split(" "),
);
/** `^7.1.2`, `>=1.0`, `v2.3.4-beta.1`: of a package whose name ends in `pass`. */
const VERSION = /^[\^~<>=v]{0,3}\d{1,4}(?:\.[\dx*]{1,6}){1,3}(?:-[\w.]{1,20})?$/;
const IDENTIFIER_PATH = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[!?]*$/;
const FILE_PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])[\w .@+~/\\-]*$/;
/** `current-password`, `user_password`, `pwdHash`: a name for a password. */
const NAMES_ITSELF = /^[A-Za-z._: -]+$/;

/** Whether the value after such a name is a secret, and not code, prose, a type or a place to fill in. */
export function isSecretValue(name: SecretName, value: Value, next: string): boolean {
  const { text, quote } = value;
  if (text.length < 4 || isPlaceholder(text)) return false;
  // A call, an index, a template: code. (The pieces of a quoted text say nothing about code.)
  if (quote === "" && (next === "(" || next === "[" || next === "{" || isIdentifierPath(name, text)))
    return false;
  if (/:\/\//.test(text)) return false;
  // Base64 may begin with a slash as well.
  if (FILE_PATH.test(text) && (name.kind === "password" || !looksRandom(text, 32))) return false;
  switch (name.kind) {
    case "password":
      return isPassword(name, value);
    case "cookie":
      return (
        text.length >= 16 && /\d/.test(text) && /[A-Za-z]/.test(text) && !isUuid(text) && !/\s/.test(text)
      );
    case "azure-key":
      return looksRandom(text, 32) || looksRandom(decodePercent(text), 40);
    case "api-key":
    case "secret":
    case "token":
      return isKey(name, value);
  }
}

function isIdentifierPath(name: SecretName, text: string): boolean {
  // A password with a full stop in it has digits before that, and no words.
  if (!IDENTIFIER_PATH.test(text)) return false;
  const mayHoldDots = name.kind === "password" || name.isSetting;
  return !mayHoldDots || /^[A-Za-z_$]+[.:?-]/.test(text) || !looksRandom(text, 12);
}

function isKey(name: SecretName, value: Value): boolean {
  const { text } = value;
  if (isUuid(text)) return name.isStrong;
  if (looksRandom(text, name.isStrong ? 16 : 20)) return true;
  if (text.length < 8 || text.length > 128 || /\s/.test(text)) return false;
  // Secrets that people make up: `JWT_SECRET=s3cr3t!Sauce`, `APP_SECRET=willow_Lantern259`.
  return name.kind === "secret" && (hasThreeClasses(text) || isMadeUp(value, name));
}

/** Words with a number, as people make up passwords; in a setting, or in quotes and of mixed case: not the name of a thing. */
function isMadeUp({ text, quote }: Value, name: SecretName): boolean {
  if (!/[A-Za-z]{3}/.test(text) || !/\d{2}/.test(text) || !/^[\w.!@#$%^&*+-]+$/.test(text)) return false;
  const isMixedCase = /[a-z]/.test(text) && /[A-Z]/.test(text);
  return name.isSetting || (isMixedCase && (quote !== "" || /\d{3}/.test(text)));
}

/** The little words of sentences and labels; a passphrase has none of them. */
const WORDS_OF_SENTENCES = new Set(
  (
    "a an the is are was be been must should can may not no or and of for to at in on by with from your my our his her their its this that it " +
    "you we least most than more characters character letters digits enter new old confirm forgot reset change current again please required " +
    "invalid wrong password passphrase passwort secret token key user username le la les de des du un une ein eine der die das den ihr sie und " +
    "oder zeichen mindestens el los las su tu para con o e seu sua"
  ).split(" "),
);

/** `correct horse battery staple`, `orchid Lantern 88 tin`, `axjh bplq tybk pwdu`. */
function isPassphrase(name: SecretName, { text, quote }: Value): boolean {
  if (quote === "" || text.length > 120) return false;
  const words = text.split(" ");
  if (words.length === 4 && words.every((word) => /^[a-z0-9]{4}$/.test(word)))
    return !words.some((word) => WORDS_OF_SENTENCES.has(word));
  const isExpected = name.isSetting || name.words.includes("passphrase");
  return (
    words.length >= 3 &&
    words.length <= 12 &&
    (isExpected || (/\d/.test(text) && /^[a-z]/.test(text))) &&
    words.every((word) => /^[\w!@#$%^&*+-]{1,20}$/.test(word) && !WORDS_OF_SENTENCES.has(word.toLowerCase()))
  );
}

function isPassword(name: SecretName, value: Value): boolean {
  const { text, quote } = value;
  if (text.length > 200) return false;
  if (/\s/.test(text)) return isPassphrase(name, value);
  const lower = text.toLowerCase();
  if (NO_PASSWORD.has(lower) || VERSION.test(text)) return false;
  const hasDigit = /\d/.test(text);
  const hasSign = /[^\w.\-/]/.test(text);
  const isNumber = /^(?:0x[\da-f]+|[\d._-]+)[;,]?$/i.test(text);
  if (isNumber) return name.isSetting ? /^\d{4,}$/.test(text) : quote !== "" && /^\d{6,}$/.test(text);
  if (!hasDigit && /pass|pwd|secret|token|key/i.test(text) && NAMES_ITSELF.test(text)) return false;
  if (name.isSetting && !name.words.includes("pwd")) return true;
  // `pass` is also a verb and a count.
  if (name.words.length === 1 && name.words[0] === "pass")
    return text.length >= 6 && (quote !== "" ? hasDigit || hasSign : hasDigit && isMixed(text));
  if (/^[A-Za-z0-9+/]{8,}={1,2}$/.test(text) && text.length % 4 === 0) return true;
  if (hasDigit)
    return quote !== "" ? text.length >= 5 : text.length >= 6 && !/^(?:[A-Za-z]+_)?[a-z]{1,8}\d$/.test(text);
  if (looksRandom(text, 12)) return true;
  if (hasSign)
    return quote !== "" && /[A-Za-z]{3}/.test(text) && text.length >= 6 && !/[(){}<>=;,]/.test(text);
  // A plain word in quotes: a label begins with a capital, and a name has parts.
  return quote !== "" && /^[a-z]{6,}$/.test(text);
}

/** Capital and small letters, or a sign that no word has. */
function isMixed(text: string): boolean {
  return (
    /^[^/:(){}[\]<>]+$/.test(text) &&
    ((/[a-z]/.test(text) && /[A-Z]/.test(text)) || /[!@#$%^&*+~]/.test(text))
  );
}

function hasThreeClasses(text: string): boolean {
  return (
    !/\s/.test(text) && /[A-Za-z]/.test(text) && /\d/.test(text) && /[^\w\s.:/\\(){}[\]<>,;'"`=+-]/.test(text)
  );
}

function decodePercent(text: string): string {
  return text.replace(/%(2[BbFf]|3[Dd])/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
