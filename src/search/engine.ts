import type { Context } from "../session/session.ts";
import type { SearchPlan } from "./ranking/search-plan.ts";

/**
 * What operations see of a full-text engine, embedded or shared. Nothing here speaks of segments,
 * files or offsets: those stay behind it. Reading gives a value for damage, because the answer to
 * damage is always the same: build the index anew from the sources.
 */

/** One thing to be found: the card of a session, or a turn. */
export interface IndexDocument {
  /** 0 is the session's card, of which there is one; a sub-agent's work has the number of the turn that it belongs to. */
  readonly turn: number;
  /** Of the card: when the session was last active; recency counts from there. */
  readonly at: number | null;
  readonly context: Context;
  /** Names the turn across sessions; a turn that a fork copied has the identity of its original. */
  readonly identity?: string;
  /** Set where the turn was copied from another session: where both match, only the original counts. */
  readonly copied?: boolean;
  /** Text by field name, as the field table of its kind has them. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * Tells whether the index has it already, where it is known without the fields: those are read only where it has not.
   * Another one with everything that the document says.
   */
  readonly sum?: number;
  /** How long its texts are, about. */
  readonly chars?: number;
}

export interface IndexedSession {
  /** Unlike that of any other session, of whatever agent. */
  readonly key: string;
  /** What lists and checks for changes need of every session: JSON, not looked into. Small. */
  readonly row: string;
  /** What showing one session needs: JSON, not looked into. */
  readonly digest: string;
  readonly documents: readonly IndexDocument[];
}

export interface StoredRow {
  readonly key: string;
  readonly row: string;
  readonly turns: number;
}

export interface StoredRows {
  readonly kind: "rows";
  readonly sessions: number;
  readonly turns: number;
  /** What was handed to the last commit. */
  readonly state: string;
  /** In no order. Each row is opened when it is asked for. */
  readonly rows: Iterable<StoredRow>;
}

export interface StoredSession {
  readonly kind: "session";
  readonly key: string;
  readonly row: string;
  readonly digest: string;
  /** Cards first; of each the fields whose text is kept. Opened while the reader is. Throws `IndexDamage`. */
  documents(): readonly IndexDocument[];
}

/** `all`: every word; `fuzzy`: every word, with prefixes or typos; `some`: not every word. */
export type MatchKind = "all" | "fuzzy" | "some" | "none";

export interface TurnHit {
  readonly turn: number;
  readonly at: number | null;
  readonly context: Context;
  readonly score: number;
  /** Texts of the fields that are kept. */
  readonly fields: Readonly<Record<string, string>>;
  /** Those that are kept apart, while the reader is open. Throws `IndexDamage`. */
  fieldsApart(): Readonly<Record<string, string>>;
}

export interface SessionHit {
  readonly key: string;
  readonly row: string;
  readonly score: number;
  /** What the session itself has: a good one may lack a word that others have. */
  readonly match: Exclude<MatchKind, "none">;
  /** Texts of the card's fields that are kept; undefined where the card itself does not match, or turns enough do. */
  readonly card: Readonly<Record<string, string>> | undefined;
  /** The best turns, best first. */
  readonly turns: readonly TurnHit[];
  /** How many turns matched in all. */
  readonly matchingTurns: number;
}

export interface NearestWords {
  readonly word: string;
  readonly nearest: readonly string[];
}

export interface SearchAnswer {
  readonly kind: "answer";
  readonly match: MatchKind;
  /** Sessions that match so. */
  readonly total: number;
  /** False: there are at least so many. */
  readonly totalIsExact: boolean;
  readonly hits: readonly SessionHit[];
  /** The terms that were looked for and stand in the index, with prefixes and typos resolved: for highlighting. */
  readonly terms: readonly string[];
  /** Where nothing matches: words of the index that look like the ones asked for. */
  readonly nearestWords: readonly NearestWords[];
}

export interface DamagedIndex {
  readonly kind: "damaged";
  readonly what: string;
}

/** A reader sees the index as it was when it was opened, whatever is written meanwhile. */
export interface SearchReader {
  /** Another one with every commit. */
  readonly id: string;
  /** What was handed to the last commit. */
  readonly state: string;
  search(plan: SearchPlan): Promise<SearchAnswer | DamagedIndex>;
  rows(): Promise<StoredRows | DamagedIndex>;
  session(key: string): Promise<StoredSession | DamagedIndex | undefined>;
  close(): Promise<void>;
}

/** What a worker made of some sessions: plain data for `SearchWriter.add`, not to be looked into. */
export interface IndexBatch {
  readonly kind: "batch";
  readonly content: unknown;
}

/** Takes sessions in a worker, with memory that does not grow with their number. */
export interface BatchBuilder {
  put(session: IndexedSession): void;
  finish(): readonly IndexBatch[];
  /** Leaves nothing behind. */
  abandon(): void;
}

export type Tidy = "little" | "all" | "thorough";

export interface CommitOptions {
  /** Handed back by `rows()`: what the caller must know about the whole. Absent: as it was. */
  readonly state?: string;
  /** How much may be merged now: what a search can wait for; what is due; with "thorough", all that makes searches faster. */
  readonly tidy: Tidy;
}

/** One at a time. Nothing that is put or removed is seen before `commit`, and then all of it. */
export interface SearchWriter {
  /** Why it begins with nothing, if it does: everything must be put. */
  readonly startsEmpty: "absent" | "damaged" | "version" | undefined;
  /** The index as it was last committed, by whomever, as a reader names it; empty where there is none. */
  readonly index: string;
  /** Replaces the session where the index has it. */
  put(session: IndexedSession): void;
  remove(key: string): void;
  add(batches: readonly IndexBatch[]): void;
  /** Forgets everything that was committed before; for a build from nothing. */
  clear(): void;
  commit(options: CommitOptions): Promise<{ readonly kind: "committed" } | DamagedIndex>;
  /** Gives up what was not committed. */
  close(): Promise<void>;
}

export type OpenedReader =
  | { readonly kind: "open"; readonly reader: SearchReader }
  | { readonly kind: "absent" }
  /** Written by another version of the program, of the analysis or of the fields. */
  | { readonly kind: "version"; readonly what: string }
  | DamagedIndex;

export type OpenedWriter =
  | { readonly kind: "open"; readonly writer: SearchWriter }
  | { readonly kind: "locked"; readonly by: string };

export interface SearchEngine {
  read(): Promise<OpenedReader>;
  /** With `wait`: once the writer before it is done, which may take long. Without: at once or not at all. */
  write(wait?: (ms: number) => Promise<void>): Promise<OpenedWriter>;
}
