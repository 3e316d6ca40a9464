import { isUuid } from "../jsonl/values.ts";
import { MASK_BEGIN } from "./mask.ts";
import { isIrregular, isStrongKey, isStrongPassword, looksRandom } from "./randomness.ts";
import type { SecretName } from "./secret-name.ts";
import { isMadeOfPlainWords, isWordsAndNumber, WORDS_OF_SENTENCES } from "./word-phrases.ts";

/** Words that follow `password:` in forms, schemas, types and settings, and are not passwords. */
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
/** The address of a contract or a person on a blockchain. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const FILE_PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/])[\w .@+~/\\-]*$/;
/** `required|min:8`, `string|null`: rules of a form, types. */
const RULES = /^[a-z_]+(?:[|:][a-z_\d,]+)+$/;
const NAMES_ITSELF = /^[A-Za-z._: -]+$/;

/** Whether the value after such a name is a secret, and not code, prose, a type or a placeholder. */
export function isSecretValue(name: SecretName, value: Value, next: string): boolean {
  const { text, quote } = value;
  if (isSalt(value)) return name.kind === "api-key" || name.kind === "secret";
  if (text.length < 4 || isPlaceholder(text)) return false;
  if (value.isInside === true && !isStrongPassword(text) && !isStrongKey(text) && !isPhraseWithNumber(value))
    return false;
  // A call, an index, a template: code. (The pieces of a quoted text say nothing about code.)
  if (quote === "" && (next === "(" || next === "[" || next === "{" || isIdentifierPath(name, text)))
    return false;
  if (/:\/\//.test(text) || ADDRESS.test(text)) return false;
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
      return isKey(name, value) || isShortKey(name, value, next);
  }
}

function isIdentifierPath(name: SecretName, text: string): boolean {
  // A password with a full stop in it has digits before that, and no words.
  if (!IDENTIFIER_PATH.test(text)) return false;
  if (looksRandom(text.slice(text.lastIndexOf(".") + 1), 20)) return false;
  const mayHoldDots = name.kind === "password" || name.isSetting;
  return !mayHoldDots || /^[A-Za-z_$]+[.:?-]/.test(text) || !looksRandom(text, 12);
}

function isKey(name: SecretName, value: Value): boolean {
  const { text } = value;
  if (isUuid(text)) return name.isStrong;
  if (looksRandom(text, name.isStrong ? 16 : 20)) return true;
  if (LICENSE_KEY.test(text)) return name.words.includes("license") || name.words.includes("serial");
  // `AUTH_KEY = 'LtD8kGANf_~I*Q^|0Amq…'`: signs that only a generator puts side by side.
  if (value.quote !== "" && text.length >= 32 && text.length <= 128 && isNoise(text)) return true;
  if (text.length < 8 || text.length > 128) return false;
  if (name.kind === "secret" && (value.quote !== "" || name.isSetting) && isMadeOfPlainWords(text, 1))
    return true;
  if (/\s/.test(text)) return false;
  if ((name.kind === "secret" || (name.isStrong && text.length >= 12)) && isStrongPassword(text)) return true;
  // Secrets that people make up: `JWT_SECRET=s3cr3t!Sauce`, `APP_SECRET=willow_Lantern259`.
  return (
    name.kind === "secret" && (hasThreeClasses(text) || isMadeUp(value, name) || isPhraseWithNumber(value))
  );
}

/** Text that may come after a value and can't continue code. */
const ENDS_VALUE = /^[\r\n"'`\\&]?$/;

/**
 * `API_TOKEN=h7Tq2Lm9`: short, but its digits are between its letters, as in no name of a thing. Only where a setting, a
 * field or a header ends with it.
 */
function isShortKey(name: SecretName, { text, quote }: Value, next: string): boolean {
  if (!name.isSetting && quote === "" && !ENDS_VALUE.test(next)) return false;
  return isIrregular(text) || ((name.isSetting || name.isStrong) && isStrongPassword(text));
}

/**
 * `'maple-otter-lantern-75'`, `'sailboat-under-9-moons'`: in quotes, because otherwise it is the name of a variable
 * or a thing.
 */
function isPhraseWithNumber({ text, quote }: Value): boolean {
  return quote !== "" && (isWordsAndNumber(text) || isMadeOfPlainWords(text, 1));
}

const LICENSE_KEY = /^[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,6}$/;

/** The characters of the keys and salts of WordPress, a space among them. */
const SALT = /^[\w !@#$%^&*()[\]{}<>~`+=,.;:/?|-]{56,72}$/;
/** Sets of characters and patterns, which have punctuation as well. */
const IS_PATTERN = /a-z|A-Z|0-9|\\|abcd|ABCD|1234/;

/**
 * `define('NONCE_SALT', 'x}K|q9-N;v4@LsW[ +8y…')`: every other character is of another class than the one before it, as in
 * no sentence and no code; so not even a `{{` makes it a template.
 */
function isSalt({ text, quote }: Value): boolean {
  if (quote === "" || text.length < 56 || !SALT.test(text) || IS_PATTERN.test(text)) return false;
  if (text.includes(MASK_BEGIN) || !isNoise(text.replaceAll(" ", ""))) return false;
  const stretches = text.match(/[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+/g)?.length ?? 0;
  return stretches > text.length * 0.55;
}

/** Capital and small letters, digits and many signs, without spaces. */
function isNoise(text: string): boolean {
  const signs = text.match(/[^\w\s.:/\\"'-]/g)?.length ?? 0;
  return (
    !/\s/.test(text) &&
    signs >= 4 &&
    signs < text.length / 2 &&
    /[a-z]/.test(text) &&
    /[A-Z]/.test(text) &&
    /\d/.test(text)
  );
}

/**
 * Words with a number, as in passwords made up by people; in a setting, or in quotes and of mixed case: not the name
 * of a thing.
 */
function isMadeUp({ text, quote }: Value, name: SecretName): boolean {
  if (!/[A-Za-z]{3}/.test(text) || !/\d{2}/.test(text) || !/^[\w.!@#$%^&*+-]+$/.test(text)) return false;
  const isMixedCase = /[a-z]/.test(text) && /[A-Z]/.test(text);
  return name.isSetting || (isMixedCase && (quote !== "" || /\d{3}/.test(text)));
}

/** `correct horse battery staple`, `orchid Lantern 88 tin`, `axjh bplq tybk pwdu`. */
function isPassphrase(name: SecretName, { text, quote }: Value): boolean {
  if (quote === "" || text.length > 120) return false;
  const words = text.split(" ");
  if (words.length === 4 && words.every((word) => /^[a-z0-9]{4}$/.test(word)))
    return !words.some((word) => WORDS_OF_SENTENCES.has(word));
  const isExpected = name.isSetting || name.words.includes("passphrase") || name.words.at(-1) === "psk";
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
  if (NO_PASSWORD.has(lower) || VERSION.test(text) || RULES.test(text)) return false;
  const hasDigit = /\d/.test(text);
  const hasSign = /[^\w.\-/]/.test(text);
  const isNumber = /^(?:0x[\da-f]+|[\d._-]+)[;,]?$/i.test(text);
  if (isNumber && name.words.at(-1) === "pin") return /^\d{4,12}$/.test(text);
  if (isNumber) return name.isSetting ? /^\d{4,}$/.test(text) : quote !== "" && /^\d{6,}$/.test(text);
  if (!hasDigit && /pass|pwd|secret|token|key/i.test(text) && NAMES_ITSELF.test(text)) return false;
  if (name.isSetting && !name.words.includes("pwd")) return true;
  // `psk="forklift-nine-crates"` of wpa_supplicant: no program names anything else like this.
  if (name.words.at(-1) === "psk" && quote === '"' && /^[a-z][!-~]{7,62}$/.test(text))
    return !/psk|wpa|field|input|label/.test(text);
  if (APP_PASSWORD.test(text)) return true;
  // `pass` is also a verb and a count.
  if (name.words.length === 1 && name.words[0] === "pass")
    return text.length >= 6 && (quote !== "" ? hasDigit || hasSign : hasDigit && isMixed(text));
  if (/^[A-Za-z0-9+/]{8,}={1,2}$/.test(text) && text.length % 4 === 0) return true;
  if (hasDigit)
    return quote !== "" ? text.length >= 5 : text.length >= 6 && !/^(?:[A-Za-z]+_)?[a-z]{1,8}\d$/.test(text);
  if (looksRandom(text, 12)) return true;
  if (hasSign)
    return quote !== "" && /[A-Za-z]{3}/.test(text) && text.length >= 6 && !/[(){}<>=;,]/.test(text);
  if (quote !== "" && !text.includes("_") && isMadeOfPlainWords(text, 0)) return true;
  // A plain word in quotes: a label begins with a capital, and a name has parts.
  return quote !== "" && /^[a-z]{6,}$/.test(text);
}

/** The passwords that Apple and Google make for one program: `abcd-efgh-ijkl-mnop`. */
const APP_PASSWORD = /^[a-z]{4}(?:-[a-z]{4}){3}$/;

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

/** The value that follows a name: a quoted text, or characters up to the first that cannot belong to a value. */
export interface Value {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The quote before it; `"` for a text that YAML or a table sets apart without one. */
  readonly quote: "" | '"' | "'" | "`";
  /** An argument of a call or what follows an `||`: only a value that can be nothing else is a secret there. */
  readonly isInside?: boolean;
}

const MAX_VALUE = 16_384;
/**
 * The source of a pattern: the end of a line, also as an escape of JSON in JSON, and what may begin the next line in a
 * log: a line number, a mark of a diff, indentation.
 */
export const LINE_BREAK: string = String.raw`(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)(?:[ \t]{0,8}\d{1,6}(?:\u2192|:|\t| ?\|))?[ \t+]{0,60}`;
/** `password: str = "…"`, `val apiKey: String = "…"`, `KEY: &[u8] = b"…"`: a type between the name and its value. */
export const TYPE_BETWEEN: RegExp =
  /[ \t]{0,4}[A-Za-z&'[*][\w&'<>[\]?|.;* ]{0,40}=[ \t]{0,4}(?=[A-Za-z]{0,2}["'`])/y;
/** Marks that YAML puts before a value: `!!str x`, `!unsafe x`, `&anchor x`. */
const YAML_PROPERTIES =
  /[ \t]{1,12}(?:(?:!![\w-]{1,20}|!unsafe|!str|!binary)[ \t]{1,4})?(?:&[\w-]{1,40}[ \t]{1,4})?(?=[^\s,;)=|])/y;
/** A block scalar of YAML, `|`, `>-`, `|2 # comment`: its text is on the next line. */
const YAML_BLOCK = new RegExp(
  String.raw`[ \t]{0,4}(?:[|>][+-]?\d?[+-]?|<<[-~]?["']?\w{1,20}["']?)[ \t]{0,4}(?:#[^\n\\]{0,80})?${LINE_BREAK}`,
  "y",
);
const LINE_OF_BLOCK = /[^\s"'`\\](?:[^\r\n"'`\\]{0,4094}[^\s"'`\\])?/y;
/** A quoted value on the next line: `SECRET =⏎  "…"`, `SECRET = (⏎  "…"`. */
const QUOTED_ON_NEXT_LINE = new RegExp(
  String.raw`[ \t]{0,4}\(?[ \t]{0,4}${LINE_BREAK}(?=[brfBRF]{0,2}["'\`])`,
  "y",
);
/** A random value alone on the next line, or the one after it: `Your API key:⏎⏎  …`. */
const LONE_ON_NEXT_LINE = new RegExp(
  String.raw`[ \t]{0,4}(?:${LINE_BREAK}){1,2}(?![\w+.-]{1,80}[=:][^=\s])(?=[^\s"'\`<>\\]{16,256}[ \t]{0,4}(?:\r?\n|$))`,
  "y",
);
/** The rest of `**Password:**`, spaces, a prefix of a string literal, escapes before the quote (JSON in JSON). */
const OPENING = /(?:\*{1,2}(?=[ \t]))?[ \t]{0,12}(?:(?:[brBRuUfFLN@&]{1,2})?\\{0,7}(["'`])|)/y;
/** The other two of three quotes, and the line break that may follow them. */
const REST_OF_TRIPLE = new RegExp(String.raw`(?:""|''|\\{1,7}"\\{1,7}")(?:${LINE_BREAK})?`, "y");
const NAME_OF_FIELD = /\\{0,7}["'`][ \t]{0,4}[:=]/y;
const BARE = /[^\s"'`,;(){}[\]<>|&\\]{1,4096}/y;
/** A setting's value reaches to the next space; only an escape of JSON or a quote ends it before. */
const SETTING = /(?:[^\s"'`\\]|\\(?![nrt"'\\])){1,4096}/y;

/** Reads the value that begins at `at`. `isSetting`: all characters up to the next space belong to it. */
export function readValue(text: string, at: number, isSetting: boolean): Value | undefined {
  const inlineAt = skip(YAML_PROPERTIES, text, skip(TYPE_BETWEEN, text, at));
  const blockAt = skip(YAML_BLOCK, text, inlineAt);
  if (blockAt > inlineAt) return readBlock(text, blockAt);
  const wrapped = readWrapped(text, inlineAt);
  if (wrapped !== undefined) return wrapped;
  const from = skip(QUOTED_ON_NEXT_LINE, text, inlineAt);
  const loneAt = skip(LONE_ON_NEXT_LINE, text, from);
  if (loneAt > from) {
    const lone = readWhile(SETTING, text, loneAt, "");
    return lone !== undefined && looksRandom(lone.text, 16) ? lone : undefined;
  }
  OPENING.lastIndex = from;
  const quote = OPENING.exec(text)?.[1];
  const start = Math.max(from, OPENING.lastIndex);
  if (quote !== '"' && quote !== "'" && quote !== "`")
    return readWhile(isSetting ? SETTING : BARE, text, start, "");
  const value = readQuoted(text, skip(REST_OF_TRIPLE, text, start), quote);
  // On the next line it may be the name of a field: `password:⏎  "type": …`.
  if (from > inlineAt && value !== undefined && skip(NAME_OF_FIELD, text, value.end) > value.end)
    return undefined;
  return value;
}

/** The first line of a block, and the lines after it that are nothing but more of a key. */
function readBlock(text: string, at: number): Value | undefined {
  const first = readWhile(LINE_OF_BLOCK, text, at, '"');
  if (first === undefined || !looksRandom(first.text, 16)) return first;
  let end = first.end;
  for (let line = 0; line < MAX_BLOCK_LINES; line++) {
    const next = skip(LINE_OF_KEY, text, end);
    if (next === end) break;
    end = next;
  }
  return { text: first.text, start: first.start, end, quote: '"' };
}

const MAX_BLOCK_LINES = 40;
const LINE_OF_KEY = new RegExp(String.raw`${LINE_BREAK}[A-Za-z0-9+/=_-]{20,200}(?=\r?\n|\\|$)`, "y");

/** `Pwd={…}` of ODBC, `password = [[…]]` of Lua. */
const IN_BRACKETS = /[ \t]{0,2}(?:\{([^\s{}"'`\\]{4,128})\}(?=[;"'\s]|$)|\[\[([^\n[\]]{4,128})\]\])/dy;
/** `Sensitive('…')`, `[]byte("…")`, `process.env.SECRET || '…'`, `os.getenv("SECRET") or "…"`. */
const BEFORE_LITERAL =
  /[ \t]{0,4}(?:(?:new )?[A-Za-z_][\w.:]{0,40}\(\s{0,8}|\[\]byte\(\s{0,8}|(?:[\w.$?[\]()]|["'][\w.]{1,40}["']){3,80}[ \t]{0,2}(?:\|\||\?\?|\?:|or)[ \t]{1,4})[bruf]?(?=["'`])/y;

function readWrapped(text: string, at: number): Value | undefined {
  IN_BRACKETS.lastIndex = at;
  const range = IN_BRACKETS.exec(text)
    ?.indices?.slice(1)
    .find((indices) => indices !== undefined);
  if (range !== undefined)
    return { text: text.slice(range[0], range[1]), start: range[0], end: range[1], quote: '"' };
  const literalAt = skip(BEFORE_LITERAL, text, at);
  if (literalAt === at) return undefined;
  const quote = text.charAt(literalAt);
  if (quote !== '"' && quote !== "'" && quote !== "`") return undefined;
  const value = readQuoted(text, literalAt + 1, quote);
  return value === undefined ? undefined : { ...value, isInside: true };
}

function readWhile(pattern: RegExp, text: string, start: number, quote: Value["quote"]): Value | undefined {
  const end = skip(pattern, text, start);
  return end === start ? undefined : { text: text.slice(start, end), start, end, quote };
}

function readQuoted(text: string, start: number, quote: '"' | "'" | "`"): Value | undefined {
  const limit = Math.min(text.length, start + MAX_VALUE);
  let end = start;
  while (end < limit) {
    const character = text.charCodeAt(end);
    if (character === 10 || text[end] === quote) break;
    end++;
  }
  // The backslash belongs to an escaped quote, not to the value.
  while (end > start && text.charCodeAt(end - 1) === 92) end--;
  const value = text.slice(start, end);
  // A quote that was never closed: the value would extend into the next field of JSON.
  if (end === start || (quote !== '"' && /"[,:}\]]/.test(value))) return undefined;
  return { text: value, start, end, quote };
}

/** The end of the match of a sticky pattern at `at`; `at` if it does not match. */
export function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * Without the trailing characters that belong to the sentence. A loop, because a pattern tied to the end takes
 * quadratic time.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** `${TOKEN}`, `$TOKEN`, `{{ token }}`, `<token>`, `%TOKEN%`, `__TOKEN__`, `@@TOKEN@@`, `[token]`, `(hidden)`. */
const REFERENCE =
  /^(?:<|\[.*\]$|\(.*\)$|@@|\$[A-Za-z_][\w.]*$|\$\d?$|\{|%[A-Za-z_]+%$|%[sdv]$|__|#\{|`|\.\.|\u2026|!(?:vault|Ref|Sub|GetAtt|reference|secret|env))|\$\{|\$\(|\{\{/;
/** Words that say "put yours here". Each in one case at a time: in any mixture, random letters spell them now and then. */
const STAND_INS = (
  "your example placeholder changeme change_me change-me changeit change-this replace insert todo fixme dummy redacted masked hidden here_ _here -here " +
  "keyhere tokenhere my_password my-password mypassword my_secret my-secret mysecret my_token my-token mytoken my_key my-key my_api my-api " +
  "foobar notasecret not_a_ not-a- fake mock sample xxxx process.env environ getenv undefined"
).split(" ");
/** These also occur inside words that passwords are made of: hammock, fireplace, mastodon. */
const IN_OTHER_WORDS = new Set(["mock", "replace", "todo"]);
const STAND_IN = new RegExp(
  STAND_INS.flatMap((word) => [
    IN_OTHER_WORDS.has(word) ? `(?<![a-z])${word}` : word,
    IN_OTHER_WORDS.has(word) ? `(?<![A-Z])${word.toUpperCase()}` : word.toUpperCase(),
    word.charAt(0).toUpperCase() + word.slice(1),
  ])
    .map((word) => word.replaceAll(".", "\\."))
    .concat("\\*\\*\\*", "\\.\\.\\.", "…")
    .join("|"),
);
/** One character, or one word of few, again and again. */
const FILLER = /^(?:(.)\1*|(?:0x)?(?:deadbeef|cafebabe|abc123|123456|abcdef)+)$/i;

/** Whether a value is a placeholder for a secret. */
export function isPlaceholder(value: string): boolean {
  // `$user:$pass`, `$config->{password}`
  if (value.startsWith("$") && /^\$[A-Za-z_]/.test(value) && !/\d/.test(value)) return true;
  return value.includes(MASK_BEGIN) || REFERENCE.test(value) || STAND_IN.test(value) || FILLER.test(value);
}
