import { once } from "../search/once.ts";

/**
 * Text out of logs as it may stand in a file that people open: LF alone ends lines; no escape sequences
 * (they go whole: their letters would be left over as noise), no control characters but tab and LF, no marks that
 * turn the direction of text (a file name could show as another), nothing that is no character at all.
 */
export function cleanText(text: string): string {
  if (!dirty().test(text)) return text;
  return text
    .replace(sequences(), "")
    .replace(lineEnds, "\n")
    .replace(controls, "")
    .replace(directions(), "")
    .replace(impossible(), "\ufffd");
}

/** The same in one line: white space of any kind is one space. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, " ").trim();
}

/** Anything at all that must not stay; most text has nothing of it. */
const dirty = once(
  () =>
    /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}\p{Noncharacter_Code_Point}]/u,
);

/**
 * Escape sequences by ECMA-48, in their 7-bit form (ESC and a character) and their 8-bit form (one of C1): CSI up to
 * its final byte; OSC, DCS, SOS, PM and APC up to their terminator, or, where that is missing, only to the end of the
 * line, so that one torn sequence cannot hide a whole text; two-character ones.
 */
const sequences = once(
  () =>
    new RegExp(
      [
        "(?:\\x1b\\[|\\x9b)[\\x30-\\x3f]*[\\x20-\\x2f]*[\\x40-\\x7e]?",
        "(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?",
        "\\x1b[\\x20-\\x2f]*[\\x30-\\x7e]?",
      ].join("|"),
      "g",
    ),
);
/** A lone CR too: progress bars draw over themselves with it. U+2028 and its kin end lines for some readers only. */
const lineEnds = /\r\n?|[\v\f\x85\u2028\u2029]/g;
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Bidirectional marks, embeddings, overrides and isolates; deprecated format characters; BOM; tags. */
const directions = once(
  () => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu,
);
/** Half a pair, or no character at all: YAML and HTML refuse both. */
const impossible = once(() => /[\p{Surrogate}\p{Noncharacter_Code_Point}]/gu);
