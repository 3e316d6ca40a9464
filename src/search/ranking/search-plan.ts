import type { Context } from "../../session/session.ts";
import type { SessionCondition } from "../session-condition.ts";

/** A word of the query, analyzed in the same way as documents. */
export interface WordClause {
  readonly kind: "word";
  /** The word as typed, if it is a word of the query by itself. */
  readonly text?: string;
  /** Its terms after analysis: one document must have all of them. */
  readonly terms: readonly string[];
  /** From `pre*`: longer terms that start with the last one of `terms` match as well. */
  readonly prefix?: boolean;
  /** False if typos must not match, as with numbers and codes. */
  readonly isTolerant?: boolean;
  /** Names of the fields to search; absent: all. */
  readonly fields?: readonly string[];
}

/** Words next to each other. Found by their terms, then checked on the text. */
export interface PhraseClause {
  readonly kind: "phrase";
  readonly text: string;
  readonly terms: readonly string[];
  readonly fields?: readonly string[];
}

/** Met by any one of its clauses: a name whole or in parts, a field with several values. */
interface AnyClause {
  readonly kind: "any";
  /** The word as typed, if its clauses are forms of one word of the query. */
  readonly text?: string;
  readonly of: readonly Clause[];
}

export type Clause = WordClause | PhraseClause | AnyClause;

/** Which turns and sessions may be hits: data, so that an engine can run anywhere. */
export interface SearchFilter {
  /** Milliseconds since 1970, both inclusive; a turn without a time passes neither. */
  readonly since?: number;
  readonly until?: number;
  readonly contexts?: readonly Context[];
  /** Only sessions that match this. */
  readonly only?: SessionCondition;
  /** No sessions that match one of these. */
  readonly not?: readonly SessionCondition[];
}

/** A time that the query names, in milliseconds since 1970, both inclusive. */
export interface DateSpan {
  readonly from: number;
  readonly to: number;
}

/** A query in the form that engines take. */
export interface SearchPlan {
  /** Required of every hit, however few of the `clauses` it has. */
  readonly narrowing?: readonly Clause[];
  /**
   * Looked for in any documents of a session. By relevance, a session with any of them is a hit; by time, or if there is
   * a phrase, only one with all of them, unless there is none. Without clauses, every session that passes the filter is
   * a hit.
   */
  readonly clauses: readonly Clause[];
  /** A session with one of these in any of its documents is no hit. */
  readonly excluded: readonly (WordClause | PhraseClause)[];
  readonly filter: SearchFilter;
  readonly sort: "relevance" | "newest" | "oldest";
  readonly offset: number;
  readonly limit: number;
  /** How many of its turns a hit comes with. */
  readonly turnsPerHit: number;
  /** The time that recency is measured from. */
  readonly now: number;
  /** By relevance, sessions that ended at one of these times, or shortly before or after it, come first. */
  readonly dates?: readonly DateSpan[];
}
