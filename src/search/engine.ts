import type { Context } from "../session/session.ts";
import type { SearchPlan } from "./ranking/search-plan.ts";

/*
 * The port to a full-text engine, embedded or shared. Segments, files and offsets are the engine's own matter. Damage
 * is a value, not an error, because the answer is always the same: rebuild the index from the sources.
 */

/** What a search finds: the card of a session, or a turn. */
export interface IndexDocument {
  /** 0 for the session's card, of which there is one. A sub-agent's work has the number of the turn that started it. */
  readonly turn: number;
  /** For the card: when the session was last active, which recency is computed from. */
  readonly at: number | null;
  readonly context: Context;
  /** Identifies the turn across sessions: a turn that a fork copied has the identity of its original. */
  readonly identity?: string;
  /** Whether the turn was copied from another session. If both match, only the original counts. */
  readonly copied?: boolean;
  /** Text by field name, as in the field table of its kind. */
  readonly fields: Readonly<Record<string, string>>;
  /** Differs if anything in the document does. An engine that has it already need not read the fields. */
  readonly fingerprint?: number;
  /** About how long its texts are. */
  readonly chars?: number;
}

export interface IndexedSession {
  /** Unique among the sessions of all agents. */
  readonly key: string;
  /** What lists and freshness checks need of every session: JSON, opaque to the engine. Small. */
  readonly row: string;
  /** What showing one session needs: JSON, opaque to the engine. */
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
  /** The state of the last commit. */
  readonly state: string;
  /** In no order. */
  readonly rows: Iterable<StoredRow>;
}

export interface StoredSession {
  readonly kind: "session";
  readonly key: string;
  readonly row: string;
  readonly digest: string;
  /** The card first; each with its stored fields. Only while the reader is open. Throws `IndexDamage`. */
  documents(): readonly IndexDocument[];
}

/** `all`: every word; `fuzzy`: every word, with prefixes or typos; `some`: not every word. */
export type MatchKind = "all" | "fuzzy" | "some" | "none";

export interface TurnHit {
  readonly turn: number;
  readonly at: number | null;
  readonly context: Context;
  readonly score: number;
  /** Texts of the stored fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** Texts of the fields that are stored "apart". Only while the reader is open. Throws `IndexDamage`. */
  fieldsApart(): Readonly<Record<string, string>>;
}

export interface SessionHit {
  readonly key: string;
  readonly row: string;
  readonly score: number;
  /** How this session matches: a good hit may lack a word that others have. */
  readonly match: Exclude<MatchKind, "none">;
  /** Texts of the card's stored fields; undefined if the card does not match, or enough turns do. */
  readonly card: Readonly<Record<string, string>> | undefined;
  /** The best turns, best first. */
  readonly turns: readonly TurnHit[];
  /** How many turns match in all. */
  readonly matchingTurns: number;
}

export interface NearestWords {
  readonly word: string;
  readonly nearest: readonly string[];
}

export interface SearchAnswer {
  readonly kind: "answer";
  readonly match: MatchKind;
  /** How many sessions match this way. */
  readonly total: number;
  /** False if there may be more. */
  readonly totalIsExact: boolean;
  readonly hits: readonly SessionHit[];
  /** The terms of the index that matched, with prefixes and typos resolved: for highlighting. */
  readonly terms: readonly string[];
  /** If nothing matches: words of the index that resemble those of the query. */
  readonly nearestWords: readonly NearestWords[];
}

export interface DamagedIndex {
  readonly kind: "damaged";
  readonly what: string;
}

/** Sees the index as it was when the reader was opened, whatever is written meanwhile. */
export interface SearchReader {
  /** New with every commit. */
  readonly id: string;
  /** The state of the last commit. */
  readonly state: string;
  search(plan: SearchPlan): Promise<SearchAnswer | DamagedIndex>;
  rows(): Promise<StoredRows | DamagedIndex>;
  session(key: string): Promise<StoredSession | DamagedIndex | undefined>;
  close(): Promise<void>;
}

/** What a worker thread built from sessions: plain data for `SearchWriter.add`, opaque to the caller. */
export interface IndexBatch {
  readonly kind: "batch";
  readonly content: unknown;
}

/** Indexes sessions in a worker thread, in bounded memory. */
export interface BatchBuilder {
  put(session: IndexedSession): void;
  finish(): readonly IndexBatch[];
  /** Removes what is not finished. */
  abandon(): void;
}

/** How much a commit may merge: what a search can wait for; what is due; all that makes searches faster. */
export type Tidy = "little" | "all" | "thorough";

export interface CommitOptions {
  /** What the caller has to remember about the index as a whole; readers return it. Absent: unchanged. */
  readonly state?: string;
  readonly tidy: Tidy;
}

/** The only writer of an index. Nothing that is put or removed is visible before `commit`, then all of it is. */
export interface SearchWriter {
  /** Why it starts with an empty index, if it does: then everything must be put. */
  readonly startsEmpty: "absent" | "damaged" | "version" | undefined;
  /** The id of the last commit, as in a reader; empty if there is none. */
  readonly index: string;
  /** Adds or replaces a session. */
  put(session: IndexedSession): void;
  remove(key: string): void;
  add(batches: readonly IndexBatch[]): void;
  /** Drops everything that was committed before; for a rebuild. */
  clear(): void;
  commit(options: CommitOptions): Promise<{ readonly kind: "committed" } | DamagedIndex>;
  /** Drops what was not committed. */
  close(): Promise<void>;
}

export type OpenedReader =
  | { readonly kind: "open"; readonly reader: SearchReader }
  | { readonly kind: "absent" }
  /** Written by another version of the program, the analysis or the fields. */
  | { readonly kind: "version"; readonly what: string }
  | DamagedIndex;

export type OpenedWriter =
  | { readonly kind: "open"; readonly writer: SearchWriter }
  | { readonly kind: "locked"; readonly by: string };

export interface SearchEngine {
  read(): Promise<OpenedReader>;
  /** Does not wait for another writer. */
  write(): Promise<OpenedWriter>;
}
