/** A secret in a text: its kind and the characters that get masked. */
export interface Finding {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** The public prefix that stays visible, such as `ghp_`. */
  readonly shown?: string;
}

/**
 * Adds its findings in the text; finders do not look at each other's findings. `units` are those of the text, from
 * `PADDING` on, for reading character by character.
 */
export type Finder = (text: string, found: Finding[], units: Uint16Array) => void;

/**
 * Findings in order and without overlap. If two overlap, all characters of both are covered, and the
 * more specific kind wins: a vendor key over a variable's value.
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
  const preferred = second.shown !== undefined && first.shown === undefined ? second : first;
  const end = Math.max(first.end, second.end);
  // The prefix is shown only if the masked text starts with it.
  return preferred.shown !== undefined && preferred.start === first.start
    ? { kind: preferred.kind, start: first.start, end, shown: preferred.shown }
    : { kind: preferred.kind, start: first.start, end };
}
