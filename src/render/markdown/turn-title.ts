import { shorten } from "../../extract/sentences.ts";
import { cleanLine } from "../../redact/clean-text.ts";

const EXCERPT_CHARS = 60;

/** The heading of a turn: its number, so that it can be named, and how its request begins, so that outlines tell. */
export function turnTitle({
  number,
  request,
}: {
  readonly number: number;
  readonly request: string;
}): string {
  const line = cleanLine(request.slice(0, 8 * EXCERPT_CHARS));
  // Between words where there is such a place; what a cut leaves of a surrogate pair is cleaned behind it.
  const excerpt = cleanLine(shorten(line, EXCERPT_CHARS)).replace(/(?<=.{40}) \S*\u2026$/u, "…");
  return excerpt === "" ? `Turn ${number}` : `Turn ${number}: ${excerpt}`;
}

/** The anchor that hosts make of a heading: lower case, no punctuation, dashes for spaces. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}
