/** A text is masked in stretches of about this length. */
const STRETCH_CHARS = 4 * 1024 * 1024;
/**
 * This much on both sides of a cut must be masked the same with and without the cut: more than the length of the
 * longest keys.
 */
const AROUND_CHARS = 32 * 1024;
/** The number of positions that are tried for a cut before the stretch is made longer. */
const TRIES = 8;

/**
 * Masks a text that comes in parts, and yields it in parts, so that a large text is never in memory as a whole. It is cut only
 * if that changes nothing: the text around the cut must be masked the same as a whole and as two halves. So
 * a key across several parts is masked as it would be in the whole.
 */
export function* maskParts(
  parts: Iterable<string>,
  mask: (text: string) => string,
): Generator<string, void, void> {
  let pending = "";
  let enough = STRETCH_CHARS;
  for (const part of parts) {
    pending += part;
    while (pending.length >= enough) {
      const cut = findCut(pending, mask);
      if (cut === undefined) {
        enough = pending.length + STRETCH_CHARS;
        break;
      }
      yield mask(pending.slice(0, cut));
      pending = pending.slice(cut);
      enough = STRETCH_CHARS;
    }
  }
  if (pending !== "") yield mask(pending);
}

/** The last position where a cut changes nothing, with enough text after it to check. */
function findCut(text: string, mask: (text: string) => string): number | undefined {
  let at = text.length - AROUND_CHARS;
  for (let tried = 0; tried < TRIES && at > AROUND_CHARS; tried++) {
    const cut = breakBefore(text, at);
    const before = text.slice(cut - AROUND_CHARS, cut);
    const behind = text.slice(cut, cut + AROUND_CHARS);
    if (mask(before + behind) === mask(before) + mask(behind)) return cut;
    at = cut - AROUND_CHARS;
  }
  return undefined;
}

/** After the last line end or space before `at`; if there is none near, between two characters. */
function breakBefore(text: string, at: number): number {
  for (const sign of ["\n", " "]) {
    const found = text.lastIndexOf(sign, at - 1);
    if (found >= at - AROUND_CHARS / 2) return found + 1;
  }
  const isLowSurrogate = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLowSurrogate ? at - 1 : at;
}
