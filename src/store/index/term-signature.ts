/*
 * A number per term tells of most terms, without looking at them, that they are too far from a word: its length,
 * and which letters it has. An edit makes a term longer or shorter by one at most, brings in one letter at most
 * and takes away one at most.
 */

const LENGTH_BITS = 5;
/** Longer terms are as long as this. */
const MAX_LENGTH = 2 ** LENGTH_BITS - 1;
const LETTER_A = 0x61;
/** All that is no letter from a to z. */
const OTHER = 26;

export function signatureOf(term: string): number {
  let letters = 0;
  for (let i = 0; i < term.length; i++) {
    const letter = term.charCodeAt(i) - LETTER_A;
    letters |= 1 << (letter >= 0 && letter < OTHER ? letter : OTHER);
  }
  return ((letters << LENGTH_BITS) | Math.min(term.length, MAX_LENGTH)) >>> 0;
}

/** False: the term with this signature is more than `maxDistance` edits away from the word with the other one. */
export function mayBeNear(signature: number, other: number, maxDistance: number): boolean {
  const difference = (signature & MAX_LENGTH) - (other & MAX_LENGTH);
  if (difference > maxDistance || difference < -maxDistance) return false;
  const letters = signature >>> LENGTH_BITS;
  const wanted = other >>> LENGTH_BITS;
  let added = letters & ~wanted;
  let missing = wanted & ~letters;
  for (let edits = 0; edits < maxDistance; edits++) {
    added &= added - 1;
    missing &= missing - 1;
  }
  return (added | missing) === 0;
}
