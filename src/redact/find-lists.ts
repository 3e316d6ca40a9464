import type { Finding } from "./finding.ts";
import { isStrongKey, isStrongPassword, looksRandom } from "./randomness.ts";
import type { Sign } from "./scan-signs.ts";
import type { SecretName } from "./secret-name.ts";
import { isPlaceholder, skip } from "./secret-value.ts";

/** The separators of items: line ends, bullets, numbers of a list, marks of a diff, punctuation of JSON. */
const GAP =
  /(?:\\{1,4}[nrt"]|[\s,;:"'`*\u2022|[\](){}>+~=-]|\d{1,2}[.)] ?|\(\d{1,3}\)|[\u2610\u2713\u2717]){0,60}/y;
const MAX_ITEMS = 40;

/** A list of values after a name in the plural: `api_keys: ["…", "…"]`, `COOKIE_KEYS=…,…`, `passwords:⏎  root: …`. */
const CONSTRUCTOR = /\s{0,4}(?:vec!|(?:new )?[A-Za-z]{2,8}\()/y;
const ITEM_NAME = /[\w.@-]{1,40}\\{0,3}["']?[ \t]{0,2}(?::|=>|=)[ \t]{0,2}\\{0,3}["']?/y;
const ITEM = /[^\s"'`,;(){}[\]<>|\\]{8,400}/y;

/** Masks the items of the list at `from`; returns where the last one ends, or -1 if there is none. */
export function findListedValues(text: string, from: number, name: SecretName, found: Finding[]): number {
  let after = -1;
  let at = skip(CONSTRUCTOR, text, from);
  for (let item = 0; item < MAX_ITEMS; item++) {
    const gapEnd = skip(GAP, text, at);
    let start = gapEnd;
    let end = skip(ITEM, text, start);
    if (!isListed(name, text.slice(start, end))) {
      start = skip(ITEM_NAME, text, gapEnd);
      end = skip(ITEM, text, start);
      if (start === gapEnd || !isListed(name, text.slice(start, end))) break;
    }
    found.push({ kind: name.kind, start, end });
    after = end;
    at = end;
  }
  return after;
}

function isListed(name: SecretName, text: string): boolean {
  if (text === "" || isPlaceholder(text) || /^[~./]|:\/\/|^(?:[\w@.-]+\/){2}|:$|=[^=]/.test(text))
    return false;
  if (name.kind === "password") return isStrongPassword(text);
  return isStrongKey(text) || (name.isStrong && looksRandom(text.replace(/^0x/, ""), 20));
}

const PURPOSE = /recover|backup|scratch|emergenc|2fa|mfa|two[- ]?factor|otp|one[- ]?time/i;
const LOOK_BACK = 48;
const CODE =
  /(?:[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,4}|\d{4} \d{4}|[A-Za-z0-9]{8,16}|\d{6,10})(?![\w./@-])/y;
const DATE = /^\d{4}-\d\d|^(?:19|20)\d{6}$/;
const MIN_CODES = 2;
/** Lines of advice that may come between the heading and the codes. */
const MAX_LINES_BETWEEN = 4;

/** Recovery codes of a second factor: a list of short codes under a heading that says so. Keys under a heading. */
export const listSigns: readonly Sign[] = [
  ...["codes", "Codes", "CODES"].map(
    (word): Sign => ({
      sign: word,
      find: (text, at, found) =>
        PURPOSE.test(text.slice(Math.max(0, at - LOOK_BACK), at))
          ? findCodes(text, at + word.length, found)
          : at,
    }),
  ),
  { sign: "kind: Secret\n", find: findSecretData },
  ...["rivate keys", "rivate Keys", "RIVATE KEYS"].map(
    (sign): Sign => ({
      sign,
      find: (text, at, found) =>
        Math.max(
          at,
          findListedValues(
            text,
            at + sign.length,
            { kind: "secret", words: ["private", "key"], isStrong: true, isSetting: false },
            found,
          ),
        ),
    }),
  ),
];

const DATA = /\n(?:[ \t]{0,8}\d{1,6}(?:\u2192|:|\t| ?\|)[ \t]?)?(?:data|stringData):[ \t]{0,4}(?=\r?\n)/g;
const DATA_LINE =
  /\r?\n(?:[ \t]{0,8}\d{1,6}(?:\u2192|:|\t| ?\|))?[ \t]{1,8}(?:(?:user|username|host|port|database):[ \t]{1,4}\S{1,400}|[\w.-]{1,80}:[ \t]{1,4}["']?([^\s"'|>][^\s"']{0,4096})["']?)(?=[ \t]{0,4}(?:\r?\n|$))/y;
const MIN_DATA = 6;
const MAX_BEFORE = 2_000;
const MAX_AFTER = 4_000;

/** Masks the values of a Kubernetes Secret, whatever their names. */
function findSecretData(text: string, at: number, found: Finding[]): number {
  const nearest = Math.max(0, at - MAX_BEFORE);
  // Only within one document of the stream; the search is bounded, because any text may repeat the sign.
  const from = nearest + Math.max(0, text.slice(nearest, at).lastIndexOf("\n---"));
  const document = text.slice(from, at + MAX_AFTER);
  const documentEnd = document.indexOf("\n---", at - from);
  for (const { 0: heading, index } of document.matchAll(DATA)) {
    if (documentEnd !== -1 && index > documentEnd) break;
    DATA_LINE.lastIndex = index + heading.length;
    for (let line = DATA_LINE.exec(document); line !== null; line = DATA_LINE.exec(document)) {
      const value = line[1] ?? "";
      const start = from + line.index + line[0].lastIndexOf(value);
      if (value.length >= MIN_DATA && !isPlaceholder(value))
        found.push({ kind: "secret", start, end: start + value.length });
    }
  }
  return at;
}

/** Adds the codes after `from`; returns where they end. */
function findCodes(text: string, from: number, found: Finding[]): number {
  let at = from;
  for (let line = 0; line <= MAX_LINES_BETWEEN; line++) {
    const codes = readCodes(text, at);
    if (codes.length >= MIN_CODES) {
      found.push(...codes);
      return codes.at(-1)?.end ?? from;
    }
    const next = /[:\n]/.exec(text.slice(at, at + 200));
    if (next === null) return from;
    at += next.index + 1;
  }
  return from;
}

function readCodes(text: string, from: number): readonly Finding[] {
  const codes: Finding[] = [];
  let at = from;
  while (codes.length < MAX_ITEMS) {
    const start = skip(GAP, text, at);
    const end = skip(CODE, text, start);
    const code = text.slice(start, end);
    if (end === start || !/\d/.test(code) || DATE.test(code)) break;
    codes.push({ kind: "recovery-code", start, end });
    at = end;
  }
  return codes;
}
