/**
 * Masks secrets: a text goes in, the same text with `[masked: kind]` in place of each secret comes out.
 *
 * A text is read once. Two scanners say where a secret may be, and detectors read what is there:
 * - `find-tokens.ts` looks at runs of 20 or more key characters and knows the prefixes of makers (`ghp_`, `sk-ant-`).
 * - `scan-signs.ts` stops at signs (`=`, `:`, `--`, `password`, `-----BEGIN`) and asks the detectors that named them.
 *
 * Where to add
 * - a token with a known prefix: a row in `known-tokens.ts`
 * - a command that has a secret at a fixed place: a row in `command-places.ts`; a call or record: in `code-places.ts`
 * - a flag of one letter (`-p`): a program in `find-flags.ts`
 * - a URL with a key in its path: a row in `find-urls.ts`
 * - a name that means a secret (`DB_PASS`): `secret-name.ts`
 * - a syntax of values (quotes, blocks, brackets): `readValue` in `secret-value.ts`; a separator between a name and a
 *   value: a sign in `find-assignments.ts`
 * - a way to encode text (JSON, percent, HTML): `escaped-text.ts`
 * - what is never a secret (placeholders, types, paths): `secret-value.ts`; what is random: `randomness.ts`
 *
 * With a rule come an example in fixtures/redact, a look-alike that must stay, and a new `RULES_VERSION` in `mask.ts`.
 */

import { mayLosePart } from "./clean-text.ts";
import { type EscapedPiece, escapedPieces, otherEncodings, seenText } from "./escaped-text.ts";
import { assignmentSigns } from "./find-assignments.ts";
import { flagSigns } from "./find-flags.ts";
import { listSigns } from "./find-lists.ts";
import { passwordHashSigns } from "./find-password-hashes.ts";
import { phraseSigns } from "./find-phrases.ts";
import { placeSigns } from "./find-places.ts";
import { printedSecretSigns } from "./find-printed-secrets.ts";
import { keyBlockSigns } from "./find-private-keys.ts";
import { sqlRowSigns } from "./find-sql-rows.ts";
import { findTokens } from "./find-tokens.ts";
import { type Finding, mergeFindings } from "./finding.ts";
import { findMasks, maskFor } from "./mask.ts";
import { looksRandom } from "./randomness.ts";
import { createSignScanner, PADDING, unitsOf } from "./scan-signs.ts";

export type { Finding } from "./finding.ts";

export interface RedactorOptions {
  /**
   * More patterns whose matches are masked as `custom`. If a pattern has a group, only the first group is masked,
   * so that `employee id: (\d+)` keeps its words. Strings are the source of regular expressions with the flag `u`.
   */
  readonly extra?: readonly RegExp[] | readonly string[];
}

export interface Redactor {
  /** The text with every secret replaced by a mask. Masking twice has the same result as once. */
  readonly redact: (text: string) => string;
  /** The secrets in a text, in order, without overlap. */
  readonly find: (text: string) => readonly Finding[];
}

const SHORTEST = 8;
/** Extra patterns may match text that earlier masks produced; sensible patterns settle within this many rounds. */
const MAX_ROUNDS = 4;

/** Logs nest JSON in JSON; this many levels are decoded. */
const MAX_ENCODINGS = 3;

const findAtSigns = createSignScanner([
  ...assignmentSigns,
  ...flagSigns,
  ...placeSigns,
  ...keyBlockSigns,
  ...phraseSigns,
  ...passwordHashSigns,
  ...printedSecretSigns,
  ...listSigns,
  ...sqlRowSigns,
]);

const none: readonly Finding[] = [];

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const extra = (options.extra ?? []).map(toPattern);
  const findInto = (text: string, found: Finding[], depth: number): void => {
    let mayHide = false;
    if (text.length >= SHORTEST) {
      const units = unitsOf(text);
      findTokens(text, found, units);
      // Before the memory of the units is used for the next text.
      mayHide = mayLosePart(units, PADDING, PADDING + text.length);
      findAtSigns(text, found, units);
    }
    for (const pattern of extra) findExtra(text, pattern, found);
    if (depth === 0 || text.length < SHORTEST) return;
    if (mayHide) findIn(seenText(text), found, depth);
    if (text.includes("\\")) findIn(escapedPieces(text), found, depth);
    if (text.includes("%") || text.includes("&")) findIn(otherEncodings(text), found, depth);
  };
  const findIn = (pieces: Iterable<EscapedPiece>, found: Finding[], depth: number): void => {
    for (const { decoded, toEncoded } of pieces) {
      const inside: Finding[] = [];
      findInto(decoded, inside, depth - 1);
      for (const finding of inside) found.push(toEncoded(finding));
    }
  };
  const findOnce = (text: string): readonly Finding[] => {
    const found: Finding[] = [];
    findInto(text, found, MAX_ENCODINGS);
    if (found.length === 0) return none;
    const merged = mergeFindings(found);
    const repeated = findRepeated(text, merged);
    return withoutMasks(text, repeated.length === 0 ? merged : mergeFindings([...merged, ...repeated]));
  };
  /** A mask may reveal what is beside it: of two passwords in a line, the second is found after the first. */
  const find = (text: string): readonly Finding[] => {
    let findings = findOnce(text);
    for (let round = 1; round < MAX_ROUNDS && findings.length > 0; round++) {
      const more = findOnce(maskFindings(text, findings));
      if (more.length === 0) break;
      findings = mergeFindings([...findings, ...inOriginal(more, findings)]);
    }
    return findings;
  };
  const redact = (text: string): string => {
    const findings = find(text);
    return findings.length === 0 ? text : maskFindings(text, findings);
  };
  return { redact, find };
}

const standard = createRedactor();

/** Masks everything that the built-in patterns find. */
export function redact(text: string): string {
  return standard.redact(text);
}

/**
 * How far before and after a secret the same characters are masked again; less than the range that `maskParts` checks
 * around a cut.
 */
const REPEAT_DISTANCE = 8_192;
const MAX_REPEATED = 400;

/**
 * Finds the secrets again that are used a second time without a name: `set PW=…` and, a line later, `tool /p …`.
 * Only secrets that cannot equal an ordinary word.
 */
function findRepeated(text: string, findings: readonly Finding[]): readonly Finding[] {
  const repeated: Finding[] = [];
  /** The position up to which each secret has been searched. */
  const searched = new Map<string, number>();
  for (const finding of findings) {
    if (finding.end - finding.start > MAX_REPEATED || finding.kind === "custom") continue;
    const secret = text.slice(finding.start, finding.end);
    if (!isUnmistakable(secret)) continue;
    const to = Math.min(text.length, finding.end + REPEAT_DISTANCE);
    const from = Math.max(0, finding.start - REPEAT_DISTANCE, searched.get(secret) ?? 0);
    searched.set(secret, to);
    const around = text.slice(from, to);
    for (let at = around.indexOf(secret); at !== -1; at = around.indexOf(secret, at + secret.length)) {
      const start = from + at;
      const end = start + secret.length;
      if (start === finding.start || isWordCharacter(text, start - 1) || isWordCharacter(text, end)) continue;
      const kind = finding.kind === "url-credentials" ? "password" : finding.kind;
      repeated.push({ ...finding, kind, start, end });
    }
  }
  return repeated;
}

function isUnmistakable(secret: string): boolean {
  return (
    secret.length >= SHORTEST &&
    /\d/.test(secret) &&
    /[A-Za-z]/.test(secret) &&
    (/[^\w.-]|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(secret) || looksRandom(secret, 12))
  );
}

function isWordCharacter(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at));
}

/** Maps findings in a masked text to the text before its masks. Both lists are in order. */
function inOriginal(findings: readonly Finding[], masked: readonly Finding[]): readonly Finding[] {
  let next = 0;
  let shift = 0;
  const toOriginal = (offset: number): number => {
    for (let mask = masked[next]; mask !== undefined && mask.start - shift < offset; mask = masked[++next])
      shift += mask.end - mask.start - maskFor(mask).length;
    return offset + shift;
  };
  return findings.map((finding) => ({
    ...finding,
    start: toOriginal(finding.start),
    end: toOriginal(finding.end),
  }));
}

/** Replaces findings, which are in order, with their masks. */
export function maskFindings(text: string, findings: readonly Finding[]): string {
  let masked = "";
  let from = 0;
  for (const finding of findings) {
    masked += text.slice(from, finding.start) + maskFor(finding);
    from = finding.end;
  }
  return masked + text.slice(from);
}

function toPattern(pattern: RegExp | string): RegExp {
  const source = typeof pattern === "string" ? pattern : pattern.source;
  const flags = typeof pattern === "string" ? "u" : pattern.flags.replace(/[gy]/g, "");
  try {
    return new RegExp(source, `${flags}gd`);
  } catch (error) {
    throw new TypeError(`Cannot mask by the pattern "${source}": it is not a regular expression`, {
      cause: error,
    });
  }
}

/**
 * A pattern of the user may take quadratic time. So a long text is searched in windows, which overlap so that every
 * match of up to 4,096 characters is complete in one of them.
 */
const WINDOW = 16_384;
const OVERLAP = 4_096;

function findExtra(text: string, pattern: RegExp, found: Finding[]): void {
  for (let from = 0; ; from += WINDOW - OVERLAP) {
    const part = text.length <= WINDOW ? text : text.slice(from, from + WINDOW);
    const isLast = from + WINDOW >= text.length;
    for (const match of part.matchAll(pattern)) {
      // A match that touches an inner window edge is left to the neighbouring window.
      const after = match.index + match[0].length;
      if (from > 0 && match.index === 0 && after <= OVERLAP) continue;
      if (!isLast && after === part.length && match.index > WINDOW - OVERLAP) continue;
      const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
      if (end > start) found.push({ kind: "custom", start: from + start, end: from + end });
    }
    if (isLast) return;
  }
}

/** Drops findings that touch an existing mask. Both lists are in order. */
function withoutMasks(text: string, findings: readonly Finding[]): readonly Finding[] {
  const masks = findMasks(text);
  if (masks.length === 0) return findings;
  let next = 0;
  return findings.filter((finding) => {
    while (next < masks.length && (masks[next]?.[1] ?? 0) <= finding.start) next++;
    const mask = masks[next];
    return mask === undefined || mask[0] >= finding.end;
  });
}
