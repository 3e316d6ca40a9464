import { NAME_HIGH, NAME_LINK, NAME_LOW, NAME_SIZE } from "./read-names.ts";
import { TAIL_NONE } from "./split-name.ts";
import type { TextUnits } from "./text-units.ts";
import { PAIR } from "./token-link.ts";
import {
  firstPlace,
  type KnownWords,
  NAME_COUNT,
  NAME_START,
  NAME_TAIL,
  PLACE,
  PLACE_CODE,
  PLACE_LETTERS,
} from "./word-codes.ts";

/** Codes of terms, as they come from names. */
export interface CodeRun {
  readonly codes: Uint32Array;
  count: number;
  /** The name that comes next, by its place in `names`. */
  at: number;
  /** How many terms that are not weak may still come. */
  left: number;
  /** What follows the last name. */
  tail: number;
  /** Nothing but what keeps V8 from leaving out what makes it. */
  touched: number;
}

/**
 * Adds the codes of names up to the first that is not known, or does not find room, and says whether all are there.
 * Like `readNames` it calls nothing and has no rare branches.
 */
export function takeKnown(source: TextUnits, used: number, words: KnownWords, run: CodeRun): boolean {
  const { units, names: found } = source;
  const { table, mask, letters, names } = words;
  const { codes } = run;
  const room = codes.length;
  let { at, count, left, tail } = run;
  if (at === 0) {
    // Fetches all places from memory at once: one by one, each name would wait for its own.
    let touched = 0;
    for (let name = 0; name < used; name += NAME_SIZE)
      touched |= table[firstPlace(found[name + NAME_LOW] ?? 0, found[name + NAME_HIGH] ?? 0) & mask] ?? 0;
    run.touched = touched;
  }
  looking: for (; at < used && left > 0; at += NAME_SIZE) {
    const low = found[at + NAME_LOW] ?? 0;
    const high = found[at + NAME_HIGH] ?? 0;
    let place = firstPlace(low, high) & mask;
    for (;;) {
      const knownLow = table[place] ?? 0;
      const knownHigh = table[place + 1] ?? 0;
      if (knownLow === low && knownHigh === high) {
        if (high >= 0) break;
        let unit = found[at] ?? 0;
        let letter = table[place + PLACE_LETTERS] ?? 0;
        // The length of a long word is in its key.
        const end = unit - high;
        while (unit < end && units[unit] === letters[letter]) {
          unit++;
          letter++;
        }
        if (unit === end) break;
      } else if ((knownLow | knownHigh) === 0) break looking;
      place = (place + PLACE) & mask;
    }
    if (count >= room) break;
    const code = table[place + PLACE_CODE] ?? 0;
    const isPair = found[at + NAME_LINK] === PAIR;
    tail = TAIL_NONE;
    if (code >= 0) {
      codes[count++] = code;
      // The parts of a pair were counted already, each on its own.
      left -= isPair ? 0 : ~code & 1;
    } else if (!isPair) {
      const size = names[NAME_COUNT - code] ?? 0;
      if (count + size > room) break;
      tail = names[NAME_TAIL - code] ?? TAIL_NONE;
      const first = NAME_START - code;
      for (let index = first; index < first + size; index++) {
        const one = names[index] ?? 0;
        codes[count++] = one;
        left -= ~one & 1;
      }
    }
  }
  run.at = at;
  run.count = count;
  run.left = left;
  run.tail = tail;
  return at >= used || left <= 0;
}
