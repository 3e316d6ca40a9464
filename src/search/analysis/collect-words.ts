import { Buffer } from "node:buffer";
import type { Finding } from "../../redact/finding.ts";
import type { CollectWords } from "../../session/text-budget.ts";
import { BREAK, classAt, isDigit } from "./characters.ts";
import { terminalColors } from "./escapes.ts";

const PLUS = 43;
const HASH = 35;
const COLON = 58;

/**
 * Characters at which a text is cut: ASCII signs that are in no token. Beyond ASCII only arrows, boxes and the like.
 */
const isCut: Uint8Array = new Uint8Array(0x10000).fill(1, 0x2190, 0x2c00);
for (let unit = 0; unit < 0x80; unit++) {
  const isBreak = classAt(String.fromCharCode(unit), 0) === BREAK;
  if (isBreak && unit !== PLUS && unit !== HASH) isCut[unit] = 1;
}

/**
 * Makes a function that reduces a text to its different words, as they are written, so that they can be analyzed like
 * any text: `src/auth/token.ts` stays whole, because the analysis looks at neighboring names of a path. Secrets are left
 * out; `findSecrets` is given the whole text, because the name of a secret may come before `from`.
 *
 * Words are told apart by two hashes of 32 bits: a loop over plain memory without strings is several times faster than
 * a `Set`, and all tool output goes through it.
 */
export function createWordCollector(findSecrets: (text: string) => readonly Finding[]): CollectWords {
  const seen = createHashSet();
  return (text, from) => {
    const secrets = findSecrets(text);
    const words: string[] = [];
    let start = from;
    seen.clear();
    for (const { start: secret, end } of secrets) {
      if (end <= start) continue;
      collect(text.slice(start, secret), seen, words);
      start = end;
    }
    collect(start === 0 ? text : text.slice(start), seen, words);
    return words.join(" ");
  };
}

let units: Uint16Array<ArrayBuffer> = new Uint16Array(1 << 16);
/** Larger buffers are not kept for the next text. */
const KEPT_UNITS: number = 1 << 18;

function collect(given: string, seen: HashSet, words: string[]): void {
  const text = given.includes("\u001b") ? given.replace(terminalColors, " ") : given;
  const { length } = text;
  if (length + 2 > units.length || units.length > KEPT_UNITS)
    units = new Uint16Array(Math.max(length + 2, 1 << 16));
  const memory = units;
  Buffer.from(memory.buffer).write(text, "utf16le");
  // A space ends the last word.
  memory.fill(32, length, length + 2);
  for (let at = 0; at < length; at++) {
    if (isCut[memory[at] ?? 0] === 1) continue;
    const start = at;
    let hash = 0;
    let other = 0x811c9dc5;
    for (; ; at++) {
      const unit = memory[at] ?? 0;
      // file.ts:12 is not a path.
      if (isCut[unit] === 1 || (unit === COLON && isDigit(memory[at + 1] ?? 0))) break;
      hash = Math.imul(hash ^ unit, 0x9e3779b1);
      other = Math.imul(other ^ unit, 0x01000193);
    }
    if (seen.add(hash ^ (hash >>> 15), other)) words.push(text.slice(start, at));
  }
}

/** A set of pairs of hashes that is emptied by counting up. */
interface HashSet {
  /** Returns whether it is new. */
  add(hash: number, other: number): boolean;
  clear(): void;
}

const FIRST_SLOTS = 4_096;

function createHashSet(): HashSet {
  /** Three numbers per slot: the round in which it was filled, and the hashes. */
  let slots = new Int32Array(FIRST_SLOTS * 3);
  let mask = FIRST_SLOTS - 1;
  let round = 1;
  let count = 0;
  /** Returns the slot of the hashes, or the free one where they belong. */
  const find = (hash: number, other: number): number => {
    let slot = (hash & mask) * 3;
    while (slots[slot] === round && (slots[slot + 1] !== hash || slots[slot + 2] !== other))
      slot = slot === mask * 3 ? 0 : slot + 3;
    return slot;
  };
  const put = (slot: number, hash: number, other: number): void => {
    slots[slot] = round;
    slots[slot + 1] = hash;
    slots[slot + 2] = other;
  };
  const grow = (): void => {
    const before = slots;
    mask = mask * 2 + 1;
    slots = new Int32Array((mask + 1) * 3);
    for (let at = 0; at < before.length; at += 3) {
      if (before[at] !== round) continue;
      const [hash, other] = [before[at + 1] ?? 0, before[at + 2] ?? 0];
      put(find(hash, other), hash, other);
    }
  };
  return {
    add(hash, other) {
      const slot = find(hash, other);
      if (slots[slot] === round) return false;
      put(slot, hash, other);
      if (++count * 2 > mask) grow();
      return true;
    },
    clear() {
      round++;
      count = 0;
    },
  };
}
