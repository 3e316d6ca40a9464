import { Buffer } from "node:buffer";
import { once } from "./once.ts";

/** Leaves space for a date, a hash and an extension in the 143 bytes that the most limited file systems allow. */
const MAX_BYTES = 80;

/** Nearly every name is an id of this form. It is too long to be a reserved name. */
const PLAIN = /^[A-Za-z0-9]{5,60}(?:-[A-Za-z0-9]+)*$/;
/** Invisible and direction-changing characters: two names that look alike must not differ by them. */
const ignorable = once(() => /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu);
/** Everything but letters, marks, digits and `. _ -` becomes one dash: separators, controls, wildcards. */
const unsafe = once(() => /[^\p{L}\p{M}\p{N}._-]+/gu);
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/iu;

/**
 * Turns any text from a log into a harmless file name: no separator, no `..`, not hidden, not like a flag, not reserved on
 * Windows, and short. Different texts may become the same name, or names that differ only in case; if they must differ,
 * add a hash.
 */
export function safeName(text: string, maxBytes: number = MAX_BYTES): string {
  if (text.length <= maxBytes && PLAIN.test(text)) return text;
  const cleaned = text
    .replace(ignorable(), "")
    // Compatibility forms too: a full-width slash looks like a separator and may become one.
    .normalize("NFKC")
    .replace(unsafe(), "-")
    .replace(ignorable(), "-")
    .replace(/\.{2,}/g, ".")
    .replace(/-{2,}/g, "-");
  // Cut before checking for reserved names: "console" cut to three letters is one.
  const short = trimEnds(cutToBytes(trimEnds(cleaned), maxBytes));
  const named = RESERVED.test(short) ? trimEnds(cutToBytes(`_${short}`, maxBytes)) : short;
  return named === "" ? "_" : named;
}

/**
 * Removes marks without a letter, dots and dashes at the start, and dots and dashes at the end, which Windows drops. The
 * lookbehind keeps a long run from being tried at each of its characters.
 */
function trimEnds(text: string): string {
  return text.replace(/^[\p{M}.-]+/u, "").replace(/(?<![.-])[.-]+$/u, "");
}

function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
