import { once } from "../../core/search/once.ts";

/**
 * Makes text out of logs safe to print: old sessions hold whatever tools wrote, and a terminal obeys what
 * it is sent. Escape sequences go whole (their letters would be left over as noise), then all other control
 * characters, and the marks that turn the direction of text (a file name could show as another).
 */
export function sanitize(text: string, keep: "line" | "lines" = "line"): string {
  const clean = dirty().test(text)
    ? text
        .replace(sequences(), "")
        .replace(lineEnds, "\n")
        .replace(controls(), "")
        .replace(directions(), "")
        .replace(loneSurrogates(), "\ufffd")
    : text;
  return keep === "lines" ? clean : clean.replace(breaks, " ");
}

/** Anything at all that is not to be printed; most text has nothing of it. */
const dirty = once(
  () =>
    /[^\P{Control}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Surrogate}]/u,
);

/**
 * Escape sequences by ECMA-48, in their 7-bit form (ESC and a character) and their 8-bit form (one of C1):
 * CSI up to its final byte; OSC, DCS, SOS, PM and APC up to their terminator (BEL, or ST), or, where that is
 * missing, only to the end of the line, so that one torn sequence cannot hide a whole text; two-character ones.
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
/** A lone CR too: progress bars draw over themselves with it. */
const lineEnds = /\r\n?|[\v\f\x85]/g;
/** C0 but for tab and LF, DEL, C1. */
const controls = once(() => /[^\P{Control}\t\n]/gu);
/** Bidirectional marks, embeddings, overrides and isolates; deprecated format characters; BOM; tags. */
const directions = once(
  () => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu,
);
const loneSurrogates = once(() => /\p{Surrogate}/gu);
const breaks = /[\t\n\u2028\u2029]+/g;
