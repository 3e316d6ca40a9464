/** A difference of two texts in the form that `diff -u` prints and `patch` reads, without its two head lines. */
export function lineDiff(before: string, after: string, context: number = 3): string {
  const from = linesOf(before);
  const to = linesOf(after);
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let tail = 0;
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail))
    tail++;
  const steps = [
    ...from.slice(0, head).map(same),
    ...middle(from.slice(head, from.length - tail), to.slice(head, to.length - tail)),
    ...from.slice(from.length - tail).map(same),
  ];
  return hunks(steps, context);
}

interface Step {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

function same(line: string): Step {
  return { sign: " ", line };
}

/** Each with its line end: a last line without one differs from one that has it. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** More is no settings file, and the table would take gigabytes: all old lines go, all new ones come. */
const MAX_CELLS = 4_000_000;

/** By the longest common subsequence. */
function middle(from: readonly string[], to: readonly string[]): readonly Step[] {
  const removed = from.map((line): Step => ({ sign: "-", line }));
  const added = to.map((line): Step => ({ sign: "+", line }));
  if (from.length * to.length > MAX_CELLS) return [...removed, ...added];
  const width = to.length + 1;
  const lengths = new Uint32Array((from.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const steps: Step[] = [];
  let i = 0;
  let j = 0;
  while (i < from.length || j < to.length) {
    const [old, fresh] = [from[i], to[j]];
    if (old !== undefined && old === fresh) {
      steps.push(same(old));
      i++;
      j++;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      steps.push({ sign: "-", line: old });
      i++;
    } else if (fresh !== undefined) {
      steps.push({ sign: "+", line: fresh });
      j++;
    }
  }
  return steps;
}

function hunks(steps: readonly Step[], context: number): string {
  const isShown = steps.map(() => false);
  for (const [index, { sign }] of steps.entries()) {
    if (sign === " ") continue;
    for (let near = index - context; near <= index + context; near++)
      if (near in isShown) isShown[near] = true;
  }
  let text = "";
  let [oldLine, newLine] = [1, 1];
  for (let start = 0; start < steps.length; ) {
    let end = start;
    while (end < steps.length && isShown[end] === isShown[start]) end++;
    const part = steps.slice(start, end);
    const olds = part.filter(({ sign }) => sign !== "+").length;
    const news = part.filter(({ sign }) => sign !== "-").length;
    if (isShown[start] === true) {
      text += `@@ -${range(oldLine, olds)} +${range(newLine, news)} @@\n`;
      for (const { sign, line } of part) {
        text += line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
      }
    }
    oldLine += olds;
    newLine += news;
    start = end;
  }
  return text;
}

function range(line: number, count: number): string {
  if (count === 1) return String(line);
  return count === 0 ? `${line - 1},0` : `${line},${count}`;
}
