/** Returns the candidates closest to a mistyped word, closest first; none if all are too different. */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  options: { readonly limit?: number } = {},
): readonly string[] {
  const typed = word.toLowerCase();
  const allowed = typed.length <= 3 ? 1 : typed.length <= 7 ? 2 : 3;
  const found: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const known = candidate.toLowerCase();
    // The start of a candidate counts as close to it.
    const distance = typed.length >= 3 && known.startsWith(typed) ? 0.5 : editDistance(typed, known, allowed);
    if (distance <= allowed) found.push({ candidate, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return found.slice(0, options.limit ?? 3).map(({ candidate }) => candidate);
}

/** Counts insertions, deletions, substitutions and swaps of neighbours; returns `max + 1` if there are more than `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let before: number[] = [];
  let last: number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cell = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cell = Math.min(cell, (before[j - 2] ?? 0) + 1);
      row.push(cell);
      least = Math.min(least, cell);
    }
    if (least > max) return max + 1;
    before = last;
    last = row;
  }
  return Math.min(last[b.length] ?? max + 1, max + 1);
}
