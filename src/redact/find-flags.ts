import { findCookies } from "./find-headers.ts";
import { isSeedPhrase } from "./find-phrases.ts";
import type { Finding } from "./finding.ts";
import { isPasswordOfUser, isStrongKey, isStrongPassword } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import { PADDING } from "./scan-signs.ts";
import { readSecretName } from "./secret-name.ts";
import { isPlaceholder, isSecretValue, readValue, skip } from "./secret-value.ts";

/**
 * The separator of a flag and its value: spaces, the end of a continued line, or in a list of arguments
 * `"--password", "x"`.
 */
const AFTER_FLAG = String.raw`(?:\\{0,3}["'],\s{0,8}(?=\\{0,3}["'])|[ \t]{1,3}(?:\\\r?\n[ \t]{0,20})?(?!-))`;
/** `--password x`, `-Password x`. With `=` it is an assignment. */
const LONG_FLAG = new RegExp(`--?([A-Za-z][\\w.-]{1,40})${AFTER_FLAG}`, "y");
const SHORT_FLAG_END = new RegExp(AFTER_FLAG, "y");
/** Flags of one letter, and the programs that take a password with them. */
const SHORT_FLAGS: Readonly<Record<string, RegExp>> = {
  p: /\b(?:sshpass|(?:docker|podman|buildah|skopeo|oras|nerdctl|az|helm registry|cf|oc) login|mongo(?:sh|dump|restore|export|import|stat|top)?|mysql\w{0,10}|mariadb\w{0,10}|mycli|cqlsh|7z[ar]?|rar|unrar|cadaver|psexec\w{0,4}|rdesktop|crackmapexec|nxc|netexec|evil-winrm|rabbitmqadmin|xtrabackup|cypher-shell|conan|supabase|twine|nuget|security|ejabberdctl|kinit|hydra|medusa|ncrack|snowsql|influx|beeline)\b/,
  a: /\b(?:redis|valkey|keydb)-(?:cli|benchmark)\b|(?:^|[\s;&|"'`])(?:https?|xhs?|hey)\s/,
  c: /\bsnmp\w{3,10}\b/,
  w: /\b(?:ldap\w{1,10}|security add-\w+-password)\b/,
  P: /\b(?:zip|unzip|sqlcmd|bcp|tsql|ipmitool|mosquitto_\w{3,4}|ssh-keygen|pdfattach)\b/,
  N: /\bssh-keygen\b/,
  A: /\bsnmp\w{3,10}\b|(?:^|[\s;&|"'`])ab\s/,
  X: /\bsnmp\w{3,10}\b/,
  k: /\bopenssl (?:enc|aes)\S{0,20}\b/,
  K: /\bopenssl (?:enc|aes)\S{0,20}\b/,
  t: /\b(?:auth|login)\b/,
  b: /\b(?:curl|gh secret set)\b/,
  u: /\b(?:curl|wget|http|https|xh|lftp|ncftp\w{0,3})\b/,
  U: /\b(?:curl|smbclient|rpcclient|smbmap|net|winexe)\b/,
};
const LOOK_BACK = 200;

/** Secrets after flags of a command. */
export const flagSigns: readonly Sign[] = [
  {
    sign: "-",
    before: "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    find: (text, at, found, units) => (mayBeFlag(units, PADDING + at) ? flagAt(text, at, found) : at),
  },
];

/** Space, line end, tab, quotes, bracket, comma: characters that may come before a flag. */
const OPENS_FLAG: Uint8Array = new Uint8Array(65_536);
for (const character of " \n\t\"'`[,") OPENS_FLAG[character.charCodeAt(0)] = 1;
/** The letters of flags that have one and may come with a password. */
const SHORT_FLAG: Uint8Array = new Uint8Array(65_536);
for (const letter of ["S", ...Object.keys(SHORT_FLAGS)]) SHORT_FLAG[letter.charCodeAt(0)] = 1;

/** Whether a flag worth checking may begin here; nearly all hyphens are inside words or before a space. */
function mayBeFlag(units: Uint16Array, at: number): boolean {
  if (at !== PADDING && OPENS_FLAG[units[at - 1] ?? 0] !== 1) return false;
  const second = units[at + 1] ?? 0;
  const third = units[at + 2] ?? 0;
  if (second === 45) return isLetter(third);
  return isLetter(second) && ((third >= 97 && third <= 122) || SHORT_FLAG[second] === 1);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function flagAt(text: string, at: number, found: Finding[]): number {
  const second = text.charAt(at + 1);
  const third = text.charCodeAt(at + 2);
  if (second === "S" && text.endsWith("sudo ", at)) return pipedPassword(text, at, found);
  if (text.startsWith("--password-stdin", at)) return pipedPassword(text, at, found);
  const isLong = second === "-" || (third >= 97 && third <= 122);
  if (isLong) {
    const end = longFlag(text, at, found);
    if (end > at) return end;
  }
  const programs = SHORT_FLAGS[second];
  if (programs === undefined) return at;
  const command = commandBefore(text, at);
  if (programs.test(command)) return shortFlag(text, at, second, found, command);
  // For any program: `-u somebody -p …`.
  return second === "p" && WITH_USER.test(command) ? strongPassword(text, at, found) : at;
}

const WITH_USER = /\s(?:-u|-U|--?user(?:name)?)[ =]/;

/** `http -a user:password`, `http -A bearer -a token`, `hey -a user:password` */
const HTTPIE = /(?:^|[\s;&|"'`])(?:https?|xhs?|hey)\s/;
/** `ab -A user:password` */
const APACHE_BENCH = /(?:^|[\s;&|"'`])ab\s/;
const BEARER = /\s(?:-A|--auth-type)[ =]?bearer\b/;

function bearerToken(text: string, at: number, found: Finding[]): number {
  const value = readValue(text, at, true);
  if (value === undefined || value.text.length < 8 || !/\d/.test(value.text) || isPlaceholder(value.text))
    return at;
  found.push({ kind: "token", start: value.start, end: value.end });
  return value.end;
}

function strongPassword(text: string, at: number, found: Finding[]): number {
  const value = readValue(text, skip(SHORT_FLAG_END, text, at + 2), true);
  if (value === undefined || isPlaceholder(value.text)) return at;
  if (!isStrongPassword(value.text) && !isStrongKey(value.text)) return at;
  found.push({ kind: "password", start: value.start, end: value.end });
  return value.end;
}

/** The command up to `at`, with the lines before that a backslash continues. */
function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - LOOK_BACK), at);
  let lineEnd = before.lastIndexOf("\n");
  while (lineEnd > 0 && before.charAt(lineEnd - 1) === "\\") lineEnd = before.lastIndexOf("\n", lineEnd - 1);
  // A list of arguments reads like the command that it makes.
  return before.slice(lineEnd + 1).replace(/\\{0,3}["'],\s{0,8}\\{0,3}["']/g, " ");
}

/** `echo … | sudo -S`, `echo … | docker login --password-stdin`. */
const PIPED = /\b(?:echo|printf) (?:-\w{1,2} )?\\{0,3}(["']?)([^\s"'|]{4,128})\\{0,3}\1 ?\| ?[^|\n]{0,150}$/;

function pipedPassword(text: string, at: number, found: Finding[]): number {
  const from = Math.max(0, at - LOOK_BACK);
  const match = PIPED.exec(text.slice(from, at));
  const password = match?.[2]?.replace(/\\+$/, "");
  if (
    match === null ||
    password === undefined ||
    isPlaceholder(password) ||
    /^\$|^\w*pass\w*$/i.test(password)
  )
    return at;
  const start = from + match.index + match[0].indexOf(password, 5);
  found.push({ kind: "password", start, end: start + password.length });
  return at;
}

/** Flags of openssl, keytool and apksigner whose value says where the password comes from: `pass:…`. */
const PASS_ARGUMENT = /^(?:pass|passin|passout|ks-pass|key-pass|srcpass|destpass)$/;

/** Flags whose value is a user and a password: `-auth user:…`, `--basic-auth user:…`. */
const PAIR_FLAG = /^(?:(?:[a-z]{2,10}-)?auth|creds|credentials|user-?pass|login)$/;
/** `--auth env:NAME`: where the password is. */
const NAMES_SOURCE = /\\{0,3}["']?(?:env|file|fd|cmd|keyring|op|ref|vault|ssm|aws|gcp|azure|https?):/y;

/** Programs whose `--user` is a user and a group. */
const CONTAINERS = /\b(?:docker|podman|nerdctl|buildah)\b/;

/** Commands that store a secret under a name, and the flag that its value follows. */
const SETS_SECRET =
  /\b(?:secrets? (?:set|put|create|add)|create-secret|put-secret-value|put-parameter|Env:\w*(?:PASSWORD|SECRET|TOKEN|KEY)|SecretManagement)\b/i;
const VALUE_FLAG = /^(?:body|value|secret-string|plaintext|Secret)$/i;

function longFlag(text: string, at: number, found: Finding[]): number {
  LONG_FLAG.lastIndex = at;
  const match = LONG_FLAG.exec(text);
  const flag = match?.[1];
  if (flag === undefined) return at;
  const valueAt = LONG_FLAG.lastIndex;
  if (flag === "user" || flag === "proxy-user")
    return CONTAINERS.test(commandBefore(text, at))
      ? userAndPassword(text, valueAt, found, isPasswordOfUser)
      : userAndPassword(text, valueAt, found);
  if (flag === "cookie") return findCookies(text, valueAt, found);
  if (flag === "cert" || flag === "proxy-cert") return passwordOfFile(text, valueAt, found);
  if (flag === "seed") return seedWords(text, valueAt, found);
  if (PASS_ARGUMENT.test(flag)) {
    const end = passArgument(text, valueAt, found);
    // `curl --pass …` has no `pass:` before the password.
    if (end > valueAt || flag !== "pass") return end > valueAt ? end : at;
  }
  if (PAIR_FLAG.test(flag) && skip(NAMES_SOURCE, text, valueAt) === valueAt) {
    const end = userAndPassword(text, valueAt, found, isPasswordOfUser);
    if (end > valueAt) return end;
  }
  // `--key` alone is mostly a name; only a random value after it is a key.
  const isValueOfSecret = VALUE_FLAG.test(flag) && SETS_SECRET.test(commandBefore(text, at));
  const name = readSecretName(isValueOfSecret ? "password" : flag === "key" ? "api-key" : flag);
  if (name === undefined) return at;
  const value = readValue(text, valueAt, false);
  // A space ends an argument, as a line end does a setting.
  if (value === undefined || !isSecretValue(name, value, text.charAt(value.end).trim())) return at;
  found.push({ kind: name.kind, start: value.start, end: value.end });
  return value.end;
}

function shortFlag(text: string, at: number, letter: string, found: Finding[], command: string): number {
  const valueAt = skip(SHORT_FLAG_END, text, at + 2);
  if (letter === "u" || letter === "U") return userAndPassword(text, valueAt, found);
  if (letter === "a" && HTTPIE.test(command))
    return BEARER.test(command) ? bearerToken(text, valueAt, found) : userAndPassword(text, valueAt, found);
  if (letter === "A" && APACHE_BENCH.test(command)) return userAndPassword(text, valueAt, found);
  if (letter === "b" && !command.includes("secret set")) return findCookies(text, valueAt, found);
  if (letter === "t" || letter === "b") return strongPassword(text, at, found);
  const isGlued = valueAt === at + 2;
  const value = readValue(text, valueAt, true);
  if (value === undefined || value.text.startsWith("-") || isPlaceholder(value.text)) return at;
  // After a space it may be the name of the database; a word glued to the flag can only be the password.
  if (!/\d/.test(value.text) && !(isGlued && value.text.length >= 4 && letter === "p")) return at;
  if (/^[\d.:/]+$/.test(value.text) && !isGlued) return at;
  found.push({ kind: "password", start: value.start, end: value.end });
  return value.end;
}

const USER = /[ \t]{0,3}\\{0,3}["']?[\w.@+/\\-]{1,80}?[:%,]/y;

/** `-u user:password`, `--user "user:password"`, `-U user%password`. */
function userAndPassword(
  text: string,
  at: number,
  found: Finding[],
  confirm: (password: string) => boolean = () => true,
): number {
  USER.lastIndex = at;
  if (!USER.test(text)) return at;
  const start = USER.lastIndex;
  const end = endOfWord(text, start);
  const password = text.slice(start, end);
  if (
    password.length < 4 ||
    isPlaceholder(password) ||
    /^(?:password|passwd|pass|token|secret|\d{1,5})$/i.test(password) ||
    !confirm(password)
  )
    return at;
  found.push({ kind: "password", start, end });
  return end;
}

const KEY_FILE = /\\{0,3}["']?[^\s"'`:\\]{1,120}\.(?:pem|p12|pfx|crt):(?!\/)/y;

/** `--cert client.p12:…` of curl. */
function passwordOfFile(text: string, at: number, found: Finding[]): number {
  const start = skip(KEY_FILE, text, at);
  const end = endOfWord(text, start);
  if (start === at || end - start < 4 || isPlaceholder(text.slice(start, end))) return at;
  found.push({ kind: "password", start, end });
  return end;
}

const SEED_WORDS = /\\{0,3}["']((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\\{0,3}["']/dy;

/** `--seed "…"`: the words of a wallet. */
function seedWords(text: string, at: number, found: Finding[]): number {
  SEED_WORDS.lastIndex = at;
  const match = SEED_WORDS.exec(text);
  const [start, end] = match?.indices?.[1] ?? [at, at];
  if (start === end || !isSeedPhrase(text.slice(start, end))) return at;
  found.push({ kind: "seed-phrase", start, end });
  return end;
}

const PASS_PREFIX = /\\{0,3}["']?pass:\\{0,3}["']?/y;

/** `-passin pass:secret` of openssl. */
function passArgument(text: string, at: number, found: Finding[]): number {
  const start = skip(PASS_PREFIX, text, at);
  const end = endOfWord(text, start);
  if (start === at || end - start < 3 || isPlaceholder(text.slice(start, end))) return at;
  found.push({ kind: "password", start, end });
  return end;
}

const WORD = /[^\s"'`\\]{1,200}/y;

function endOfWord(text: string, at: number): number {
  WORD.lastIndex = at;
  return WORD.test(text) ? WORD.lastIndex : at;
}
