import type { Digest } from "../extract/digest.ts";
import type { Context } from "../session/session.ts";
import { cutText } from "../session/text-budget.ts";
import { isStopWord } from "./analysis/stop-words.ts";
import type { SessionHit, TurnHit, UnstoredTerm } from "./engine.ts";
import type { FindInLog } from "./passage-in-log.ts";
import type { ParsedQuery } from "./query/parse-query.ts";
import type { SessionRow } from "./refresh/session-row.ts";
import {
  findPassage,
  makeSnippet,
  type SnippetOptions,
  type SnippetPassage,
} from "./snippets/make-snippet.ts";

export type SnippetRole = "request" | "reply" | "summary" | "command" | "file" | "error" | "output";

export interface HitSnippet {
  readonly turn: number;
  readonly role: SnippetRole;
  readonly at: number | null;
  readonly context: Context;
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
  /** On request: the requests of the turns before and after it, in order. */
  readonly before?: readonly NearbyTurn[];
  readonly after?: readonly NearbyTurn[];
}

export interface NearbyTurn {
  readonly turn: number;
  readonly at: number | null;
  readonly context: Context;
  /** The request, in one line. */
  readonly text: string;
}

const SNIPPET_CHARS = 240;
const NEARBY_REQUEST_CHARS = 240;

/** In the order in which they are preferred among equally good passages. */
const ROLES: readonly SnippetRole[] = ["request", "summary", "reply", "error", "command", "file"];

/** The terms and phrases by which passages are chosen and highlighted. */
export interface ShownTerms {
  readonly terms: ReadonlySet<string>;
  readonly phrases: readonly string[];
}

/** Leaves out stop words (they come with phrases), unless there is nothing else. */
export function shownTerms({ words }: ParsedQuery, found: readonly string[]): ShownTerms {
  const telling = found.filter((term) => !isStopWord(term));
  const phrases = words.filter(({ kind, isNegated }) => kind === "phrase" && !isNegated);
  return {
    terms: new Set(telling.length > 0 ? telling : found),
    phrases: phrases.map(({ text }) => text),
  };
}

/** The number of snippets of a hit. */
export const SNIPPETS_PER_HIT = 3;

/**
 * Returns the best passages of a hit. A word that none of them shows, and that only the log has, gets a passage from
 * the log in place of the last one.
 */
export async function snippetsOf(
  row: SessionRow,
  hit: SessionHit,
  shown: ShownTerms,
  openLogs: () => Promise<FindInLog>,
): Promise<readonly HitSnippet[]> {
  const stored = await storedSnippets(row, hit, shown);
  // The longest is a whole name rather than one of its parts.
  const [first] = hit.unstored
    .filter(({ term }) => shown.terms.has(term) && !stored.some(({ text }) => hasTerm(text, term)))
    .toSorted((a, b) => b.term.length - a.term.length);
  if (first === undefined) return stored;
  const terms = { ...shown, terms: new Set([first.term]) };
  const [found = logSnippet(row, first, terms, await openLogs())] = await outputSnippets(hit, terms);
  return found === undefined ? stored : [...stored.slice(0, SNIPPETS_PER_HIT - 1), found];
}

function hasTerm(text: string, term: string): boolean {
  return findPassage(text, new Set([term]), { maxChars: SNIPPET_CHARS }) !== undefined;
}

function logSnippet(
  row: SessionRow,
  { turn, at, context }: UnstoredTerm,
  shown: ShownTerms,
  findInLog: FindInLog,
): HitSnippet | undefined {
  const passage = findInLog(row, shown.terms, optionsOf(shown));
  if (passage === undefined) return undefined;
  const { role, text, highlights } = passage;
  return { turn, role, at, context, text, highlights };
}

/** Best turn first; if no turn has a passage, one of the card, or else passages of tool output. */
async function storedSnippets(
  row: SessionRow,
  hit: SessionHit,
  shown: ShownTerms,
): Promise<readonly HitSnippet[]> {
  const inTurns: HitSnippet[] = [];
  for (const turn of hit.turns) inTurns.push(...turnSnippet(turn, await bestPassage(turn, shown)));
  if (inTurns.length > 0) return inTurns;
  const inCard = cardSnippet(row, hit, shown);
  return inCard === undefined ? outputSnippets(hit, shown) : [inCard];
}

async function outputSnippets({ turns }: SessionHit, shown: ShownTerms): Promise<readonly HitSnippet[]> {
  const inOutput: HitSnippet[] = [];
  for (const turn of turns) inOutput.push(...turnSnippet(turn, await outputPassage(turn, shown)));
  return inOutput;
}

function cardSnippet(row: SessionRow, { card }: SessionHit, shown: ShownTerms): HitSnippet | undefined {
  if (card === undefined) return undefined;
  for (const field of ["title", "summary", "pending", "project", "branch"]) {
    const snippet = makeSnippet(card[field] ?? "", shown.terms, optionsOf(shown));
    if (snippet === undefined) continue;
    const { text, highlights } = snippet;
    return { turn: 1, role: "summary", at: row.startedAt, context: "current", text, highlights };
  }
  return undefined;
}

function optionsOf({ phrases }: ShownTerms): SnippetOptions {
  return { maxChars: SNIPPET_CHARS, phrases };
}

interface FoundPassage {
  readonly passage: SnippetPassage;
  readonly role: SnippetRole;
}

function turnSnippet({ turn, at, context }: TurnHit, found: FoundPassage | undefined): readonly HitSnippet[] {
  if (found === undefined) return [];
  const { text, highlights } = found.passage.show();
  return [{ turn, role: found.role, at, context, text, highlights }];
}

/** Finds the best passage of a turn, in tool output only if nothing else has the phrase. */
async function bestPassage(turn: TurnHit, shown: ShownTerms): Promise<FoundPassage | undefined> {
  const { terms, phrases } = shown;
  let best: FoundPassage | undefined;
  for (const role of ROLES) {
    const passage = findPassage(turn.fields[role] ?? "", terms, optionsOf(shown));
    best = better(best, passage === undefined ? undefined : { passage, role });
    // No other passage can have more.
    if (best?.passage.words === terms.size + phrases.length) return best;
  }
  return (best?.passage.phrases ?? 0) < phrases.length
    ? better(best, await outputPassage(turn, shown))
    : best;
}

/** Returns the better passage; of equally good ones the first. */
function better(a: FoundPassage | undefined, b: FoundPassage | undefined): FoundPassage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return (b.passage.phrases - a.passage.phrases || b.passage.words - a.passage.words) > 0 ? b : a;
}

/** Tool output is long and stored apart: it is read on demand. */
async function outputPassage(turn: TurnHit, shown: ShownTerms): Promise<FoundPassage | undefined> {
  const { output = "" } = await turn.fieldsApart();
  const passage = findPassage(output, shown.terms, optionsOf(shown));
  return passage === undefined ? undefined : { passage, role: "output" };
}

/** The first request, for a session that only filters found, so that there is no match to show. */
export function firstRequest(requests: Digest["requests"]): readonly HitSnippet[] {
  const first = requests.find(({ via, text }) => via !== "bash" && text.trim() !== "");
  if (first === undefined) return [];
  const { turn, at, context, text } = first;
  return [{ turn, role: "request", at, context, text: firstWords(text), highlights: [] }];
}

/** Adds to each snippet the requests of up to `turns` turns before and after it. */
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
  const cut = cutText(line, NEARBY_REQUEST_CHARS);
  return cut === line ? line : `${cut}…`;
}
