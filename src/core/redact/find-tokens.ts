import { endOfRun, findRun } from "./character-run.ts";
import { findSpokenSecret } from "./find-spoken-secret.ts";
import type { Finder, Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { platformTokens } from "./platform-tokens.ts";
import { isRepetitive, looksWritten } from "./randomness.ts";
import { serviceTokens } from "./service-tokens.ts";
import type { TokenKind } from "./token-kind.ts";

export const tokenKinds: readonly TokenKind[] = [...platformTokens, ...serviceTokens];

interface Anchored {
  readonly anchor: string;
  readonly kind: TokenKind;
}

/** Anchors that begin a run or a part of it, by three characters packed into 15 bits; 0 is the empty list. */
const lists: Anchored[][] = [[]];
const LIST_OF: Uint8Array = new Uint8Array(1 << 15);
/** Anchors that stand right before a run. */
const before: Anchored[] = [];
for (const kind of tokenKinds) {
  for (const anchor of kind.anchors) {
    if (/[.:/]$/.test(anchor)) before.push({ anchor, kind });
    // An anchor of two characters is entered with every third.
    else if (anchor.length === 2)
      for (let third = 0; third < 32; third++) enter(anchor + String.fromCharCode(third), { anchor, kind });
    else enter(anchor, { anchor, kind });
  }
}
// The longest first: `sk-ant-` must not be taken for `sk-`.
for (const list of lists) list.sort((a, b) => b.anchor.length - a.anchor.length);
/** One look back for all of them: does one of the keys that begin before a run stand here? */
const beforeRun = new RegExp(
  before
    .map(
      ({ anchor, kind }) =>
        `(?<=(?=${kind.pattern.source})${anchor.replaceAll(".", "\\.").replaceAll("/", "\\/")})`,
    )
    .join("|"),
  "y",
);

function enter(letters: string, entry: Anchored): void {
  const index = packCharacters(letters, 0);
  if (LIST_OF[index] === 0) LIST_OF[index] = lists.push([]) - 1;
  lists[LIST_OF[index] ?? 0]?.push(entry);
}

function packCharacters(text: string, at: number): number {
  return (
    ((text.charCodeAt(at) & 31) << 10) |
    ((text.charCodeAt(at + 1) & 31) << 5) |
    (text.charCodeAt(at + 2) & 31)
  );
}

const LONG = 100;

/** Keys of well-known forms, and those that a word before them gives away. */
export const findTokens: Finder = (text, found) => {
  let start = findRun(text, 0);
  while (start !== -1) {
    const end = endOfRun(text, start);
    const after = tokensInRun(text, start, end, found);
    if (after === start) findSpokenSecret(text, start, end, found);
    // `aws configure set aws_secret_access_key …`
    if (text.charCodeAt(end - 1) === 121 && text.endsWith("secret_access_key", end))
      findSecretBeside(text, end, found);
    start = findRun(text, Math.max(end, after) + 1);
  }
};

/** Returns where the last key that was found ends; `start` where there is none. */
function tokensInRun(text: string, start: number, end: number, found: Finding[]): number {
  const previous = text.charCodeAt(start - 1);
  // . / :
  beforeRun.lastIndex = start;
  if ((previous === 46 || previous === 47 || previous === 58) && beforeRun.test(text)) {
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
    const partAfter = tokenFrom(text, at + 1, false, found);
    if (partAfter === -1) continue;
    after = partAfter;
    at = after - 1;
  }
  return after === -1 ? start : after;
}

/** Where the key that begins at `at` ends, or -1. */
function tokenFrom(text: string, at: number, beginsRun: boolean, found: Finding[]): number {
  const index = LIST_OF[packCharacters(text, at)] ?? 0;
  if (index === 0) return -1;
  for (const entry of lists[index] ?? []) {
    if ((entry.kind.strict === true && !beginsRun) || !text.startsWith(entry.anchor, at)) continue;
    const end = tokenAt(text, at, entry, found);
    if (end !== -1) return end;
  }
  return -1;
}

function tokenAt(text: string, at: number, { anchor, kind }: Anchored, found: Finding[]): number {
  kind.pattern.lastIndex = at;
  if (!kind.pattern.test(text)) return -1;
  const end = kind.pattern.lastIndex;
  const lead = kind.lead === undefined ? "" : kind.lead.exec(text.slice(Math.max(0, at - 40), at))?.[0];
  if (lead === undefined) return -1;
  const start = at - lead.length;
  if (lead === "" && anchor.length > 1 && isInWord(text, at)) return -1;
  const body = text.slice(lead === "" ? at + anchor.length : start, end);
  // A long filler is passed at once: else a text of nothing but `ghp_` would be read from each of them on.
  const isFiller = kind.certain === true ? isRepetitive(body) : looksWritten(body);
  if (isFiller || isPlaceholder(body)) return body.length > LONG ? end : -1;
  found.push({ kind: kind.kind, start, end, shown: kind.shown === "none" ? "" : anchor });
  if (kind.kind === "aws-access-key") findSecretBeside(text, end, found);
  return end;
}

/** The anchors that stand before a run may end a longer word: `js.`, `dash.`. */
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

const BESIDE =
  /[\s,;|"'`:=<>/]{1,12}(?:[\s\w.<>/-]{0,80}[\s,;|"'`:=>]{1,12})?(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/y;

/** The secret half of an AWS key has no form of its own but its length; it mostly stands right after the other half. */
function findSecretBeside(text: string, from: number, found: Finding[]): void {
  BESIDE.lastIndex = from;
  const match = BESIDE.exec(text);
  const secret = match?.[1];
  if (
    secret === undefined ||
    isPlaceholder(secret) ||
    !/\d/.test(secret) ||
    !/[a-z]/.test(secret) ||
    looksWritten(secret)
  ) {
    return;
  }
  const end = BESIDE.lastIndex;
  found.push({ kind: "aws-secret-key", start: end - secret.length, end, shown: "" });
}
