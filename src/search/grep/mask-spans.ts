import { maskFor } from "../../redact/mask.ts";
import type { Finding, Redactor } from "../../redact/redact.ts";
import type { Span } from "./make-hits.ts";

/** A piece of a text, made short and without secrets. */
export interface Passage {
  readonly text: string;
  /** Where the marks stand in it, in UTF-16 units. */
  readonly highlights: readonly Span[];
}

/** Cuts pieces out of one text. */
export interface PassageCutter {
  /** A piece, its marks given in units of the whole text. */
  cut(piece: Span, marks: readonly Span[]): Passage;
}

/** A key block is longer than a line, but not by more than this. */
const MARGIN = 16_384;
/** Of a longer line, what stands around its first mark. */
const MOST_CHARS = 1_000;
const BEFORE_MARK = 160;

/**
 * Secrets are looked for around the pieces too: one line out of a private key does not look like one.
 * `pieces` are all that will be cut, in order; no character is looked at twice.
 */
export function createPassageCutter(
  text: string,
  pieces: readonly Span[],
  redactor: Redactor | undefined,
): PassageCutter {
  const findings = redactor === undefined ? [] : findAround(text, pieces, redactor);
  return {
    cut(piece, marks) {
      const [from, to] = shorten(text, piece, marks[0]);
      const passage = mask(text, from, to, marks, findings);
      // What only shows when it stands alone.
      const again = redactor?.redact(passage.text) ?? passage.text;
      const whole = again === passage.text ? passage : { text: again, highlights: [] };
      return withEllipses(whole, from > piece[0], to < piece[1]);
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
  if (end - start <= MOST_CHARS) return [start, Math.max(start, end)];
  const wanted = mark === undefined ? start : Math.max(start, mark[0] - BEFORE_MARK);
  const from = wholeCharacter(text, Math.max(start, Math.min(wanted, end - MOST_CHARS)));
  return [from, wholeCharacter(text, from + MOST_CHARS)];
}

/** Not between the halves of a pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

/** A piece of the text, and where it is in the passage. */
interface Moved {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** Of the mask that stands for it; null where it stands there itself. */
  readonly masked: number | null;
}

/** The piece with masks for secrets. A mark inside a secret marks its mask. */
function mask(
  text: string,
  from: number,
  to: number,
  marks: readonly Span[],
  findings: readonly Finding[],
): Passage {
  let passage = "";
  const moved: Moved[] = [];
  const put = (start: number, end: number, mask: string | null): void => {
    if (start < end) moved.push({ from: start, to: end, at: passage.length, masked: mask?.length ?? null });
    passage += mask ?? text.slice(start, end);
  };
  let done = from;
  for (let next = firstBehind(findings, from); next < findings.length; next++) {
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
    const begin = placeOf(moved, start, "start");
    const stop = placeOf(moved, end, "end");
    return begin !== undefined && stop !== undefined && begin < stop ? [[begin, stop]] : [];
  });
  return { text: passage, highlights };
}

/** Index of the first finding that ends behind a place. */
function firstBehind(findings: readonly Finding[], place: number): number {
  let low = 0;
  let high = findings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((findings[middle]?.end ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where a place of the text is in the passage; at its edge where it lies outside. */
function placeOf(moved: readonly Moved[], place: number, edge: "start" | "end"): number | undefined {
  const first = moved[0];
  const last = moved.at(-1);
  if (first === undefined || last === undefined) return undefined;
  if (place <= first.from) return edge === "start" ? 0 : undefined;
  if (place >= last.to) return edge === "end" ? last.at + (last.masked ?? last.to - last.from) : undefined;
  for (const { from, to, at, masked } of moved) {
    const isInside = edge === "start" ? from <= place && place < to : from < place && place <= to;
    if (!isInside) continue;
    if (masked !== null) return edge === "start" ? at : at + masked;
    return at + place - from;
  }
  return undefined;
}

function withEllipses({ text, highlights }: Passage, before: boolean, behind: boolean): Passage {
  if (!before && !behind) return { text, highlights };
  const shift = before ? 1 : 0;
  return {
    text: `${before ? "…" : ""}${text}${behind ? "…" : ""}`,
    highlights: highlights.map(([from, to]) => [from + shift, to + shift]),
  };
}
