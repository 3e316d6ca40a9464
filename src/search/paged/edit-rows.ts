/**
 * Computes the Levenshtein distance, by UTF-16 units, between one word and many others in sorted order, so that others
 * with a common prefix share its rows. Row N is for the first N units of the other word; only cells that can still be
 * within `max` are filled.
 */
export interface EditRows {
  /**
   * Adds a unit after the first `depth` ones. Returns false if the distance is over `max` whatever follows, so every
   * word with this prefix can be skipped.
   */
  step(depth: number, unit: number): boolean;
  /** The distance of the word that ends after `depth` units; any number over `max` if it is more. */
  distance(depth: number): number;
}

export function createEditRows(word: string, max: number): EditRows {
  const length = word.length;
  const width = length + 1;
  // A word with more units is too far away.
  const deepest = length + max;
  const far = max + 1;
  const units = new Uint16Array(length);
  for (let i = 0; i < length; i++) units[i] = word.charCodeAt(i);
  const rows = new Uint16Array((deepest + 1) * width).fill(far);
  for (let j = 0; j <= Math.min(length, max); j++) rows[j] = j;
  for (let i = 1; i <= Math.min(deepest, max); i++) rows[i * width] = i;

  return {
    step(depth, unit) {
      const row = depth + 1;
      if (row > deepest) return false;
      const at = row * width;
      const above = at - width;
      const from = Math.max(1, row - max);
      const to = Math.min(length, row + max);
      let least = row <= max ? row : far;
      for (let j = from; j <= to; j++) {
        const replaced = (rows[above + j - 1] ?? far) + (units[j - 1] === unit ? 0 : 1);
        const deleted = (rows[above + j] ?? far) + 1;
        // Cells left of the band were never written and are still "far".
        const inserted = (rows[at + j - 1] ?? far) + 1;
        const cell = Math.min(replaced, deleted, inserted, far);
        rows[at + j] = cell;
        if (cell < least) least = cell;
      }
      return least <= max;
    },
    distance: (depth) => (depth > deepest ? far : (rows[depth * width + length] ?? far)),
  };
}
