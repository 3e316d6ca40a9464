import { isStopWord } from "../core/analysis/weak-terms.ts";
import type { Digest } from "../core/extract/digest.ts";
import type { Context } from "../core/model/session.ts";
import type { ParsedQuery } from "../core/query/parse-query.ts";
import type { SessionHit, TurnHit } from "../core/search/search-engine.ts";
import { findPassage, makeSnippet, type Passage, type SnippetOptions } from "../core/snippet/make-snippet.ts";
import { cutText } from "../core/text/text-budget.ts";
import type { SessionRow } from "./indexing/session-row.ts";

export type SnippetRole = "request" | "reply" | "summary" | "command" | "file" | "error" | "output";

export interface HitSnippet {
  readonly turn: number;
  readonly role: SnippetRole;
  readonly at: number | null;
  readonly context: Context;
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
  /** Asked for: the requests of the turns before and behind it, in their order. */
  readonly before?: readonly NearbyTurn[];
  readonly after?: readonly NearbyTurn[];
}

export interface NearbyTurn {
  readonly turn: number;
  readonly at: number | null;
  readonly context: Context;
  /** What was asked there, in one line. */
  readonly text: string;
}

const SNIPPET_CHARS = 240;

/** Of equally good passages the one that says most. */
const ROLES: readonly SnippetRole[] = ["request", "summary", "reply", "error", "command", "file"];

/** What passages are chosen by, and what is marked in them. */
export interface ShownTerms {
  readonly terms: ReadonlySet<string>;
  readonly phrases: readonly string[];
}

/** Stop words come with phrases: alone they are marked only where nothing else was asked for. */
export function shownTerms({ words }: ParsedQuery, found: readonly string[]): ShownTerms {
  const telling = found.filter((term) => !isStopWord(term));
  const phrases = words.filter(({ kind, isUnwanted }) => kind === "phrase" && !isUnwanted);
  return {
    terms: new Set(telling.length > 0 ? telling : found),
    phrases: phrases.map(({ text }) => text),
  };
}

/** The best passages of a hit, best turn first; where only its card matches, a passage of that. */
export function snippetsOf(
  row: SessionRow,
  hit: SessionHit,
  shown: ShownTerms,
  limit: number,
): readonly HitSnippet[] {
  const found: HitSnippet[] = [];
  for (const turn of hit.turns) {
    const snippet = found.length < limit ? turnSnippet(turn, shown) : undefined;
    if (snippet !== undefined) found.push(snippet);
  }
  if (found.length > 0 || hit.card === undefined) return found;
  for (const field of ["title", "summary", "pending", "project", "branch"]) {
    const snippet = makeSnippet(hit.card[field] ?? "", shown.terms, optionsOf(shown));
    if (snippet === undefined) continue;
    return [
      {
        turn: 1,
        role: "summary",
        at: row.startedAt,
        context: "current",
        text: snippet.text,
        highlights: snippet.highlights,
      },
    ];
  }
  return [];
}

function optionsOf({ phrases }: ShownTerms): SnippetOptions {
  return { maxChars: SNIPPET_CHARS, phrases };
}

function turnSnippet(turn: TurnHit, shown: ShownTerms): HitSnippet | undefined {
  const { terms, phrases } = shown;
  let best: { readonly passage: Passage; readonly role: SnippetRole } | undefined;
  for (const role of ROLES) {
    const passage = findPassage(turn.fields[role] ?? "", terms, optionsOf(shown));
    if (passage !== undefined && (best === undefined || passage.words > best.passage.words))
      best = { passage, role };
    // No later one can have more.
    if (best?.passage.words === terms.size + phrases.length) break;
  }
  if (best === undefined || (phrases.length > 0 && best.passage.words < terms.size + phrases.length)) {
    const passage = findPassage(turn.fieldsApart().output ?? "", terms, optionsOf(shown));
    if (passage !== undefined && (best === undefined || passage.words > best.passage.words))
      best = { passage, role: "output" };
  }
  if (best === undefined) return undefined;
  const { text, highlights } = best.passage.show();
  const { turn: number, at, context } = turn;
  return { turn: number, role: best.role, at, context, text, highlights };
}

/** Adds to each passage what was asked so many turns before and behind it. */
export function withNearbyTurns(
  snippets: readonly HitSnippet[],
  requests: Digest["requests"],
  turns: number,
): readonly HitSnippet[] {
  const between = (from: number, to: number): readonly NearbyTurn[] =>
    requests
      .filter(({ turn }) => turn >= from && turn <= to)
      .map(({ turn, at, context, text }) => ({ turn, at, context, text: firstWords(text) }));
  return snippets.map((snippet) => ({
    ...snippet,
    before: between(snippet.turn - turns, snippet.turn - 1),
    after: between(snippet.turn + 1, snippet.turn + turns),
  }));
}

function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  const cut = cutText(line, SNIPPET_CHARS);
  return cut === line ? line : `${cut}…`;
}
