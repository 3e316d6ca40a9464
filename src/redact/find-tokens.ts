import { findSpokenSecret, mayBeSpoken } from "./find-phrases.ts";
import type { Finder, Finding } from "./finding.ts";
import { awsSecret, platformTokens, serviceTokens, type TokenKind } from "./known-tokens.ts";
import { isRepetitive, looksWritten } from "./randomness.ts";
import { PADDING } from "./scan-signs.ts";
import { isPlaceholder } from "./secret-value.ts";

export const tokenKinds: readonly TokenKind[] = [...platformTokens, ...serviceTokens];

/** Anchors with these endings come before a run instead of being part of it. */
const STANDS_BEFORE_RUN = /[.:/~]$/;

/** The beginnings of keys of a kind. */
interface Anchored {
  readonly anchor: string;
  readonly kind: TokenKind;
}

/** Anchors that begin a run or a part of it, by three characters packed into 15 bits; 0 is the empty list. */
const lists: Anchored[][] = [[]];
const LIST_OF_START: Uint16Array = new Uint16Array(1 << 15);
/** 1 for the first three characters of anchors that may begin a part of a run. */
const BEGINS_PART: Uint8Array = new Uint8Array(1 << 15);
/** Anchors right before a run, and the pairs of characters that they end in; an anchor of one character is entered with every first character. */
const before: readonly Anchored[] = tokenKinds.flatMap((kind) =>
  kind.anchors.filter((anchor) => STANDS_BEFORE_RUN.test(anchor)).map((anchor) => ({ anchor, kind })),
);
const ENDS_ANCHOR: Uint8Array = new Uint8Array(1 << 14);
for (const { anchor } of before) {
  const last = anchor.charCodeAt(anchor.length - 1);
  for (let code = 0; code < 128; code++)
    if (anchor.length === 1 || anchor.charCodeAt(anchor.length - 2) === code)
      ENDS_ANCHOR[(code << 7) | last] = 1;
}
for (const kind of tokenKinds) {
  for (const anchor of kind.anchors) {
    if (STANDS_BEFORE_RUN.test(anchor)) continue;
    // An anchor of two characters is entered with every third.
    if (anchor.length === 2)
      for (let third = 0; third < 32; third++) enter(anchor + String.fromCharCode(third), { anchor, kind });
    else enter(anchor, { anchor, kind });
  }
}
// The longest first: `sk-ant-` must not be taken for `sk-`.
for (const list of lists) list.sort((a, b) => b.anchor.length - a.anchor.length);

function enter(letters: string, entry: Anchored): void {
  const index = packCharacters(letters, 0);
  if (LIST_OF_START[index] === 0) LIST_OF_START[index] = lists.push([]) - 1;
  lists[LIST_OF_START[index] ?? 0]?.push(entry);
  if (entry.kind.onlyAtRunStart !== true) BEGINS_PART[index] = 1;
}

function packCharacters(text: string, at: number): number {
  return (
    ((text.charCodeAt(at) & 31) << 10) |
    ((text.charCodeAt(at + 1) & 31) << 5) |
    (text.charCodeAt(at + 2) & 31)
  );
}

/** The anchors that may be at `at`. */
function anchorsAt(text: string, at: number): readonly Anchored[] {
  return lists[LIST_OF_START[packCharacters(text, at)] ?? 0] ?? [];
}

/** Whether a key may be in the run from `start` to `end`, or right before it. False only if there is certainly none. */
function mayHoldToken(units: Uint16Array, start: number, end: number): boolean {
  const previous = units[start - 1] ?? 0;
  if (previous < 128 && ENDS_ANCHOR[(((units[start - 2] ?? 0) & 127) << 7) | previous] === 1) return true;
  // The rest of an escape may come before the key: after \ % [ and ;
  const last = previous === 92 || previous === 37 || previous === 91 || previous === 59 ? start + 5 : start;
  for (let at = start; at <= last; at++) if (LIST_OF_START[packUnits(units, at)] !== 0) return true;
  for (let at = start; at < end; at++) {
    const code = units[at];
    if ((code === 45 || code === 95) && BEGINS_PART[packUnits(units, at + 1)] === 1) return true;
    if (code === 95 && units[at - 1] === 95 && LIST_OF_START[packUnits(units, at + 1)] !== 0) return true;
  }
  // `secret_access_key`
  return (units[end - 1] === 121 && units[end - 2] === 101) || mayBeSpoken(units, start, end);
}

function packUnits(units: Uint16Array, at: number): number {
  return (((units[at] ?? 0) & 31) << 10) | (((units[at + 1] ?? 0) & 31) << 5) | ((units[at + 2] ?? 0) & 31);
}

/** Letters, digits, `_` and `-`, which nearly all keys consist of. */
const RUN_CHARACTERS: Uint8Array = new Uint8Array(65_536);
for (let code = 0; code < 128; code++) {
  if (/[\w-]/.test(String.fromCharCode(code))) RUN_CHARACTERS[code] = 1;
}

/** The shortest run that a key of a well-known form has (an AWS access key id has just 20 characters). */
const RUN_LENGTH = 20;

/**
 * Returns the start of the next run of at least 20 such characters, or -1. This is the filter that
 * makes masking cheap: it looks at the last character that a run would need, and if that is a
 * space or a bracket no run can cross it, so most of the text is never looked at. One regular expression of all the
 * beginnings of keys took six times as long.
 */
function findRunIn(units: Uint16Array, from: number, end: number): number {
  let start = from;
  while (start + RUN_LENGTH <= end) {
    let at = start + RUN_LENGTH - 1;
    while (at >= start && RUN_CHARACTERS[units[at] ?? 0] === 1) at--;
    if (at < start) return start;
    start = at + 1;
  }
  return -1;
}

/** The end of the run that begins at `start`: at the latest the zero after the text. */
function endOfRunIn(units: Uint16Array, start: number): number {
  let end = start + RUN_LENGTH;
  while (RUN_CHARACTERS[units[end] ?? 0] === 1) end++;
  return end;
}

/** The end of the run that begins at `start`. */
function endOfRun(text: string, start: number): number {
  let end = start + RUN_LENGTH;
  while (end < text.length && RUN_CHARACTERS[text.charCodeAt(end)] === 1) end++;
  return end;
}

/** One lookbehind for all keys whose anchor comes before the run. */
const beforeRun = new RegExp(
  before
    .map(
      ({ anchor, kind }) =>
        `(?<=(?=${kind.pattern.source})${anchor.replaceAll(".", "\\.").replaceAll("/", "\\/")})`,
    )
    .join("|"),
  "y",
);

const LONG = 100;

/** Finds keys of known formats, and random values after a word such as `token`. */
export const findTokens: Finder = (text, found, units) => {
  const last = PADDING + text.length;
  for (let start = findRunIn(units, PADDING, last); start !== -1; ) {
    const end = endOfRunIn(units, start);
    const after = mayHoldToken(units, start, end) ? runAt(text, start - PADDING, found) : -1;
    // After a key, runs may start anywhere.
    start = findRunIn(units, after === -1 ? end + 1 : PADDING + after, last);
  }
};

/** Searches the run at `start`; returns the position to continue from if a key was found, otherwise -1. */
function runAt(text: string, start: number, found: Finding[]): number {
  const end = endOfRun(text, start);
  const after = tokensInRun(text, start, end, found);
  if (after === start) findSpokenSecret(text, start, end, found);
  // `aws configure set aws_secret_access_key …`
  if (text.charCodeAt(end - 1) === 121 && text.endsWith("secret_access_key", end))
    findSecretBeside(text, end, awsSecret, found);
  return after === start ? -1 : Math.max(end, after) + 1;
}

/** Returns the end of the last key found, or `start` if there is none. */
function tokensInRun(text: string, start: number, end: number, found: Finding[]): number {
  const previous = text.charCodeAt(start - 1);
  // . / : ~
  beforeRun.lastIndex = start;
  if ((previous === 46 || previous === 47 || previous === 58 || previous === 126) && beforeRun.test(text)) {
    for (const entry of before) {
      if (!text.endsWith(entry.anchor, start)) continue;
      const after = tokenAt(text, start - entry.anchor.length, entry, found);
      if (after !== -1) return after;
    }
  }
  const first = start + lengthOfEscape(text, start, previous);
  let after = tokenFrom(text, first, true, found);
  for (let at = Math.max(start, after); at < end; at++) {
    const code = text.charCodeAt(at);
    if (code !== 45 && code !== 95) continue;
    // `mcp__server__tool`: two underscores separate names.
    const isParted = code === 95 && text.charCodeAt(at - 1) === 95;
    const partAfter = tokenFrom(text, at + 1, isParted, found);
    if (partAfter === -1) continue;
    after = partAfter;
    at = after - 1;
  }
  return after === -1 ? start : after;
}

/** The end of the key that begins at `at`, or -1. */
function tokenFrom(text: string, at: number, beginsRun: boolean, found: Finding[]): number {
  for (const entry of anchorsAt(text, at)) {
    if ((entry.kind.onlyAtRunStart === true && !beginsRun) || !text.startsWith(entry.anchor, at)) continue;
    const end = tokenAt(text, at, entry, found);
    if (end !== -1) return end;
  }
  return -1;
}

function tokenAt(text: string, at: number, { anchor, kind }: Anchored, found: Finding[]): number {
  kind.pattern.lastIndex = at;
  if (!kind.pattern.test(text)) return -1;
  const end = kind.pattern.lastIndex;
  const lead =
    kind.requiredBefore === undefined
      ? ""
      : kind.requiredBefore.exec(text.slice(Math.max(0, at - 40), at))?.[0];
  if (lead === undefined) return -1;
  const start = at - lead.length;
  if (lead === "" && anchor.length > 1 && isInWord(text, at)) return -1;
  const body = text.slice(lead === "" ? at + anchor.length : start, end);
  // A long filler is skipped at once: otherwise a text of nothing but `ghp_` would be read again from each of them.
  if (kind.confirm !== undefined && !kind.confirm(text.slice(at + anchor.length, end))) return -1;
  const isFiller =
    kind.certain === true || kind.confirm !== undefined ? isRepetitive(body) : looksWritten(body);
  if (isFiller || isPlaceholder(body)) return body.length > LONG ? end : -1;
  if (kind.isPublic !== true)
    found.push({ kind: kind.kind, start, end, shown: kind.hidePrefix === true ? "" : anchor });
  if (kind.beside !== undefined) findSecretBeside(text, end, kind.beside, found);
  return end;
}

/** Anchors before a run may end a longer word: `js.`, `dash.`. */
function isInWord(text: string, at: number): boolean {
  return (
    /[A-Za-z0-9]/.test(text.charAt(at - 1)) && !/[.:/]$/.test(text.charAt(at - 1)) && !endsEscape(text, at)
  );
}

/** A run may begin with the rest of an escape: `\n`, `\u0022`, `%20`, or a terminal's `[32m`. */
function lengthOfEscape(text: string, start: number, previous: number): number {
  if (previous === 92) return text.charAt(start) === "u" ? 5 : 1;
  if (previous === 37) return 2;
  if (previous === 91 || previous === 59)
    return (/^\d{0,3}m/.exec(text.slice(start, start + 4))?.[0] ?? "").length;
  return 0;
}

function endsEscape(text: string, at: number): boolean {
  return /(?:\\[nrt]|%[0-9A-Fa-f]{2}|\\u00[0-9a-f]{2}|\[(?:\d{1,3};)*\d{0,3}m)$/.test(
    text.slice(Math.max(0, at - 12), at),
  );
}

/** The secret half of a key, right after the other half. */
function findSecretBeside(
  text: string,
  from: number,
  { kind, secret: pattern }: NonNullable<TokenKind["beside"]>,
  found: Finding[],
): void {
  pattern.lastIndex = from;
  const secret = pattern.exec(text)?.[1];
  if (
    secret === undefined ||
    isPlaceholder(secret) ||
    !/\d/.test(secret) ||
    !/[a-z]/.test(secret) ||
    looksWritten(secret)
  ) {
    return;
  }
  const end = pattern.lastIndex;
  found.push({ kind, start: end - secret.length, end, shown: "" });
}
