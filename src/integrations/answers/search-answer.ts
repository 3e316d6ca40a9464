import type { FoundSession, SearchResult } from "../../index.ts";
import { cleanLine } from "../../redact/clean-text.ts";
import type { AgentAnswer } from "../../render/agent/page-answer.ts";
import { countOf, formatNumber, missingWordLines, sessionsOf } from "../../render/words.ts";
import { contextNote, firstChars, sessionLine } from "./session-line.ts";

/** How many passages each hit of a page shows: the best hits in more detail. */
const PASSAGES = [3, 2, 2];
const MIN_PASSAGES = 1;
const SHOWN_CHARS = 240;

export interface SearchAnswerOptions {
  readonly offset: number;
  readonly callingSession?: string | undefined;
  /** Advice on what to do with a hit, and if nothing was found: the names of calls differ between agents. */
  readonly readOn: string;
  readonly nothing: string;
}

/** Presents the hits of a search to an agent, the best first. */
export function searchAnswer(
  result: SearchResult,
  { offset, callingSession, readOn, nothing }: SearchAnswerOptions,
): AgentAnswer {
  const { hits, total, ranked, totalIsExact, match, coverage } = result;
  const searched = `${sessionsOf(coverage)} searched`;
  const missing = missingWordLines(
    result.missingWords.map(({ word, showing }) => ({
      word: safeWord(word),
      showing: showing.map(safeWord),
    })),
  );
  if (hits.length === 0) {
    const near = result.nearestWords.flatMap(({ nearest }) => nearest);
    const spelled =
      near.length === 0 ? "" : ` Words with a similar spelling: ${near.map(safeWord).join(", ")}.`;
    const says =
      ranked > 0
        ? `No more hits (${countOf(ranked, "session")} in all).`
        : `Nothing found, ${searched}.${spelled} ${nothing}`;
    return { says: [...missing, says], items: [] };
  }
  const found = `${totalIsExact ? "" : "at least "}${countOf(total, "session")}`;
  const others = ranked - total;
  const inPart =
    others > 0 ? `, and ${formatNumber(others)} that match${others === 1 ? "es" : ""} in part` : "";
  const how = {
    all: `${found} with all words${inPart}`,
    fuzzy: `${found} with all words, some as prefixes or with typos${inPart}`,
    some: `No session has all words; ${found} with some of them, so check whether a hit is the right one`,
    none: found,
  }[match];
  // A query without words scores nothing.
  const order = hits.every(({ score }) => score === 0)
    ? `${found} that ${total === 1 ? "matches" : "match"} (${searched}), newest first`
    : `${how} (${searched}), the best first`;
  return {
    says: [
      ...missing,
      ...(result.partial === undefined ? [] : [`Not everything was searched: ${cleanLine(result.partial)}.`]),
      `${order}. ${readOn}`,
    ],
    items: hits.map((hit, index) => ({
      at: offset + index,
      text: hitText(
        hit,
        index,
        callingSession,
        hit.match === "some" && match !== "some" ? ["matches in part"] : [],
      ),
    })),
    ...(offset + hits.length < ranked || !totalIsExact ? { next: offset + hits.length } : {}),
  };
}

function hitText(
  hit: FoundSession,
  index: number,
  callingSession: string | undefined,
  remarks: readonly string[],
): string {
  const shown = hit.snippets.slice(0, PASSAGES[index] ?? MIN_PASSAGES);
  const passages = shown.map(
    ({ turn, role, context, text }) =>
      `  turn ${turn}, ${role}${contextNote(context)}: ${firstChars(text, SHOWN_CHARS)}`,
  );
  const { from } = hit;
  const whose = from === undefined ? "" : `of ${cleanLine(from.owner)} on ${cleanLine(from.machine)}: `;
  return [`${whose}${sessionLine(hit.row, callingSession, remarks)}`, ...passages].join("\n");
}

/** A word that is repeated outside of the quotes. */
function safeWord(word: string): string {
  return /^[\p{L}\p{N}_.-]{1,40}$/u.test(word) ? word : "(unprintable)";
}
