import { isUuid } from "../jsonl/values.ts";
import { findTableColumn } from "./find-tables.ts";
import type { Finding } from "./finding.ts";
import { isStrongPassword, looksRandom } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { readSecretName } from "./secret-name.ts";
import { isPlaceholder, isSecretValue, skip, type Value, withoutTrailing } from "./secret-value.ts";
import { WORDS_OF_SENTENCES } from "./word-phrases.ts";

/**
 * A password after its word without a colon or equals sign. Between the word and the value may be:
 * `is`, spaces (`.netrc`, SQL), the bar of a table, a comma (`define('DB_PASSWORD', '…')`), a tag (`<password>…`), a call.
 */
const AFTER_WORD = new RegExp(
  [
    String.raw`\\{0,3}["'\x60]?(?:`,
    [
      String.raw`\\{0,3}["']?(?: [\w:.-]{1,30}=["'][^"'<>\n]{0,120}["']){0,3}>(?:\s{0,40}<[vV]alue>)?`,
      String.raw`(?:\*\*)?[ \t]{0,20}\|[ \t]{0,4}`,
      String.raw`[ \t](?:(?:is|was) \w{2,12} )?for[^:\n]{1,40}(?::| is)[ \t]{1,3}`,
      // la contraseña de la base de datos es …, le mot de passe du serveur est …
      String.raw`[ \t](?:de|del|do|da|dla|du|des|di|para|pour|f\u00fcr|zum|zur|vom|von|van|voor)\b[^:\n]{1,40}(?::| (?:es|est|\u00e9|\u00e8|ist|lautet|is|to))[ \t]{1,3}`,
      String.raw`(?<owns>['\u2019]s)[ \t]{1,3}(?:now )?`,
      String.raw`(?:\?|[ \t])[ \t]{0,2}(?<verb>is|was|ist|lautet|est|es|it's|its|it is|=|->|\u2192|(?:was |is |has been )?(?:set|changed|reset) to|to):?[ \t]{1,3}(?:now )?`,
      String.raw`[ \t]{1,3}(?:[-\u2013\u2014] )?`,
      String.raw`[ \t]{0,2},[ \t]{0,2}(?=\\{0,3}["'\x60])`,
      "&gt;",
      String.raw`[ \t]{0,2}\([ \t]{0,2}(?=\\{0,3}["'\x60])`,
    ].join("|"),
    String.raw`)\\{0,3}(?<quote>["'\x60]?)`,
  ].join(""),
  "y",
);
/** A password alone in the line after a sentence about it. */
const LONE_LINE = /[^\n:]{0,80}:[ \t]{0,4}\r?\n\s{0,20}([^\s"'`<>\\]{8,128})[ \t]{0,4}(?:\r?\n|$)/y;
/** `… login deploy password` of a `.netrc`: any word may follow. */
const NETRC = /\blogin\s{1,8}\S{1,100}\s{1,8}password$/;
/** `use … as the password` */
const BEFORE_WORD =
  /(?:^|[\s"'`(])([^\s"'`(),;]{6,64})["'`]?,? (?:as|is) (?:the|your|my|a|our|its|his|her)(?: [a-z]{2,12}){0,2} $/;
const BARE = /[^\s"'`<>()[\]{},;\\]{4,128}/y;
const IDENTIFIED = /IDENTIFIED(?: WITH \S{1,40})? (?:BY|AS)(?: PASSWORD)? ["']?([^'"\s;]{4,128})/iy;

/** The text after the name of a column: the end of its cell. */
const ENDS_CELL = /[\w .*"'`)]{0,24}[|\u2502,;\t\r\n]|[\w]{0,10} {2}/y;

/** Passwords in prose, SQL, XML, `.netrc` and calls; columns of tables. */
export const phraseSigns: readonly Sign[] = [
  ...["word", "wort", "WORD", "phrase"].map((part) => wordSign(part, /[pP]ass$|PASS$|[kK]enn$/, true)),
  wordSign("wd", /[pP](?:ass)?$/, true),
  ...["pw ", "PW ", "pin ", "PIN ", "Pin "].map((part) => wordSign(part, /(?:^|[\s"'`(_-])$/, true, 1)),
  ...["pass for ", "key for ", "key is "].map((part) =>
    wordSign(part, /(?:^|[\s"'`(])$/, true, part.length - 4 + (part.startsWith("key") ? 1 : 0)),
  ),
  wordSign(" passe", /[mM]ots? de$/, true),
  wordSign("se\u00f1a", /[cC]ontra$/, true),
  wordSign("enha", /(?:^|[\s"'`(])[sS]$/, true),
  wordSign("woord", /[wW]acht$/, true),
  wordSign("as\u0142o", /[hH]$/, true),
  wordSign("redential", /[cC]$/, true),
  ...["cret", "CRET"].map((part) => wordSign(part, /[sS]e$|SE$/, false)),
  ...["ken", "KEN"].map((part) => wordSign(part, /[tT]o$|TO$/, false)),
  // `api_key`, `Access Key`, `private key` as the name of a column
  ...["api", "ess", "ate", "ing"]
    .flatMap((end) => [
      ...["_key", " key", " Key", "Key", "key", "-key"].map((key) => end + key),
      `${end.toUpperCase()}_KEY`,
    ])
    .concat("API key", "API Key", "API KEY", "APIKEY", "Api Key")
    .map(columnSign),
  ...["creds", "log in ", "wifi", "WiFi", "Wi-Fi"].map((sign) => ({
    sign,
    find: (text: string, at: number, found: Finding[]) => findInLine(text, at + sign.trimEnd().length, found),
  })),
  ...["pass?", "pw?", "creds?", "login?"].map((sign) => ({
    sign,
    find: (text: string, at: number, found: Finding[]) => findReply(text, at, found),
  })),
  { sign: "IDENTIFIED ", find: identifiedAt },
  ...["nemonic", "hrase"].map((sign) => ({
    sign,
    find: (text: string, at: number, found: Finding[]) => seedAt(text, at + sign.length, found),
  })),
];

/** The end of a word for a secret, and what comes before it. */
function wordSign(part: string, before: RegExp, isPassword: boolean, spaces = 0): Sign {
  return {
    sign: part,
    find: (text, at, found) => {
      if (!before.test(text.slice(Math.max(0, at - 8), at))) return at;
      const end = at + part.length;
      if (skip(ENDS_CELL, text, end) > end) findTableColumn(text, at, found);
      return isPassword ? phraseAt(text, end - spaces, found) : end;
    },
  };
}

/** The end of the name of a column, which says nothing elsewhere. */
function columnSign(sign: string): Sign {
  return {
    sign,
    find: (text, at, found) => {
      const end = at + sign.length;
      if (skip(ENDS_CELL, text, end) > end) findTableColumn(text, end - 1, found);
      return at;
    },
  };
}

function phraseAt(text: string, at: number, found: Finding[]): number {
  const before = BEFORE_WORD.exec(text.slice(Math.max(0, at - 120), at).replace(/\w+$/, ""));
  if (before?.[1] !== undefined && isSpoken(before[1]) && !isPlaceholder(before[1])) {
    const start = text.lastIndexOf(before[1], at);
    found.push({ kind: "password", start, end: start + before[1].length });
  }
  LONE_LINE.lastIndex = at;
  const lone = LONE_LINE.exec(text)?.[1];
  if (lone !== undefined && looksRandom(lone, 12) && !isPlaceholder(lone)) {
    const start = text.indexOf(lone, at);
    found.push({ kind: "password", start, end: start + lone.length });
    return start + lone.length;
  }
  const end = phraseAfter(text, at, found);
  if (end > at) return end;
  const inLine = findInLine(text, at, found);
  return inLine > at ? inLine : findReply(text, at, found);
}

/** The rest of the line of a question. */
const REST_OF_LINE = /[^\n]{0,120}\n/y;
const ASKS =
  /\b(?:what|whats|what's|which|can|could|does|do|send|share|give|need|remind|anyone|pls|please)\b/i;
/** A line of the answer: when and by whom, then one word alone. */
const REPLY =
  /[ \t]{0,4}(?:\[[\d:/., APMapm-]{4,24}\] ?)?(?:<?@?[\w.-]{1,24}>?(?: \([\d: APMapm]{4,10}\))?:? {1,2})?["'`]?([^\s"'`]{8,64})["'`]?[ \t]{0,4}(?:\r?\n|$)/y;
/** `BasaltCrow-618` */
const TWO_WORDS = /^(?:[A-Z][a-z]{2,}){2}[_-]?\d{2,4}$/;
const MAX_REPLIES = 4;

/** Masks the password that answers a question, in one of the next lines: `what's the wifi password?⏎tom: …`. */
function findReply(text: string, at: number, found: Finding[]): number {
  let lineAt = skip(REST_OF_LINE, text, at);
  if (lineAt === at) return at;
  const before = text.slice(Math.max(0, at - MAX_LINE), at);
  const isQuestion =
    text.slice(at, lineAt).includes("?") || ASKS.test(before.slice(before.lastIndexOf("\n") + 1));
  if (!isQuestion) return at;
  for (let line = 0; line < MAX_REPLIES; line++) {
    REPLY.lastIndex = lineAt;
    const word = REPLY.exec(text)?.[1];
    if (word !== undefined && (isStrongPassword(word) || TWO_WORDS.test(word)) && !isPlaceholder(word)) {
      const start = text.indexOf(word, lineAt);
      found.push({ kind: "password", start, end: start + word.length });
      return start + word.length;
    }
    const next = skip(REST_OF_LINE, text, lineAt);
    if (next === lineAt) return at;
    lineAt = next;
  }
  return at;
}

const MAX_LINE = 120;
const WORD_OF_LINE = /(?<=[\s"'`<>()[\]{},;|])[^\s"'`<>()[\]{},;|\\]{8,80}(?![^\s"'`<>()[\]{},;|\\])/g;
/** What a value follows that has a name: that name says what it is. */
const NAMED = /[\w"')\]][ \t]{0,3}[:=][ \t]{0,3}["'`]?$/;

/** A word later in the line that can hardly be anything but the password. */
function findInLine(text: string, at: number, found: Finding[]): number {
  const rest = text.slice(at, at + MAX_LINE);
  if (!/\d/.test(rest) || /^[A-Za-z0-9+/]/.test(rest)) return at;
  const lineEnd = rest.search(/\n|\\n/);
  const line = lineEnd === -1 ? rest : rest.slice(0, lineEnd);
  for (const match of line.matchAll(WORD_OF_LINE)) {
    const word = withoutTrailing(match[0], ".:?,");
    if (!isStrongPassword(word) || isPlaceholder(word) || NAMED.test(line.slice(0, match.index))) continue;
    const start = at + match.index;
    found.push({ kind: "password", start, end: start + word.length });
    return start + word.length;
  }
  return at;
}

function phraseAfter(text: string, at: number, found: Finding[]): number {
  AFTER_WORD.lastIndex = at;
  const between = AFTER_WORD.exec(text);
  if (between === null) return at;
  const start = AFTER_WORD.lastIndex;
  const { verb = "", quote = "", owns } = between.groups ?? {};
  BARE.lastIndex = start;
  if (!BARE.test(text)) return at;
  // In prose a full stop ends the sentence, not the password.
  const word = text.slice(start, BARE.lastIndex);
  const bare = quote === "" ? withoutTrailing(word, ".:?") : word;
  const end = start + bare.length;
  if (quote !== "" && text.charAt(end).replace("\\", quote) !== quote) return at;
  if (owns !== undefined && quote === "" && !(isSpokenWithSigns(bare) && !OF_PASSWORDS.test(bare))) return at;
  const isTag = /(?<![-=])>|&gt;/.test(between[0]);
  if (isTag && text.charAt(end) !== "<" && !bare.endsWith("&lt")) return at;
  const isNetrc =
    quote === "" && /^\s+$/.test(between[0]) && NETRC.test(text.slice(Math.max(0, at - 130), at));
  if (isNetrc && !isPlaceholder(bare)) {
    found.push({ kind: "password", start, end });
    return end;
  }
  if (
    quote === "" &&
    !isTag &&
    !isSpoken(bare) &&
    !isStrongPassword(bare) &&
    !(verb !== "" && isSpokenWithSigns(bare))
  )
    return at;
  // A list of names has commas too: `"user", "password", "role"`.
  if (between[0].includes(",") && !/[^A-Za-z_-]/.test(bare)) return at;
  const value: Value = { text: bare, start, end, quote: isTag || quote !== "" ? '"' : "" };
  const name = readSecretName("password");
  if (name === undefined || !isSecretValue(name, value, text.charAt(end))) return at;
  found.push({ kind: "password", start, end });
  return end;
}

/** Properties of a password: `the password's SHA256Sum`. */
const OF_PASSWORDS = /sha\d|md5|base\d|hash|crypt|argon|utf|salt|length/i;

/** After `is`, punctuation may belong to the password. */
function isSpokenWithSigns(word: string): boolean {
  return (
    word.length >= 8 &&
    /\d/.test(word) &&
    /[a-z]/.test(word) &&
    /[A-Z]/.test(word) &&
    !/:\/\/|^[./~]/.test(word)
  );
}

/** In prose any word can follow; a password has a digit among at least three letters, or a digit and a sign. */
function isSpoken(word: string): boolean {
  if (isUuid(word)) return true;
  return (
    word.length >= 6 &&
    /\d/.test(word) &&
    /[A-Za-z]/.test(word) &&
    !/^[a-z]+\d$|^\d+[a-z]+$|^v?\d|[=/:]/.test(word)
  );
}

/** `my seed phrase is: …`, `mnemonic is …`. */
const SEED =
  /(?: phrase| words)?["'`)]{0,2}(?: (?:is|was|are))?[:=]?[ \t]{1,3}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z]| [a-z])/y;

/** Names that only such words have; a phrase alone may be anything. */
const NAMES_SEED =
  /(?:nemonic|(?:recovery|seed|secret|backup|wallet|mnemonic)[ _-](?:recovery )?phrase|wiederherstellungs-?phrase)$/i;
/** `phrase de récupération` */
const NAMES_SEED_AFTER = /^ (?:secret|secr\u00e8te|de r[e\u00e9]cup|mn[e\u00e9]m)/;

/** `the mnemonic of our test wallet:⏎orbit maple …`: the words end a line, up to 160 characters later. */
const LATER_SEED =
  /[^"`]{0,160}?(?:[:.]\s|\n)\s{0,8}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?=["'`.]?[ \t]{0,4}(?:\r?\n|$))/y;

/** Whether a quarter of the words are plurals, past tenses, adverbs and little words: wallets pick few of them. */
function isSentence(words: string): boolean {
  const all = words.split(" ");
  const ofSentences = all.filter((word) => /[^s]s$|ed$|ing$|ly$/.test(word) || WORDS_OF_SENTENCES.has(word));
  return ofSentences.length > all.length / 4;
}

function seedAt(text: string, at: number, found: Finding[]): number {
  const isNamed =
    NAMES_SEED.test(text.slice(Math.max(0, at - 40), at)) || NAMES_SEED_AFTER.test(text.slice(at, at + 16));
  for (const pattern of isNamed ? [SEED, LATER_SEED] : [SEED]) {
    pattern.lastIndex = at;
    const words = pattern.exec(text)?.[1];
    if (words === undefined || words.split(" ").length % 3 !== 0 || !isSeedPhrase(words)) continue;
    if (pattern === LATER_SEED && isSentence(words)) continue;
    const end = pattern.lastIndex;
    found.push({ kind: "seed-phrase", start: end - words.length, end });
    return end;
  }
  return at;
}

/** Little words of sentences are in no seed phrase; wallets pick from a list that has only some of them. */
export function isSeedPhrase(words: string): boolean {
  return (
    !/\b(?:the|and|for|are|was|were|your|has|with|from|not|here)\b/.test(words) &&
    !/\b(?:you|have|this|that|will) (?:[a-z]{1,12} ){0,23}(?:you|have|this|that|will)\b/.test(words)
  );
}

/** SQL: `IDENTIFIED BY '…'`. */
function identifiedAt(text: string, at: number, found: Finding[]): number {
  IDENTIFIED.lastIndex = at;
  const secret = IDENTIFIED.exec(text)?.[1];
  if (secret === undefined || isPlaceholder(secret) || /^(?:password|pass|secret)$/i.test(secret)) return at;
  found.push({ kind: "password", start: IDENTIFIED.lastIndex - secret.length, end: IDENTIFIED.lastIndex });
  return IDENTIFIED.lastIndex;
}

const MIN_LENGTH = 20;
const MAX_LENGTH = 4096;
const LOOK_BACK = 90;
const MAX_PARTS = 64;

/**
 * "the api key is …", `setItem("token", "…")`, `<apiKey>…`, `Bearer …`, `set -gx API_KEY …`: a name, then something
 * weaker than a colon or an equals sign. Only long random values, since words follow these names far more often.
 */
const LEAD_IN =
  /(?:(bearer|basic)\s+|((?:api|access|secret|private|auth|encryption|signing|master|account|subscription|license|this|my|your|our)[ _-]?key|api_?key|token|secret|secret_key_base)s?["'`]?\)?(?:['\u2019]s[ \t]+|(?:[ \t]+[\w'\u2019.@()-]{1,14}){0,6}[ \t]*(?:[ \t](?:is|was|are)|[:=\u2013\u2014-]|->|\u2192)\s+|\s+(?:=|->|\u2192)\s+|\s*,\s*|\s*>\s*|\s*\(\s*|\s*<-\s*|\s*\|\s*|\s+))\\{0,2}["'`]?$/i;
const REST = /[\w+/=.~-]{0,600}/y;
/** The address of a contract or a person on a blockchain. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function findSpokenSecret(text: string, runStart: number, end: number, found: Finding[]): void {
  if (end - runStart > MAX_LENGTH) return;
  const start = startOfBase64(text, runStart);
  if (!opensValue(text.charCodeAt(start - 1)) || !hasDigit(text, start, end)) return;
  const leadIn = LEAD_IN.exec(text.slice(Math.max(0, start - LOOK_BACK), start));
  if (leadIn === null) return;
  REST.lastIndex = end;
  REST.test(text);
  const value = withoutTrailing(text.slice(start, Math.max(end, REST.lastIndex)), ".~-");
  if (isPlaceholder(value) || ADDRESS.test(value) || !looksRandom(value, MIN_LENGTH)) return;
  found.push({ kind: kindOf(leadIn), start, end: start + value.length });
}

/** Whether the run may be such a value: what this lets go is none. */
export function mayBeSpoken(units: Uint16Array, runStart: number, end: number): boolean {
  if (end - runStart > MAX_LENGTH) return false;
  let start = runStart;
  const limit = runStart - MAX_PARTS;
  while (start > limit && isBase64(units[start - 1] ?? 0)) start--;
  if (!opensValue(units[start - 1] ?? 0)) return false;
  for (let at = start; at < end; at++) {
    const code = units[at] ?? 0;
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}

/** Space, quotes, bracket, > : without one of them no lead-in can end here. */
function opensValue(code: number): boolean {
  return code === 32 || code === 34 || code === 39 || code === 96 || code === 40 || code === 62;
}

/** A slash or a plus sign parts the runs of base64. */
function startOfBase64(text: string, runStart: number): number {
  let start = runStart;
  const limit = Math.max(0, runStart - MAX_PARTS);
  while (start > limit && isBase64(text.charCodeAt(start - 1))) start--;
  return start;
}

function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 43
  );
}

function kindOf(leadIn: RegExpExecArray): string {
  if (leadIn[1] !== undefined) return "authorization";
  const name = (leadIn[2] ?? "").toLowerCase();
  if (name === "token") return "token";
  return name.endsWith("key") && !/secret|private|encryption|signing|master/.test(name)
    ? "api-key"
    : "secret";
}

/** A quick check: most names have no digit, most keys have. */
function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) return true;
  }
  return false;
}
