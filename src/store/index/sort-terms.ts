/**
 * Order of strings as `<` has it (by UTF-16 units), as places in the array. A quicksort that looks at
 * one unit at a time (Bentley and Sedgewick): terms share their beginnings, and comparing them from
 * the first unit on again and again made the built-in sort take a third of the time of a segment.
 */
export function sortTerms(terms: readonly string[]): Uint32Array {
  const starts = new Uint32Array(terms.length + 1);
  terms.forEach((term, i) => {
    starts[i + 1] = (starts[i] ?? 0) + term.length + 1;
  });
  // Units are kept plus one, so that the end of a term, 0, comes before all of them.
  const units = new Uint32Array(starts[terms.length] ?? 0);
  terms.forEach((term, i) => {
    const start = starts[i] ?? 0;
    for (let k = 0; k < term.length; k++) units[start + k] = term.charCodeAt(k) + 1;
  });
  const order = Uint32Array.from(terms, (_, i) => i);
  const unitAt = (place: number, depth: number): number =>
    units[(starts[order[place] ?? 0] ?? 0) + depth] ?? 0;
  const swap = (a: number, b: number): void => {
    const kept = order[a] ?? 0;
    order[a] = order[b] ?? 0;
    order[b] = kept;
  };

  // Stretches that have their first `depth` units in common and are still to be sorted.
  const pending: number[] = [0, terms.length, 0];
  while (pending.length > 0) {
    const depth = pending.pop() ?? 0;
    const to = pending.pop() ?? 0;
    const from = pending.pop() ?? 0;
    if (to - from < 2) continue;
    const pivot = unitAt(from + ((to - from) >>> 1), depth);
    let less = from;
    let greater = to;
    for (let i = from; i < greater; ) {
      const unit = unitAt(i, depth);
      if (unit < pivot) swap(less++, i++);
      else if (unit > pivot) swap(i, --greater);
      else i++;
    }
    pending.push(from, less, depth, greater, to, depth);
    // Terms that end here are equal, and there are no equal terms.
    if (pivot !== 0) pending.push(less, greater, depth + 1);
  }
  return order;
}
