import { endOfRun, endOfRunIn, findRunIn } from "./character-run.ts";
import { findSpokenSecret } from "./find-spoken-secret.ts";
import type { Finder, Finding } from "./finding.ts";
import { isPlaceholder } from "./placeholder.ts";
import { isRepetitive, looksWritten } from "./randomness.ts";
import { MARGIN } from "./text-units.ts";
import { type Anchored, anchorsAt, before, mayHoldToken } from "./token-anchors.ts";
import { awsSecret, type TokenKind } from "./token-kind.ts";

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

const LONG = 100;

/** Keys of well-known forms, and those that a word before them gives away. */
export const findTokens: Finder = (text, found, units) => {
  const last = MARGIN + text.length;
  for (let start = findRunIn(units, MARGIN, last); start !== -1; ) {
    const end = endOfRunIn(units, start);
    const after = mayHoldToken(units, start, end) ? runAt(text, start - MARGIN, found) : -1;
    // Behind a key runs may begin anywhere.
    start = findRunIn(units, after === -1 ? end + 1 : MARGIN + after, last);
  }
};

/** Looks into the run at `start`; returns from where to go on where a key was found, else -1. */
function runAt(text: string, start: number, found: Finding[]): number {
  const end = endOfRun(text, start);
  const after = tokensInRun(text, start, end, found);
  if (after === start) findSpokenSecret(text, start, end, found);
  // `aws configure set aws_secret_access_key …`
  if (text.charCodeAt(end - 1) === 121 && text.endsWith("secret_access_key", end))
    findSecretBeside(text, end, awsSecret, found);
  return after === start ? -1 : Math.max(end, after) + 1;
}

/** Returns where the last key that was found ends; `start` where there is none. */
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
    const partAfter = tokenFrom(text, at + 1, false, found);
    if (partAfter === -1) continue;
    after = partAfter;
    at = after - 1;
  }
  return after === -1 ? start : after;
}

/** Where the key that begins at `at` ends, or -1. */
function tokenFrom(text: string, at: number, beginsRun: boolean, found: Finding[]): number {
  for (const entry of anchorsAt(text, at)) {
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
  if (kind.isPublic !== true)
    found.push({ kind: kind.kind, start, end, shown: kind.shown === "none" ? "" : anchor });
  if (kind.beside !== undefined) findSecretBeside(text, end, kind.beside, found);
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
