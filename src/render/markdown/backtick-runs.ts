/**
 * Finds what closes inline code: the next run of exactly as many backticks. To be asked from left to right; runs that
 * lie behind are dropped, so that a text is gone through once however many there are.
 */
export function closingRuns(text: string): (at: number, length: number) => number | undefined {
  let starts: Map<number, number[]> | undefined;
  return (at, length) => {
    starts ??= startsByLength(text);
    const ahead = starts.get(length) ?? [];
    while (ahead.length > 0 && (ahead.at(-1) ?? 0) <= at) ahead.pop();
    return ahead.at(-1);
  };
}

/** The last one first, so that those ahead are taken off the end. */
function startsByLength(text: string): Map<number, number[]> {
  const starts = new Map<number, number[]>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const known = starts.get(run.length);
    if (known === undefined) starts.set(run.length, [index]);
    else known.push(index);
  }
  return starts;
}
