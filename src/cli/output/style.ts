import type { Outcome } from "../../render/words.ts";
import { sanitize } from "./sanitize.ts";

/** Styles that every terminal with 16 colours has, readable on light and dark backgrounds. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
  /** The selected line of a list. */
  readonly selected: (text: string) => string;
  /** A search match. */
  readonly match: (text: string) => string;
}

/** Creates the styles; with `on` false they leave their text unchanged. */
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
    selected: paint("7", "27"),
    match: paint("1;33", "22;39"),
  };
}

/** The colour of an outcome. */
export function outcomeStyle(style: Style, outcome: Outcome): (text: string) => string {
  return { done: style.green, failed: style.red, unknown: style.dim }[outcome];
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Decides on colour if no flag does: NO_COLOR (any value but an empty one) turns it off, FORCE_COLOR turns it on (0
 * and false: off), otherwise the terminal must support it.
 */
export function wantsColor(isTerminal: boolean | undefined, variables: Variables): boolean {
  if ((variables.NO_COLOR ?? "") !== "") return false;
  const force = variables.FORCE_COLOR;
  if (force !== undefined) return force !== "0" && force !== "false";
  return isTerminal === true && variables.TERM !== "dumb";
}

/**
 * Marks ranges of a text: [start, end) in UTF-16 units, in any order. Overlapping ranges are marked once; anything
 * outside the text is cut off. The text is sanitized here, piece by piece: earlier the ranges would no longer fit,
 * later the marks would be removed.
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
