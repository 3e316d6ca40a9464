import { shortIds } from "../../render/short-ids.ts";
import { formatNumber, missingWordLines, sessionsOf } from "../../render/words.ts";
import type { ParsedQuery } from "../../search/query/parse-query.ts";
import type { FoundSession, SearchResult } from "../../search/search-sessions.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { readingWidth } from "./conversation.ts";
import { relativeDate } from "./dates.ts";
import { fitPassage, type PassageRoom } from "./fit-passage.ts";
import { sanitize } from "./sanitize.ts";
import { placeLabel, sessionHeading } from "./session-table.ts";
import { createStyle, highlight, type Style } from "./style.ts";
import { truncate, wrapMessage } from "./text-width.ts";

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
  return `${ways[match]}, and ${formatNumber(others)} ${how}`;
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
