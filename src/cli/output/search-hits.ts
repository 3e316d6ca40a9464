import type { ParsedQuery } from "../../search/query/parse-query.ts";
import type { FoundSession, SearchResult } from "../../search/search-sessions.ts";
import type { World } from "../world.ts";
import { countOf } from "./amounts.ts";
import { readingWidth } from "./conversation.ts";
import { relativeDate } from "./dates.ts";
import { fitPassage, type PassageRoom } from "./fit-passage.ts";
import { highlight } from "./highlight.ts";
import { sanitize } from "./sanitize.ts";
import { shortIds } from "./session-table.ts";
import { projectName } from "./short-path.ts";
import { createStyle, type Style } from "./style.ts";
import { truncate } from "./truncate.ts";

/** Hits for reading: the session in one line, then the best passages, each with its turn and place. */
export function formatSearch(result: SearchResult, offset: number, world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const ids = shortIds(result.hits.map(({ row }) => row.digest.id));
  const hits = result.hits.map((hit) => formatHit(hit, ids, style, world));
  const total = `${result.totalIsExact ? "" : "at least "}${countOf(result.total, "session")}`;
  const how = { all: "", fuzzy: ", with prefixes or typos", some: ", not with every word", none: "" }[
    result.match
  ];
  const shown = offset + result.hits.length;
  const rest = result.total > shown || !result.totalIsExact ? ` · more: --offset ${shown}` : "";
  return `${hits.join("\n")}\n${style.dim(`${total}${how}${rest}`)}\n`;
}

function formatHit(
  { row, snippets, matchingTurns }: FoundSession,
  ids: ReadonlyMap<string, string>,
  style: Style,
  world: World,
): string {
  const { digest, state } = row;
  const id = world.stdout.isTerminal ? (ids.get(digest.id) ?? digest.id) : digest.id;
  const when = digest.endedAt === null ? [] : [relativeDate(digest.endedAt, world)];
  const where = [digest.agent, projectName(digest.project), ...when, ...(state === "idle" ? [] : [state])];
  const about = sanitize(where.join(" · "));
  const room = (world.stdout.columns ?? 400) - id.length - about.length - 4;
  const title = truncate(sanitize(digest.title ?? "(no title)"), Math.max(12, room));
  const lines = snippets.map((snippet) => formatSnippet(snippet, style, world));
  const more =
    matchingTurns > snippets.length
      ? `${style.dim(`        … ${countOf(matchingTurns - snippets.length, "more turn")}`)}\n`
      : "";
  return `${style.cyan(sanitize(id))}  ${style.bold(title)}  ${style.dim(about)}\n${lines.join("")}${more}`;
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

/** As much as can be looked over: more lines where they are short. */
function passageRoom(width: number): Omit<PassageRoom, "first"> {
  return { width, indent: 7, lines: width < 80 ? 3 : 2 };
}

/** Why nothing was found, what is near, and where else to look. */
export function saysNothing(result: SearchResult, { words }: ParsedQuery, world: World): string {
  if (result.total > 0) {
    const least = result.totalIsExact ? "" : "at least ";
    return `No more: the query matches ${least}${countOf(result.total, "session")}.\n`;
  }
  const style = createStyle(world.stderr.hasColor);
  if (result.coverage.sessions === 0) {
    const hint = style.dim("hint: sessions doctor tells what can't be read");
    return `There is no session to search in.\n${hint}\n`;
  }
  const near = result.nearestWords
    .slice(0, NEAR_WORDS)
    .map(({ word, nearest }) => `${word}: ${nearest.join(", ")}`);
  const hints = [
    ...(near.length === 0 ? [] : [`${style.dim("near words:")} ${sanitize(near.join(" · "))}`]),
    ...(words.length === 0 ? [] : [style.dim("hint: sessions grep -iF looks through every text to its end")]),
  ];
  return `${[`No session matches in ${countOf(result.coverage.sessions, "session")}.`, ...hints].join("\n")}\n`;
}

/** Of a pasted text nobody reads more. */
const NEAR_WORDS = 5;
