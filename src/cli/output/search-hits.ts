import { shortIds } from "../../render/short-ids.ts";
import { missingWordLines, sessionsOf } from "../../render/words.ts";
import type { ParsedQuery } from "../../search/query/parse-query.ts";
import type { FoundSession, SearchResult } from "../../search/search-sessions.ts";
import type { World } from "../world.ts";
import { amountOf, formatCount } from "./amounts.ts";
import { readingWidth } from "./conversation.ts";
import { relativeDate } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { placeLabel, sessionHeading } from "./session-table.ts";
import { createStyle, highlight, type Style } from "./style.ts";
import { displayWidth, graphemesOf, graphemeWidth, truncate, wrapMessage } from "./text-width.ts";

/** Hits for reading: the session on one line, then the best passages, each with its turn and place. */
export function formatSearch(result: SearchResult, query: ParsedQuery, offset: number, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const ids = shortIds(result.hits.map(({ row }) => row.digest.id));
  const hits = result.hits.map((hit) => formatHit(hit, ids, style, world));
  const total = `${result.totalIsExact ? "" : "at least "}${amountOf(result.total, "session")}`;
  const how = matchText(result, query);
  const shown = offset + result.hits.length;
  const rest = result.ranked > shown || !result.totalIsExact ? ` · more: --offset ${shown}` : "";
  const missing = missingWordLines(result.missingWords).map((line) => `${sanitize(line)}\n`);
  const end = wrapMessage(`${total}${how}${rest}`, world.stdout.columns);
  return `${missing.join("")}${hits.join("\n")}\n${style.dim(end)}\n`;
}

/** How the words matched, after the number of sessions: `, and 5 with some of the words`. */
export function matchText(
  { match, ranked, total }: Pick<SearchResult, "match" | "ranked" | "total">,
  query: ParsedQuery,
): string {
  const ways = { all: "", fuzzy: ", with prefixes or typos", some: ", with some of the words", none: "" };
  const others = ranked - total;
  if (others <= 0) return ways[match];
  // If the query has one word, no other word can be missing.
  const how =
    query.words.length > 1 ? "with some of the words" : `that nearly ${others === 1 ? "matches" : "match"}`;
  return `${ways[match]}, and ${formatCount(others)} ${how}`;
}

function formatHit(
  { row, snippets, matchingTurns, from }: FoundSession,
  ids: ReadonlyMap<string, string>,
  style: Style,
  world: World,
): string {
  const { digest, state, copies } = row;
  const id = world.stdout.isTerminal ? (ids.get(digest.id) ?? digest.id) : digest.id;
  const when = digest.endedAt === null ? [] : [relativeDate(digest.endedAt, world)];
  const before = [...(from === undefined ? [] : [`${from.owner} on ${from.machine}`]), digest.agent];
  const after = [
    ...when,
    ...(state === "idle" || digest.machine !== undefined ? [] : [state]),
    ...(copies > 1 ? [amountOf(copies, "copy", "copies")] : []),
  ];
  const heading = sessionHeading(
    { id, title: digest.title, before, place: placeLabel(digest), after },
    world,
  );
  const lines = snippets.map((snippet) => formatSnippet(snippet, style, world));
  const more =
    matchingTurns > snippets.length
      ? `${style.dim(`        … ${amountOf(matchingTurns - snippets.length, "more turn")}`)}\n`
      : "";
  return `${heading}${lines.join("")}${more}`;
}

type Snippet = FoundSession["snippets"][number];

function formatSnippet(snippet: Snippet, style: Style, world: World): string {
  const { before = [], after = [] } = snippet;
  const nearby = (turns: typeof before): string =>
    turns
      .map(({ turn, text }) => {
        const label = `${String(turn).padStart(4)} request  `;
        const width = world.stdout.isTerminal ? readingWidth(world.stdout) - label.length - 2 : text.length;
        return `  ${style.dim(label + truncate(sanitize(text), width))}\n`;
      })
      .join("");
  return nearby(before) + formatPassage(snippet, style, world) + nearby(after);
}

function formatPassage(
  { turn, role, context, text, highlights }: Snippet,
  style: Style,
  world: World,
): string {
  const place = context === "current" ? "" : ` ${context}`;
  const label = `${String(turn).padStart(4)} ${role}${place}  `;
  const width = readingWidth(world.stdout);
  const shown = world.stdout.isTerminal
    ? fitPassage(text, highlights, { ...passageRoom(width), first: 2 + label.length }, style)
    : highlight(text, highlights, style);
  return `  ${style.dim(label)}${shown}\n`;
}

/** The lines of a passage: more if they are short. */
function passageRoom(width: number): Omit<PassageRoom, "first"> {
  return { width, indent: 7, lines: width < 80 ? 3 : 2 };
}

/** Says why nothing was found, which words are near, and what else to try. */
export function saysNothing(result: SearchResult, { words }: ParsedQuery, world: World): string {
  if (result.ranked > 0) {
    const least = result.totalIsExact ? "" : "at least ";
    return `No more results: the query matches ${least}${amountOf(result.ranked, "session")}.\n`;
  }
  const style = createStyle(world.stderr.hasColor);
  if (result.coverage.sessions === 0) {
    const hint = style.dim("hint: `sessions doctor` shows what can't be read");
    return `There are no sessions to search.\n${hint}\n`;
  }
  const near = result.nearestWords
    .slice(0, NEAR_WORDS)
    .map(({ word, nearest }) => `${word}: ${nearest.join(", ")}`);
  const missing = missingWordLines(result.missingWords).map((line) => sanitize(line));
  const hints = [
    ...(near.length === 0 ? [] : [`${style.dim("similar words:")} ${sanitize(near.join(" · "))}`]),
    ...(words.length === 0
      ? []
      : [style.dim("hint: `sessions grep -iF` searches the complete text of every log")]),
  ];
  const lines = [...missing, `No match in ${sessionsOf(result.coverage)}.`, ...hints];
  return `${wrapMessage(lines.join("\n"), world.stderr.columns)}\n`;
}

/** A limit, because a pasted text could have many. */
const NEAR_WORDS = 5;

type Range = readonly [number, number];

interface PassageRoom {
  readonly width: number;
  /** The columns that are used on the first line, and the indent of the others. */
  readonly first: number;
  readonly indent: number;
  readonly lines: number;
}

/**
 * Fits a passage into a few lines, broken at spaces, with its matches marked. A passage that is too long starts later, so
 * that as many matches as possible are visible.
 */
export function fitPassage(
  text: string,
  highlights: readonly Range[],
  room: PassageRoom,
  style: Pick<Style, "match">,
): string {
  const starts = [0, ...highlights.map(([from]) => startBefore(text, from, Math.floor(room.width / 4)))];
  let best: { readonly seen: number; readonly start: number; readonly lines: readonly Range[] } | undefined;
  for (const start of starts) {
    const lines = layOut(text, start, room);
    const end = lines.at(-1)?.[1] ?? start;
    const seen = highlights.filter(([from, to]) => from >= start && to <= end).length;
    if (best === undefined || seen > best.seen) best = { seen, start, lines };
    if (seen === highlights.length) break;
  }
  return (best?.lines ?? [])
    .map(([from, to], index, { length }) => {
      const before = index === 0 && from > 0 ? "…" : "";
      const after = index === length - 1 && to < text.length ? "…" : "";
      const ranges = highlights.map(([start, end]): Range => [start - from, end - from]);
      return before + highlight(text.slice(from, to), ranges, style) + after;
    })
    .join(`\n${" ".repeat(room.indent)}`);
}

/** Finds the start and end of each line; text that does not fit on the last line is left out. */
function layOut(text: string, start: number, { width, first, indent, lines }: PassageRoom): readonly Range[] {
  const found: Range[] = [];
  let from = start;
  while (from < text.length && found.length < lines) {
    const isFirst = found.length === 0;
    const isLast = found.length === lines - 1;
    const columns = Math.max(8, width - (isFirst ? first : indent)) - (isFirst && from > 0 ? 1 : 0);
    const whole = from + taken(text.slice(from), columns);
    const most = whole < text.length && isLast ? from + taken(text.slice(from), columns - 1) : whole;
    if (most === text.length) {
      found.push([from, most]);
      break;
    }
    const space = text.lastIndexOf(" ", most);
    const wordStart = space > from ? space + 1 : from;
    const wordEnd = text.indexOf(" ", most);
    const word = text.slice(wordStart, wordEnd === -1 ? text.length : wordEnd);
    // Only a word longer than a line is broken. A first line without room for its first word stays empty.
    const isKept = displayWidth(word) < width - indent;
    const to =
      isKept && (space > from || isFirst)
        ? Math.max(from, wordStart - 1)
        : space > from + columns / 2
          ? space
          : most;
    found.push([from, to]);
    from = text[to] === " " ? to + 1 : to;
  }
  return found;
}

/** Counts the UTF-16 units of a text that fit into a number of columns. */
function taken(text: string, columns: number): number {
  let used = 0;
  let units = 0;
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > columns) break;
    units += grapheme.length;
  }
  return units;
}

/** Finds the start of a word about `units` before `at`; `at` itself if there is none near. */
function startBefore(text: string, at: number, units: number): number {
  if (at <= units) return 0;
  const space = text.lastIndexOf(" ", at - units);
  if (space >= at - 2 * units) return space + 1;
  const next = text.indexOf(" ", at - units);
  return next === -1 || next >= at ? at : next + 1;
}
