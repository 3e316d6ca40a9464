/**
 * Finds the places of a text where a detector should look. For `DB_PASS=hunter2`:
 * 1. `unitsOf` copies the text into a typed array, with zeros around it.
 * 2. The scanner looks up every pair of characters in a table: `DB`, `B_`, `_P`, … are in no sign.
 * 3. `=h` is: the sign `=` belongs to `find-assignments.ts`, so its `find` is called at that position.
 * 4. That detector reads the name before (`DB_PASS`) and the value after (`hunter2`), adds a finding, and returns the end of
 *    the value: before that position the same sign is not checked again.
 */

import { Buffer } from "node:buffer";
import type { Finding } from "./finding.ts";

/** Zeros before and after the text, more than any detector looks around. */
export const PADDING = 64;
/** Larger buffers are not kept for the next text. */
const KEPT_UNITS: number = 1 << 18;

interface Room {
  readonly units: Uint16Array;
  readonly bytes: Buffer;
}

let room: Room = makeRoom(1 << 15);

function makeRoom(size: number): Room {
  const units = new Uint16Array(size);
  return { units, bytes: Buffer.from(units.buffer) };
}

/**
 * The UTF-16 units of a text in plain memory, from `PADDING` on, good until the next call. Reading a string by
 * `charCodeAt` is slower, because strings have several internal forms.
 */
export function unitsOf(text: string): Uint16Array {
  const needed = text.length + 2 * PADDING;
  if (room.units.length < needed || (room.units.length > KEPT_UNITS && needed <= KEPT_UNITS))
    room = makeRoom(needed <= KEPT_UNITS ? Math.min(KEPT_UNITS, needed * 2) : needed);
  const { units, bytes } = room;
  bytes.write(text, PADDING * 2, text.length * 2, "utf16le");
  units.fill(0, PADDING + text.length, needed);
  return units;
}

/** A sign that a secret may be near, and its detector. */
export interface Sign {
  /** The characters to stop at. */
  readonly sign: string;
  /** For a sign of one character: only if one of these follows. */
  readonly before?: string;
  /**
   * Adds its findings around the sign at `at`, and returns the position from which the sign is checked again. `units`
   * are those of the text, from `PADDING` on: use them for reading character by character.
   */
  readonly find: (text: string, at: number, found: Finding[], units: Uint16Array) => number;
}

interface Entry {
  readonly codes: readonly number[];
  /** The offset in the sign of the two characters it is looked up by. */
  readonly offset: number;
  readonly sign: Sign;
  /** Its index in `resumeAt`. */
  readonly index: number;
}

/**
 * Creates a function that reads a text once and calls the detectors of each sign it finds. Signs are found by a table
 * of two characters, seven bits each: searching for every sign by itself takes longer than everything else, because
 * most texts are short.
 */
export function createSignScanner(
  signs: readonly Sign[],
): (text: string, found: Finding[], units: Uint16Array) => void {
  const { listOfPair, lists } = buildTable(signs);
  const resumeAt = signs.map(() => 0);

  const visit = (
    list: readonly Entry[],
    text: string,
    at: number,
    found: Finding[],
    units: Uint16Array,
  ): void => {
    for (const { codes, offset, sign, index } of list) {
      const start = at - offset;
      if (start < (resumeAt[index] ?? 0) || !isAt(codes, units, PADDING + start)) continue;
      resumeAt[index] = Math.max(start + 1, sign.find(text, start, found, units));
    }
  };
  const lookAt = (pair: number, text: string, at: number, found: Finding[], units: Uint16Array): void => {
    const list = listOfPair[pair] ?? 0;
    if (list !== 0) visit(lists[list] ?? [], text, at, found, units);
  };

  return (text, found, units) => {
    resumeAt.fill(0);
    const end = PADDING + text.length;
    // Four pairs at a time: one branch for them takes half the time of four. After the text are zeros.
    let first = (units[PADDING] ?? 0) & 127;
    for (let at = PADDING; at < end; at += 4) {
      const second = (units[at + 1] ?? 0) & 127;
      const third = (units[at + 2] ?? 0) & 127;
      const fourth = (units[at + 3] ?? 0) & 127;
      const fifth = (units[at + 4] ?? 0) & 127;
      const pair1 = (first << 7) | second;
      const pair2 = (second << 7) | third;
      const pair3 = (third << 7) | fourth;
      const pair4 = (fourth << 7) | fifth;
      first = fifth;
      if (
        ((listOfPair[pair1] ?? 0) |
          (listOfPair[pair2] ?? 0) |
          (listOfPair[pair3] ?? 0) |
          (listOfPair[pair4] ?? 0)) ===
        0
      )
        continue;
      const place = at - PADDING;
      lookAt(pair1, text, place, found, units);
      lookAt(pair2, text, place + 1, found, units);
      lookAt(pair3, text, place + 2, found, units);
      lookAt(pair4, text, place + 3, found, units);
    }
  };
}

function isAt(codes: readonly number[], units: Uint16Array, at: number): boolean {
  for (let offset = 0; offset < codes.length; offset++)
    if (units[at + offset] !== codes[offset]) return false;
  return true;
}

function buildTable(signs: readonly Sign[]): {
  readonly listOfPair: Uint8Array;
  readonly lists: readonly (readonly Entry[])[];
} {
  const entries = new Map<number, Entry[]>();
  for (const [index, sign] of signs.entries()) {
    const codes = Array.from(sign.sign, (character) => character.charCodeAt(0));
    const offset = sign.sign.length > 1 ? rarestPair(sign.sign) : 0;
    for (const pair of pairsOf(sign, offset))
      entries.set(pair, [...(entries.get(pair) ?? []), { codes, offset, sign, index }]);
  }
  // Pairs with the same signs share a list, so that a byte is enough to number them.
  const listOfPair = new Uint8Array(1 << 14);
  const lists: Entry[][] = [[]];
  const known = new Map<string, number>();
  for (const [pair, list] of entries) {
    const key = list.map((entry) => entry.index).join();
    const number = known.get(key) ?? lists.push(list) - 1;
    if (number > 255) throw new Error("Cannot scan for so many signs: their lists no longer fit in a byte");
    known.set(key, number);
    listOfPair[pair] = number;
  }
  return { listOfPair, lists };
}

/** The pairs of characters by which a sign is looked up, as numbers of 14 bits. */
function pairsOf({ sign, before }: Sign, offset: number): readonly number[] {
  const first = (sign.charCodeAt(offset) & 127) << 7;
  if (sign.length > 1) return [first | (sign.charCodeAt(offset + 1) & 127)];
  if (before !== undefined) return Array.from(before, (second) => first | (second.charCodeAt(0) & 127));
  return Array.from({ length: 128 }, (_, second) => first | second);
}

/** Pairs of characters of logs, the most frequent first; all others are rarer than these. */
const FREQUENT_PAIRS: readonly string[] = (
  "  |re|in|es|te|er|on|nt|at|st|e |en|t |an|or|..|se|it|, |ti| t|s | s|le|th|ta|he|ss|io| c|ra|co|n |tr|r |ed|ng|om|= |et|ro|de|il|d | i|ch| f| a| e|" +
  'ec|me|al|is|: |rr|nd|si|ri| r|po|ge|to|la|li|ar| "|as|ck|nc| p|ne|ct|pl|f |ns|ea|if|ir|ur|ad|pr|mi| n|ex|ut|fi|ma|mm|mp|rn|un| =|--|tu|rk|ha|t.|' +
  'ou| b| {|",|ni|o |su|ts|//|ep|fo|ac|da|/ |lo|ve|l |ag|cl|el| d|pa| o|di|od| w|ai|pt|s.|==|) |oi|y |/c|na|pe|g | m|ot|sh|ul|oo|e_|h |gi|em|im|ue|' +
  'ce|am|""|Co| l|ow|ll|id|us|t_|no| 1|xt| (|/e|ho|rt| :|rs|:=|ru|ol|ca|cr|ef|Re|n_|br|kp|("|e.|()| -|fa|ip|wi|ew|ee|St|ID|be|um|No|- |e,|oc|ub|' +
  'hi|Se|e/|_p|ke|s/|ic|wo|so|sc|")|e(| g|md| P| u|nu|i/| C|ry|ie|lt|tt|ap|.g|a |sa|k |pu|_i|mo|do|os| h|e:|t(|au|. | N|d/|m |ab| !|ok| 2|r_|fr|ba|bl|' +
  'lu|# |_r|eg|_c|og|gs|_s|t,|r)|ls|Er|up|op|w |cm|Ch| T|go|**|!=|-s|ld|Fi|/s|ty| S| %|e-|bo|f(|d_|vi|_t|_n|s:|iv|ly|" |ev|t-|mb|va|e)| R|_b|(s|fu|nv|ph'
).split("|");
const rankOf: ReadonlyMap<string, number> = new Map(FREQUENT_PAIRS.map((pair, rank) => [pair, rank]));

/** The offset of the two characters of a sign that are rarest in texts: `hr` in `phrase`. */
function rarestPair(sign: string): number {
  const rank = (at: number): number => rankOf.get(sign.slice(at, at + 2)) ?? FREQUENT_PAIRS.length;
  let rarest = 0;
  for (let at = 1; at < sign.length - 1; at++) if (rank(at) > rank(rarest)) rarest = at;
  return rarest;
}
