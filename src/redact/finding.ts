/** A secret in a text: what it is and the characters that get masked. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** The well-known beginning that stays visible, such as `ghp_`. */
  readonly shown?: string;
}

/**
 * Adds what it finds in the text; finders do not look at each other's findings. `units` are those of the text, from
 * `MARGIN` on: what is looked at character by character is looked at there.
 */
export type Finder = (text: string, found: Finding[], units: Uint16Array) => void;

/**
 * Findings in order and without overlap. Where two overlap, all characters of both are covered, and the
 * more telling kind is kept: that of a key which names its maker over that of a variable's value.
 */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length < 2) return findings;
  const sorted = [...findings].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Finding[] = [];
  for (const finding of sorted) {
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) {
      merged.push(finding);
      continue;
    }
    merged[merged.length - 1] = cover(last, finding);
  }
  return merged;
}

function cover(first: Finding, second: Finding): Finding {
  const told = second.shown !== undefined && first.shown === undefined ? second : first;
  const end = Math.max(first.end, second.end);
  // A beginning is only worth showing where the masked text begins with it.
  return told.shown !== undefined && told.start === first.start
    ? { kind: told.kind, start: first.start, end, shown: told.shown }
    : { kind: told.kind, start: first.start, end };
}
