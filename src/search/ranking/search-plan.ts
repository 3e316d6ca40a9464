import type { Context } from "../../session/session.ts";
import type { IndexView } from "./index-view.ts";
import type { SessionScope } from "./session-scores.ts";
import { contextOf } from "./turn-flags.ts";

/** A word of the query, analysed as documents are. */
export interface WordClause {
  readonly kind: "word";
  /** What the analysis made of it: all wanted in one document. */
  readonly terms: readonly string[];
  /** What it made of it besides: the whole of an identifier whose parts are in `terms`. Matches count more, absence is no miss. */
  readonly also?: readonly string[];
  /** Asked for as `pre*`: longer terms that begin as the last one of `terms` count as well. */
  readonly prefix?: boolean;
  /** False: no typo of it is meant, as with numbers and codes. */
  readonly isTolerant?: boolean;
  /** Names of the fields to look in; absent: all. */
  readonly fields?: readonly string[];
}

/** Words that stand together. Found by their terms, then checked on the text. */
export interface PhraseClause {
  readonly kind: "phrase";
  readonly text: string;
  readonly terms: readonly string[];
  readonly fields?: readonly string[];
}

/** One of several will do: a name whole or in parts, a field that is asked for twice. */
interface AnyClause {
  readonly kind: "any";
  readonly of: readonly Clause[];
}

export type Clause = WordClause | PhraseClause | AnyClause;

export interface SearchFilter {
  /** Milliseconds since 1970, both included; a turn without a time passes neither. */
  readonly since?: number;
  readonly until?: number;
  readonly contexts?: readonly Context[];
  /** Decides by key; asked once per session. */
  readonly session?: (key: string) => boolean;
}

export interface SearchPlan {
  /** Wanted in any case, however few words of `wanted` a session has. */
  readonly narrowing?: readonly Clause[];
  /** All wanted, in whichever documents of the session. None: every session that passes the filter. */
  readonly wanted: readonly Clause[];
  /** A session with one of these in any of its documents is no hit. */
  readonly unwanted: readonly (WordClause | PhraseClause)[];
  readonly filter: SearchFilter;
  readonly sort: "relevance" | "newest" | "oldest";
  readonly offset: number;
  readonly limit: number;
  /** How many of its turns a hit comes with. */
  readonly turnsPerHit: number;
  /** What recency counts back from. */
  readonly now: number;
}

/** Turns a filter into questions that are cheap to ask for every match. */
export function createScope(
  view: IndexView,
  filter: SearchFilter,
  excluded: Uint8Array | undefined,
): SessionScope {
  const turnPasses = createTurnFilter(view, filter);
  const accepted = new Int8Array(view.space.card);
  const gone = view.gone();

  const decide = (session: number): boolean =>
    gone[session] === 0 && excluded?.[session] !== 1 && (filter.session?.(view.key(session)) ?? true);

  return {
    refused: excluded === undefined && filter.session === undefined ? gone : undefined,
    accepts(session) {
      if (accepted[session] === 0) accepted[session] = decide(session) ? 1 : -1;
      return accepted[session] === 1;
    },
    turnPasses,
    cardPasses(session) {
      if (turnPasses === undefined) return true;
      let hasTurns = false;
      for (const [from, to] of view.turnsOf(session)) {
        hasTurns ||= from < to;
        for (let turn = from; turn < to; turn++) if (turnPasses(turn)) return true;
      }
      // A session of which only the card is known passes by its own time.
      return (
        !hasTurns &&
        filter.contexts === undefined &&
        isWithin(view.sessionTimes()[session] ?? Number.NaN, filter)
      );
    },
  };
}

function createTurnFilter(view: IndexView, filter: SearchFilter): ((turn: number) => boolean) | undefined {
  const { since, until, contexts } = filter;
  const byTime = since !== undefined || until !== undefined;
  if (!byTime && contexts === undefined) return undefined;
  const times = byTime ? view.turnTimes() : undefined;
  const flags = contexts === undefined ? undefined : view.turnFlags();
  const from = since ?? Number.NEGATIVE_INFINITY;
  const to = until ?? Number.POSITIVE_INFINITY;
  return (turn) => {
    if (flags !== undefined && contexts?.includes(contextOf(flags[turn] ?? 0)) === false) return false;
    if (times === undefined) return true;
    const at = times[turn] ?? Number.NaN;
    return at >= from && at <= to;
  };
}

/** No time is within nothing. */
function isWithin(at: number, { since, until }: SearchFilter): boolean {
  return at >= (since ?? at) && at <= (until ?? at);
}
