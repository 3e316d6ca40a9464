import { sanitize } from "./sanitize.ts";

/** A few styles that every terminal of 16 colours has and that read on light and on dark grounds alike. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** Where a search matched. */
  readonly match: (text: string) => string;
}

/** With `on` false every style leaves its text alone, so that callers need not ask. */
export function createStyle(on: boolean): Style {
  const paint = (open: string, close: string) => (text: string) =>
    on && text !== "" ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: paint("1", "22"),
    dim: paint("2", "22"),
    underline: paint("4", "24"),
    red: paint("31", "39"),
    green: paint("32", "39"),
    yellow: paint("33", "39"),
    cyan: paint("36", "39"),
    match: paint("1;33", "22;39"),
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Whether to print in colour where no flag says so: NO_COLOR (any value but an empty one) turns it off, then
 * FORCE_COLOR turns it on (0 and false: off), and else a terminal that can do it must be there.
 */
export function wantsColor(isTerminal: boolean | undefined, variables: Variables): boolean {
  if ((variables.NO_COLOR ?? "") !== "") return false;
  const force = variables.FORCE_COLOR;
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTerminal === true && variables.TERM !== "dumb";
}

/**
 * Marks ranges of a text, as a search hit has them: [start, end) in UTF-16 units, in any order. Ranges that
 * overlap are marked once; what lies outside the text is cut off. The text is made safe to print here, piece
 * by piece: before, the ranges would no longer fit, and afterwards the marks would go too.
 */
export function highlight(
  text: string,
  ranges: readonly (readonly [number, number])[],
  style: Pick<Style, "match">,
): string {
  let done = 0;
  let marked = "";
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const start = Math.max(done, from);
    const end = Math.min(text.length, to);
    if (start >= end) continue;
    marked += sanitize(text.slice(done, start)) + style.match(sanitize(text.slice(start, end)));
    done = end;
  }
  return marked + sanitize(text.slice(done));
}
