import { isUuid } from "../jsonl/values.ts";

/**
 * Distinguishes random values from values made of words. English, and identifiers made from it, use few pairs of
 * letters: these make up three quarters of the pairs in words and a fifth of those in random text.
 */
const COMMON_PAIRS: ReadonlySet<string> = new Set(
  (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne " +
    "ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa " +
    "ge ie ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv am fi ci vi pl ig tu ld ry mp bl ab ty " +
    "op sa ay ex ke fr od sp do ey ck ap wo rd up da"
  ).split(" "),
);

/** `x86_cpu_index_1_edx`, `MAX_RETRY_COUNT_V2`, `my-app-2-worker`: short parts of one case, three or more. */
const SNAKE = /^(?:[a-z0-9]{1,10}(?:[_-][a-z0-9]{1,10}){2,}|[A-Z0-9]{1,10}(?:[_-][A-Z0-9]{1,10}){2,})$/;
const MIN_COMMON_SHARE = 0.45;
const HEX = /^[0-9a-f]+$/i;
/** Dates, times, versions, addresses: digits with few letters between them. */
const MOSTLY_DIGITS = /^[\d.:+/_TZv-]*$/;

/** Whether a value is as irregular as a generated key: no words, no counting up, not the same few characters. */
export function looksRandom(text: string, minLength: number): boolean {
  if (text.length < minLength || !/^[\w+/=.~!@#$%^&*:-]+$/.test(text)) return false;
  if (isUuid(text) || MOSTLY_DIGITS.test(text) || SNAKE.test(text)) return false;
  if (isRepetitive(text)) return false;
  const digits = countMatches(text, /\d/g);
  if (HEX.test(text)) return digits >= 2 && digits < text.length;
  const mixed = /[a-z]/.test(text) && /[A-Z]/.test(text);
  return (digits > 0 || mixed) && !isMadeOfWords(text);
}

/** Fewer different characters than any real key has. */
export function hasFewCharacters(text: string): boolean {
  return new Set(text.toLowerCase()).size < Math.min(8, text.length / 2);
}

/** Few different characters, one character many times in a row, or `abcdef…`, `0123…`: a filler that a person typed. */
export function isRepetitive(text: string): boolean {
  // Zero bytes in base64 are real: `AAAAA`.
  if (hasFewCharacters(text) || /([^A])\1{5}|A{12}/.test(text)) return true;
  let rising = 0;
  for (let at = 1; at < text.length; at++) {
    const step = text.charCodeAt(at) - text.charCodeAt(at - 1);
    if (step === 1 || (text[at] === "0" && text[at - 1] === "9")) rising++;
  }
  return rising > text.length * 0.5;
}

/** Made of words, or a filler: not a value that a machine would issue as a key after a beginning such as `ghp_`. */
export function looksWritten(text: string): boolean {
  if (isRepetitive(text)) return true;
  // After such a beginning only names made up by people are in doubt: `xoxb-test-token-for-the-bot`.
  const digits = countMatches(text, /\d/g);
  const isName = digits === 0 || (digits < text.length * 0.25 && countMatches(text, /[-_.]/g) >= 2);
  return isName && isMadeOfWords(text);
}

/**
 * Most letters are in longer stretches of one case, and most pairs in these are common. Random text of mixed case
 * has few such stretches, random text of one case has few such pairs.
 */
function isMadeOfWords(text: string): boolean {
  if (HEX.test(text)) return false;
  let letters = 0;
  let inWords = 0;
  let pairs = 0;
  let common = 0;
  const hasLower = /[a-z]/.test(text);
  for (const stretch of text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []) {
    letters += stretch.length;
    const lower = stretch.toLowerCase();
    let commonHere = 0;
    for (let at = 1; at < lower.length; at++) if (COMMON_PAIRS.has(lower.slice(at - 1, at + 1))) commonHere++;
    // Among small letters, a stretch of capitals counts as a word only if it clearly is one: `SortKey.BRANCH_ACTIVITY`.
    if (
      hasLower &&
      /^[A-Z]+$/.test(stretch) &&
      (stretch.length < 5 || commonHere < (stretch.length - 1) * 0.6)
    )
      continue;
    // Of three letters, only `set`, `key` and their like.
    if (stretch.length < 3 || (stretch.length === 3 && commonHere < 2)) continue;
    inWords += stretch.length;
    pairs += stretch.length - 1;
    common += commonHere;
  }
  // Names have separators, or few digits; without either, more of the value has to look like words.
  const isParted = /[-_ ]/.test(text) || countMatches(text, /\d/g) < 2;
  return inWords >= letters * (isParted ? 0.6 : 0.8) && common >= pairs * MIN_COMMON_SHARE;
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Punctuation inside passwords that words of a text do not have. */
const PASSWORD_SIGN = /[!#$%^*?~&]/;
const PASSWORD_CHARACTERS = /^[\w.!#$%^&*?~@+=-]{8,64}$/;
/** `LoginForm2.tsx`, `v1.2.34`, `user@host.example`, `$HOME`, `?a=b`, `--flag`, `C:12`. */
const NO_PASSWORD =
  /^[$#%@*!?^&~.+=-]|^v?\d+(?:\.\d+)+|[.][A-Za-z]{1,5}$|@[\w-]+\.[a-z]|[?&]\w{1,20}=|[?]\.|[!=]=|&\w{2,6};|\*[./]|\.\*|%[sdvf]\b|%\d\d|^[A-Za-z_]+\$\d+$|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;

const TWO_WORDS_AND_NUMBER = /^[A-Za-z\d]{3,}[_-][A-Za-z\d]{2,}[a-z][_-]?\d{2,4}$/;

/**
 * Whether a word can hardly be anything but a password: `glacierBadger70!`, `MkjAVcc51aep`, `junip3r_Swan656`,
 * `Copper-Glacier-6973`. For places that say little about what is in them.
 */
export function isStrongPassword(text: string): boolean {
  if (!PASSWORD_CHARACTERS.test(text) || NO_PASSWORD.test(text) || isUuid(text) || HEX.test(text))
    return false;
  if (!/\d/.test(text))
    return /[a-z]/.test(text) && /[A-Z]/.test(text) && PASSWORD_SIGN.test(text) && looksRandom(text, 12);
  if (!/[A-Za-z]{3}|[A-Za-z]\d[A-Za-z]/.test(text)) return false;
  if (/[!^]/.test(text) && /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(text) && countMatches(text, /[A-Za-z]/g) >= 6)
    return true;
  if (PASSWORD_SIGN.test(text)) return countMatches(text, /\d/g) >= 2 && countMatches(text, /[A-Za-z]/g) >= 4;
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text)) return looksRandom(text, 16) && !SNAKE.test(text);
  return looksRandom(text, 10) || TWO_WORDS_AND_NUMBER.test(text);
}

/** Whether the word after `user:` may be a password or a token: letters and digits or signs, no path, file or version. */
export function isPasswordOfUser(text: string): boolean {
  return (
    text.length >= 6 &&
    /[A-Za-z]/.test(text) &&
    /[\d!#$%^*?~&+@]/.test(text) &&
    !/^[$/~.]|\/\/|\.[A-Za-z]{1,5}$|^v?\d+(?:\.\d+)+/.test(text)
  );
}

/** Whether a word is so irregular that any name near it makes it a key: of mixed case, or long. */
export function isStrongKey(text: string): boolean {
  return (
    looksRandom(text, 16) &&
    (text.length >= 32 || (/[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)))
  );
}

/** Names of formats and algorithms, which have digits among their letters: `sha256base64`, `utf8mb4general1`. */
const OF_FORMATS =
  /sha\d|md5|base\d\d|utf8|aes\d|hmac|rs\d{3}|hs\d{3}|x509|oauth2|ed25519|k8s|s3|ec2|^v\d|^[a-z]+2[a-z]+\d?$/i;

/** Whether a word of 8 to 20 letters and digits has digits at two places at least, one of them between letters: `h7Tq2Lm9`. */
export function isIrregular(text: string): boolean {
  return (
    /^[A-Za-z0-9]{8,20}$/.test(text) &&
    /[A-Za-z]\d{1,3}[A-Za-z]/.test(text) &&
    countMatches(text, /\d+/g) >= 2 &&
    countMatches(text, /[A-Za-z]/g) >= 4 &&
    !OF_FORMATS.test(text)
  );
}
