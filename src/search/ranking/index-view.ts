import type { Context } from "../../session/session.ts";
import type { DocumentKind, FieldTable } from "./index-schema.ts";

/**
 * What the query engine needs of an index, wherever it is kept. Documents of a kind are numbered
 * from 0 through; the number of a card is the number of its session. Some numbers may belong to
 * documents that are gone: no posting leads to them.
 */
export interface IndexView {
  readonly fields: FieldTable;
  /** Numbers in use, gone documents included. */
  readonly space: Readonly<Record<DocumentKind, number>>;
  /** Documents that are there. */
  readonly documents: Readonly<Record<DocumentKind, number>>;
  /** Mean length of each field over the documents of its kind. */
  readonly averageLengths: readonly number[];

  exact(term: string): IndexTerm | undefined;
  /** Terms that begin so, the prefix itself included. */
  withPrefix(prefix: string): readonly IndexTerm[];
  /** Terms within an edit distance, the word itself included; with `isSameStart`, of its first letter. */
  near(word: string, maxDistance: number, isSameStart?: boolean): readonly NearIndexTerm[];
  postings(term: IndexTerm): readonly PartPostings[];

  /** The session of each turn. */
  sessionsOfTurns(): Uint32Array;
  /** The turns of a session in their order: each stretch from the first up to, not including, the second. */
  turnsOf(session: number): readonly (readonly [number, number])[];
  /** 1 for a number that is no session, or of one that is gone. */
  gone(): Uint8Array;
  key(session: number): string;
  /** When each session was last active; NaN is no time. */
  sessionTimes(): Float64Array;
  turn(turn: number): TurnPlace;
  /** Of all turns, for filters; NaN is no time. */
  turnTimes(): Float64Array;
  /** As `turn-flags.ts` has them. */
  turnFlags(): Uint8Array;
  /** False: no turn was copied from another session. */
  readonly hasCopies: boolean;
  /** What copies and their original have in common; 0 is none. */
  turnIdentities(): Float64Array;
  cardTexts(session: number): Readonly<Record<string, string>>;
  turnTexts(turn: number): Readonly<Record<string, string>>;
  /** Those that are kept apart. */
  turnTextsApart(turn: number): Readonly<Record<string, string>>;
  row(session: number): string;
}

export interface IndexTerm {
  readonly term: string;
  /** The view's own. */
  readonly places: unknown;
}

export interface NearIndexTerm {
  readonly found: IndexTerm;
  readonly distance: number;
}

export interface TurnPlace {
  readonly number: number;
  readonly at: number | null;
  readonly context: Context;
}

/** A stretch of the index whose documents are numbered on their own, from 0. */
export interface IndexPart {
  readonly sessions: number;
  readonly turns: number;
  /** What its own numbers count from. */
  readonly firstSession: number;
  readonly firstTurn: number;
  /** 1 for each document of a kind that is gone; undefined where all are there. */
  gone(kind: DocumentKind): Uint8Array | undefined;
  lengths(field: number): FieldLengths;
}

/** How many different terms a field has, by document. */
export interface FieldLengths {
  at(doc: number): number;
  all(): Uint8Array | Uint16Array | Uint32Array | Float64Array;
}

/** Postings of a term in one part, encoded as `postings.ts` does. */
export interface PartPostings {
  readonly part: IndexPart;
  readonly bytes: Uint8Array;
}
