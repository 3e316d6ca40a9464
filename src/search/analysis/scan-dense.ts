import { classAt, DENSE, DENSE_ODD, widthAt } from "./char-class.ts";
import { tokenAt } from "./token-cache.ts";
import { DENSE_FIRST, DENSE_LAST, DENSE_NEXT, DENSE_ONLY, type Visit } from "./token-link.ts";

/**
 * Visits a run of letters of scripts without spaces in pairs: 検索機能 gives 検索, 索機, 機能, and its last
 * letter 能 alone. Every letter is then the beginning of some term, so that one letter is found by its
 * prefix; single letters for all of them would double the terms of such a text.
 * Gives the end of the run, or -1 where the visitor has enough.
 */
export function scanDense(text: string, start: number, visit: Visit): number {
  let end = start;
  let odd = false;
  for (let kind = classAt(text, end); kind === DENSE || kind === DENSE_ODD; kind = classAt(text, end)) {
    if (kind === DENSE_ODD) odd = true;
    end += widthAt(text, end);
  }
  if (!odd) return visitPairs(text, start, end, visit) ? -1 : end;
  const run = text.slice(start, end).normalize("NFKC");
  const inRun: Visit =
    run.length === end - start
      ? (token, from, to, link) => visit(token, start + from, start + to, link)
      : (token, _from, _to, link) => visit(token, start, end, link);
  return visitPairs(run, 0, run.length, inRun) ? -1 : end;
}

function visitPairs(text: string, start: number, end: number, visit: Visit): boolean {
  let from = start;
  let middle = from + widthAt(text, from);
  if (middle >= end) return visit(tokenAt(text, from, end), from, end, DENSE_ONLY);
  while (middle < end) {
    const to = middle + widthAt(text, middle);
    const link = from === start ? DENSE_FIRST : DENSE_NEXT;
    if (visit(tokenAt(text, from, to), from, to, link)) return true;
    from = middle;
    middle = to;
  }
  return visit(tokenAt(text, from, end), from, end, DENSE_LAST);
}
