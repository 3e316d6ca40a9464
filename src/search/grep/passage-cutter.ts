import { maskFor } from "../../redact/mask.ts";
import type { Finding, Redactor } from "../../redact/redact.ts";
import type { Span } from "./make-hits.ts";

/** A piece of a text, shortened and with secrets masked. */
export interface Passage {
  readonly text: string;
  /** Highlighted ranges, in UTF-16 units of `text`. */
  readonly highlights: readonly Span[];
}

/** Cuts pieces out of one text. */
export interface PassageCutter {
  /** Cuts out a piece. `marks` are the ranges to highlight, in UTF-16 units of the whole text. */
  cut(piece: Span, marks: readonly Span[]): Passage;
}

/** Characters before and after a piece that are searched for secrets: a private key spans many lines. */
const MARGIN = 16_384;
/** Longer lines are cut to this length around their first mark. */
const MAX_CHARS = 1_000;
const BEFORE_MARK = 160;

/**
 * Prepares to cut pieces out of a text with secrets masked. Looks for secrets around the pieces too, because a single
 * line of a private key does not look like one. `pieces` are all the pieces that will be cut, in order, so that no
 * character is scanned twice. `known` are the secrets of a text that was already searched in its context.
 */
export function createPassageCutter(
  text: string,
  pieces: readonly Span[],
  redactor: Redactor | undefined,
  known?: readonly Finding[],
): PassageCutter {
  const findings = redactor === undefined ? [] : (known ?? findAround(text, pieces, redactor));
  return {
    cut(piece, marks) {
      const [from, to] = shorten(text, piece, marks[0]);
      const passage = mask(text, from, to, marks, findings);
      // Some secrets are recognized only when the piece is on its own.
      const redacted = redactor?.redact(passage.text) ?? passage.text;
      const masked = redacted === passage.text ? passage : { text: redacted, highlights: [] };
      return withEllipses(masked, from > piece[0], to < piece[1]);
    },
  };
}

function findAround(text: string, pieces: readonly Span[], redactor: Redactor): readonly Finding[] {
  const windows: [number, number][] = [];
  for (const [start, end] of pieces) {
    const from = Math.max(0, start - MARGIN);
    const to = Math.min(text.length, end + MARGIN);
    const last = windows.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else windows.push([from, to]);
  }
  return windows.flatMap(([from, to]) =>
    redactor
      .find(text.slice(from, to))
      .map((finding) => ({ ...finding, start: finding.start + from, end: finding.end + from })),
  );
}

function shorten(text: string, [start, lineEnd]: Span, mark: Span | undefined): Span {
  const end = text.charCodeAt(lineEnd - 1) === 0x0d ? lineEnd - 1 : lineEnd;
  if (end - start <= MAX_CHARS) return [start, Math.max(start, end)];
  const ideal = mark === undefined ? start : Math.max(start, mark[0] - BEFORE_MARK);
  const from = wholeCharacter(text, Math.max(start, Math.min(ideal, end - MAX_CHARS)));
  return [from, wholeCharacter(text, from + MAX_CHARS)];
}

/** Moves an offset off the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

/** A range of the text and its position in the passage. */
interface MovedRange {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** Length of the mask that replaces it; null if it is not masked. */
  readonly maskLength: number | null;
}

/** Replaces secrets with masks. A highlight inside a secret covers the whole mask. */
function mask(
  text: string,
  from: number,
  to: number,
  marks: readonly Span[],
  findings: readonly Finding[],
): Passage {
  let passage = "";
  const moved: MovedRange[] = [];
  const put = (start: number, end: number, mask: string | null): void => {
    if (start < end)
      moved.push({ from: start, to: end, at: passage.length, maskLength: mask?.length ?? null });
    passage += mask ?? text.slice(start, end);
  };
  let done = from;
  for (let next = firstEndingAfter(findings, from); next < findings.length; next++) {
    const finding = findings[next];
    if (finding === undefined || finding.start >= to) break;
    const start = Math.max(finding.start, done);
    const end = Math.min(finding.end, to);
    put(done, start, null);
    put(start, end, maskFor(finding));
    done = end;
  }
  put(done, to, null);
  const highlights = marks.flatMap(([start, end]): readonly Span[] => {
    const first = offsetInPassage(moved, start, "start");
    const last = offsetInPassage(moved, end, "end");
    return first !== undefined && last !== undefined && first < last ? [[first, last]] : [];
  });
  return { text: passage, highlights };
}

/** Returns the index of the first finding that ends after an offset. */
function firstEndingAfter(findings: readonly Finding[], offset: number): number {
  let low = 0;
  let high = findings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((findings[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Maps an offset of the text to the passage. A start before the passage maps to its start, an end after it to its
 * end; undefined if the range is entirely outside.
 */
function offsetInPassage(
  moved: readonly MovedRange[],
  offset: number,
  edge: "start" | "end",
): number | undefined {
  const first = moved[0];
  const last = moved.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (offset <= first.from) return edge === "start" ? 0 : undefined;
  if (offset >= last.to)
    return edge === "end" ? last.at + (last.maskLength ?? last.to - last.from) : undefined;
  for (const { from, to, at, maskLength } of moved) {
    const isInside = edge === "start" ? from <= offset && offset < to : from < offset && offset <= to;
    if (!isInside) continue;
    if (maskLength !== null) return edge === "start" ? at : at + maskLength;
    return at + offset - from;
  }
  return undefined;
}

function withEllipses({ text, highlights }: Passage, before: boolean, after: boolean): Passage {
  if (!before && !after) return { text, highlights };
  const shift = before ? 1 : 0;
  return {
    text: `${before ? "…" : ""}${text}${after ? "…" : ""}`,
    highlights: highlights.map(([from, to]) => [from + shift, to + shift]),
  };
}
