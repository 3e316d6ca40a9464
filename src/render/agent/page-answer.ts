import { cleanText } from "../../redact/clean-text.ts";
import { CHARS_PER_TOKEN } from "./fit-json.ts";
import { QUOTE_HEAD, quoteLines } from "./quote-text.ts";

/** An answer for an agent, before it is quoted and cut. */
export interface AgentAnswer {
  /**
   * This program's own text about the answer: counts, and what to do next. Not quoted, so it contains no text of
   * sessions.
   */
  readonly says: readonly string[];
  /** The quoted items, in order, from the cursor's position on. */
  readonly items: Iterable<AnswerItem>;
  /** Where the answer continues after its last item; undefined: it is complete. */
  readonly next?: number | undefined;
}

export interface AnswerItem {
  /** Its position, by which a cursor names it. */
  readonly at: number;
  readonly text: string;
}

/** The start of a page: an item, or a character position in it. */
export interface Cursor {
  readonly at: number;
  readonly chars: number;
}

export interface AnswerPage {
  readonly text: string;
  /** The cursor of the next page; undefined: this was the last. */
  readonly cursor: string | undefined;
}

/** A shorter part of an item is useless: it is left for the next page. */
const MIN_PART_CHARS = 200;

/** Reads a cursor: `12` is the item at 12, `12.340` the same from its character 340 on. */
export function readCursor(text: string): Cursor | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text.trim());
  return match === null ? undefined : { at: Number(match[1]), chars: Number(match[2] ?? 0) };
}

/**
 * Quotes as many items as fit into `tokens`. Items are not split, except for one that is longer than a page: it is
 * cut, and the cursor names the place. `goOn` says how to get the next page.
 */
export function pageAnswer(
  answer: AgentAnswer,
  { tokens, from, goOn }: { tokens: number; from?: Cursor | undefined; goOn: (cursor: string) => string },
): AnswerPage {
  const foot = (cursor: string): string => `[sessions] ${goOn(cursor)}`;
  const fixed = [QUOTE_HEAD, ...answer.says].join("\n").length + foot("000000000.000000000").length + 2;
  const room = tokens * CHARS_PER_TOKEN - fixed;
  const taken: string[] = [];
  let used = 0;
  let cursor = answer.next === undefined ? undefined : String(answer.next);
  for (const { at, text } of answer.items) {
    const start = from !== undefined && from.at === at ? from.chars : 0;
    const rest = cleanText(text).slice(start);
    const quoted = quoteLines(rest).join("\n");
    if (used + quoted.length + 1 <= room) {
      taken.push(quoted);
      used += quoted.length + 1;
      continue;
    }
    const left = Math.max(room - used, taken.length === 0 ? MIN_PART_CHARS : 0);
    const mayCut = taken.length === 0 || (quoted.length > room && left >= MIN_PART_CHARS);
    const part = mayCut ? cutToFit(rest, left) : "";
    if (part !== "") taken.push(quoteLines(part).join("\n"));
    cursor = part === "" ? String(at) : `${at}.${start + part.length}`;
    break;
  }
  const end = cursor === undefined ? [] : [foot(cursor)];
  return {
    text: [...(taken.length === 0 ? [] : [QUOTE_HEAD]), ...answer.says, ...taken, ...end].join("\n"),
    cursor,
  };
}

/**
 * The longest start of a text that fits when it is quoted: to the end of a line if that is near, otherwise of a word.
 */
function cutToFit(text: string, room: number): string {
  let end = 0;
  let used = 0;
  while (end < text.length) {
    const lineEnd = text.indexOf("\n", end);
    const next = lineEnd < 0 ? text.length : lineEnd + 1;
    if (used + next - end + 2 > room) break;
    used += next - end + 2;
    end = next;
  }
  if (end > 0 && used > room / 2) return text.slice(0, end);
  const part = text.slice(0, end + Math.max(1, room - used - 3));
  const space = part.lastIndexOf(" ");
  const whole = space > part.length - 100 && space > end ? part.slice(0, space + 1) : part;
  return whole.replace(/[\ud800-\udbff]$/, "");
}
