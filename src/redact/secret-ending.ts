/**
 * How every name worth reading ends. Names stand before most colons and equals signs, and nearly all of them must be
 * let go without cutting a string: first by a table of the last three letters, then letter by letter.
 */
const ENDINGS = (
  "password passwords passwd passwort kennwort passphrase passcode pwd pass psk pw secret secrets key key_data key-data token jwt pat bearer " +
  "sessionid sessid sid authorization cookie value default signature sig auth none private-lines mnemonic phrase words seed salt kty " +
  "credentials credential creds login accounts keypair totp otp code verifier dockerconfigjson dockercfg " +
  "keys tokens codes pin pepper sk appid license " +
  "contraseña contrasena senha passe wachtwoord parola hasło haslo salasana passord lösenord пароль 密码 パスワード 비밀번호"
).split(" ");
/** Endings that say which of several (`API_KEY_PROD`, `secret_key_base`); the name proper stands before them. */
const WHICH =
  "prod production dev development staging stage test testing live sandbox old new base default main backup primary secondary plain plaintext cleartext raw string text".split(
    " ",
  );

/** Which endings share their last three letters. */
const LIST_OF: Uint16Array = new Uint16Array(1 << 15);
const lists: string[][] = [[]];
for (const word of [...ENDINGS, ...WHICH]) {
  // A word of two letters is entered with every letter that may stand before it.
  for (let before = word.length < 3 ? 0 : 31; before < 32; before++) {
    const letters = word.length < 3 ? String.fromCharCode(before) + word : word;
    const index = packLetters(letters, letters.length);
    if (LIST_OF[index] === 0) LIST_OF[index] = lists.push([]) - 1;
    lists[LIST_OF[index] ?? 0]?.push(word);
  }
}
const isWhich: ReadonlySet<string> = new Set(WHICH);

/** What may stand between a name and its separator: spaces, quotes, brackets, the `?` of an optional field. */
const CLOSING: Uint8Array = new Uint8Array(65_536);
for (const character of " \t\"'`\\[])?:*") CLOSING[character.charCodeAt(0)] = 1;
const MAX_CLOSING = 40;

/** Where the name before the separator at `at` ends; -1 where it can't be one that tells a secret. */
export function endOfSecretName(text: string, at: number): number {
  const limit = at < MAX_CLOSING ? 0 : at - MAX_CLOSING;
  let end = at;
  while (end > limit && CLOSING[text.charCodeAt(end - 1)] === 1) end--;
  const last = text.charCodeAt(end - 1);
  if (last >= 48 && last <= 57) return hasEndingBeforeDigits(text, end) ? end : -1;
  return LIST_OF[packLetters(text, end)] !== 0 && hasEnding(text, end) ? end : -1;
}

/** The same for units in plain memory, by the last three letters alone: what this lets go is no such name. */
export function mayBeSecretName(units: Uint16Array, at: number): boolean {
  const limit = at - MAX_CLOSING;
  let end = at;
  while (end > limit && CLOSING[units[end - 1] ?? 0] === 1) end--;
  if (isDigit(units[end - 1] ?? 0)) {
    end--;
    if (isDigit(units[end - 1] ?? 0)) end--;
    if (isJoint(units[end - 1] ?? 0)) end--;
  }
  const letters =
    (((units[end - 3] ?? 0) & 31) << 10) | (((units[end - 2] ?? 0) & 31) << 5) | ((units[end - 1] ?? 0) & 31);
  return LIST_OF[letters] !== 0;
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
  if (ending === undefined || ending === "default" || !isWhich.has(ending)) return ending !== undefined;
  const joint = end - ending.length - 1;
  return isJoint(text.charCodeAt(joint)) && endingAt(text, joint) !== undefined;
}

/** `password2`, `API_KEY_1`; not the times, line numbers and sizes that stand before most colons. */
function hasEndingBeforeDigits(text: string, end: number): boolean {
  let at = end - 1;
  if (isDigit(text.charCodeAt(at - 1))) at--;
  if (isJoint(text.charCodeAt(at - 1))) at--;
  return !isDigit(text.charCodeAt(at - 1)) && hasEnding(text, at);
}

function endingAt(text: string, end: number): string | undefined {
  for (const word of lists[LIST_OF[packLetters(text, end)] ?? 0] ?? []) {
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
function isJoint(code: number): boolean {
  return code === 95 || code === 45 || code === 46;
}
