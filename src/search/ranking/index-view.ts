import type { Context } from "../../session/session.ts";
import type { SessionSource } from "../session-condition.ts";
import type { DocumentKind, FieldTable } from "./index-schema.ts";
import type { QueryNode } from "./query-node.ts";

/**
 * Everything that ranking needs from an index, wherever it is stored. Documents of a kind are numbered from 0; the
 * number of a card is the number of its session. Some numbers may belong to deleted documents.
 */
export interface IndexView {
  readonly fields: FieldTable;
  /** Absent: the view has the whole index, so that counting its postings is enough. */
  readonly statistics?: IndexStatistics;
  /** Numbers in use, deleted documents included. */
  readonly space: Readonly<Record<DocumentKind, number>>;
  /** Documents that are not deleted. */
  readonly documents: Readonly<Record<DocumentKind, number>>;
  /** Mean length of each field over the documents of its kind. */
  readonly averageLengths: readonly number[];

  exact(term: string): IndexTerm | undefined;
  /** Terms that start with `prefix`, including the prefix itself. */
  withPrefix(prefix: string): readonly IndexTerm[];
  /** Terms within an edit distance, including the word itself; with `isSameStart`, only those with its first letter. */
  near(word: string, maxDistance: number, isSameStart?: boolean): readonly NearIndexTerm[];
  postings(term: IndexTerm): readonly PartPostings[];

  /** The session of each turn. */
  sessionsOfTurns(): Uint32Array;
  /** The turns of a session in order, as ranges: from the first number up to, not including, the second. */
  turnsOf(session: number): readonly (readonly [number, number])[];
  /** 1 for a number without a live session. */
  gone(): Uint8Array;
  key(session: number): string;
  sourceOf(session: number): SessionSource;
  /** When each session was last active; NaN if unknown. */
  sessionTimes(): Float64Array;
  turn(turn: number): TurnPlace;
  /** The time of every turn; NaN if unknown. */
  turnTimes(): Float64Array;
  /** The flags of every turn, see `encodeFlags`. */
  turnFlags(): Uint8Array;
  /** False if no turn was copied from another session. */
  readonly hasCopies: boolean;
  /** The same number for a turn and its copies; 0 if a turn has no identity. */
  turnIdentities(): Float64Array;
  cardTexts(session: number): Readonly<Record<string, string>>;
  turnTexts(turn: number): Readonly<Record<string, string>>;
  /** Texts of the fields that are stored "apart". */
  turnTextsApart(turn: number): Readonly<Record<string, string>>;
  row(session: number): string;
}

/** Counts of the whole index, which a view with only candidates needs for the same scores. */
export interface IndexStatistics {
  /** How many documents have a term in a field; undefined if it was not counted. */
  documentsWith(term: string, field: number): number | undefined;
  /** How many turns match a clause; undefined if they were not counted. */
  turnsWith(clause: QueryNode): number | undefined;
  /** Whether any document has a term, or a term that starts with it. */
  has(term: string): boolean;
  hasPrefix(prefix: string): boolean;
}

export interface IndexTerm {
  readonly term: string;
  /** The view's own data, opaque to ranking. */
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

/** A part of the index (a segment) that numbers its own documents from 0. */
export interface IndexPart {
  readonly sessions: number;
  readonly turns: number;
  /** The view's numbers of its first documents. */
  readonly firstSession: number;
  readonly firstTurn: number;
  /** 1 for each deleted document of a kind; undefined if there is none. */
  gone(kind: DocumentKind): Uint8Array | undefined;
  lengths(field: number): FieldLengths;
}

/** The number of distinct terms in a field, by document. */
export interface FieldLengths {
  at(doc: number): number;
  all(): Uint8Array | Uint16Array | Uint32Array | Float64Array;
}

/** The postings of a term in one part, encoded as in `postings.ts`. */
export interface PartPostings {
  readonly part: IndexPart;
  readonly bytes: Uint8Array;
}
