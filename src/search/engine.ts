import type { Context } from "../session/session.ts";
import type { SearchPlan } from "./ranking/search-plan.ts";
import { type SessionSource, THIS_MACHINE } from "./session-condition.ts";

/*
 * The port to a full-text engine, embedded or shared. Segments, files, shards and requests are internal to the
 * engine. Everything that may take a round trip is asynchronous, filtered and paged by the engine, and can be aborted
 * by a signal. Failures that callers must handle are values: damage leads to a rebuild from the logs of this machine;
 * an engine that is unreachable or denies access, to an error.
 */

/** The source of an engine that only has the sessions of this machine and person. */
export const localSource: SessionSource = { machine: THIS_MACHINE, owner: "local" };

/** A document that a search finds: the card of a session, or a turn. */
export interface IndexDocument {
  /** 0 for the session's card. A sub-agent's work has the number of the turn that started it. */
  readonly turn: number;
  /** For the card: when the session was last active, which determines recency. */
  readonly at: number | null;
  readonly context: Context;
  /** Identifies the turn across sessions: a turn that a fork copied has the identity of its original. */
  readonly identity?: string;
  /** Whether the turn was copied from another session. If both match, only the original counts. */
  readonly copied?: boolean;
  /** Text by field name, as in the field table of its kind. */
  readonly fields: Readonly<Record<string, string>>;
  /** Changes with the document. An engine that already has it need not read the fields. */
  readonly fingerprint?: number;
  /** The approximate length of its texts. */
  readonly chars?: number;
}

export interface IndexedSession {
  /** Unique among the sessions of one source. An engine with several sources tells sessions apart by source and key. */
  readonly key: string;
  /** The part of a session that lists and freshness checks need: JSON of `RowAttributes` and anything else. Small. */
  readonly row: string;
  /** The part that is needed to show one session: JSON, opaque to the engine. */
  readonly digest: string;
  readonly documents: readonly IndexDocument[];
}

export interface StoredRow {
  readonly key: string;
  readonly source: SessionSource;
  readonly row: string;
  readonly turns: number;
}

export interface RowsRequest {
  /** `next` of the previous page; absent: from the first row. */
  readonly after?: string;
  readonly limit: number;
}

/** A page of the rows of this engine's own source, in no particular but a stable order. */
export interface RowsPage {
  readonly kind: "rows";
  /** Over all pages. */
  readonly sessions: number;
  readonly turns: number;
  readonly rows: readonly StoredRow[];
  /** undefined after the last page. */
  readonly next: string | undefined;
}

export interface StoredSession {
  readonly kind: "session";
  readonly key: string;
  readonly source: SessionSource;
  readonly row: string;
  readonly digest: string;
  /** The card first, each with its stored fields. Only while the reader is open. Rejects with `IndexDamage`. */
  documents(): Promise<readonly IndexDocument[]>;
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
  /** Texts of the fields that are stored "apart". Only while the reader is open. Rejects with `IndexDamage`. */
  fieldsApart(): Promise<Readonly<Record<string, string>>>;
}

export interface SessionHit {
  readonly key: string;
  readonly source: SessionSource;
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
  /** Matching terms of texts that are not stored, each with a turn that has it. Only the log has the passage. */
  readonly unstored: readonly UnstoredTerm[];
}

export interface UnstoredTerm extends Pick<TurnHit, "turn" | "at" | "context"> {
  readonly term: string;
}

/** A word of the query that the index does not have in any form. */
export interface MissingWord {
  /** As it was typed. */
  readonly word: string;
  /** Terms of the index that matched instead of it, the nearest first. */
  readonly showing: readonly string[];
}

export interface NearestWords {
  readonly word: string;
  readonly nearest: readonly string[];
}

export interface SearchAnswer {
  readonly kind: "answer";
  /** The best match of any session. */
  readonly match: MatchKind;
  /** How many sessions match this way. */
  readonly total: number;
  /** How many can be paged: by relevance also those that lack some words. */
  readonly ranked: number;
  /** False if there may be more. */
  readonly totalIsExact: boolean;
  /** Set if parts of a shared index did not answer: the reason. The hits come from the others. */
  readonly partial?: string;
  readonly hits: readonly SessionHit[];
  /** The terms of the index that matched, with prefixes and typos resolved: for highlighting. */
  readonly terms: readonly string[];
  /** If nothing matches: words of the index that resemble those of the query. */
  readonly nearestWords: readonly NearestWords[];
  readonly missingWords: readonly MissingWord[];
}

export interface DamagedIndex {
  readonly kind: "damaged";
  readonly what: string;
}

/** Why an engine can't answer. Only damage leads to a rebuild. */
export type EngineFailure =
  | DamagedIndex
  /** It did not answer. Trying again later may help. */
  | { readonly kind: "unreachable"; readonly what: string }
  /** It denied access. */
  | { readonly kind: "denied"; readonly what: string };

/** How long a caller waits for an engine. */
export interface CallOptions {
  /** Once it is aborted, the call rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** Sees the index in the state in which the reader was opened, whatever is written since. */
export interface SearchReader {
  /** New with every commit. */
  readonly id: string;
  /** The state of the last commit of this engine's own source. */
  readonly state: string;
  /** The coverage of a search, if that is more than the engine's own source. */
  readonly covers?: { readonly sessions: number; readonly turns: number };
  search(plan: SearchPlan, options?: CallOptions): Promise<SearchAnswer | EngineFailure>;
  rows(request: RowsRequest, options?: CallOptions): Promise<RowsPage | EngineFailure>;
  /** Finds a session by key; without a source, one of this engine's own. */
  session(
    key: string,
    options?: CallOptions & { readonly source?: SessionSource },
  ): Promise<StoredSession | EngineFailure | undefined>;
  close(): Promise<void>;
}

/** The result of indexing sessions in a worker thread: plain data for `SearchWriter.add`, opaque to the caller. */
export interface IndexBatch {
  readonly kind: "batch";
  readonly content: unknown;
}

/** Indexes sessions in a worker thread, in bounded memory. */
export interface BatchBuilder {
  put(session: IndexedSession): void;
  finish(): readonly IndexBatch[];
  /** Removes unfinished writes. */
  abandon(): void;
}

/**
 * How much a commit may merge: as much as a search can wait for; all that is due; or everything that makes searches
 * faster.
 */
export type Tidy = "little" | "all" | "thorough";

export interface CommitOptions {
  /** State that the caller keeps about the index as a whole; readers return it. Absent: unchanged. */
  readonly state?: string;
  readonly tidy: Tidy;
}

/**
 * The only writer of a source. Nothing that is put or removed is visible before `commit`, then all of it is; a shared
 * engine that cannot hold all of it shows whole sessions earlier, never a part of one. The sessions and the state of
 * other sources are never touched.
 */
export interface SearchWriter {
  /** The id of the last commit, as in a reader; empty if there is none. */
  readonly index: string;
  /** Adds or replaces a session. Resolves when the writer can take the next one. */
  put(session: IndexedSession): Promise<void>;
  remove(key: string): void;
  /** Adds what worker threads built; absent if the engine only takes sessions one by one. */
  add?(batches: readonly IndexBatch[]): void;
  /** Drops everything that was committed before of this source; for a rebuild. */
  clear(): void;
  commit(options: CommitOptions & CallOptions): Promise<{ readonly kind: "committed" } | EngineFailure>;
  /** Drops what was not committed. */
  close(): Promise<void>;
}

export type OpenedReader =
  | { readonly kind: "open"; readonly reader: SearchReader }
  | { readonly kind: "absent" }
  /** Written by another version of the program, the analysis or the fields. */
  | { readonly kind: "version"; readonly what: string }
  | EngineFailure;

export type OpenedWriter =
  | { readonly kind: "open"; readonly writer: SearchWriter }
  | { readonly kind: "locked"; readonly by: string }
  | Exclude<EngineFailure, DamagedIndex>;

export interface SearchEngine {
  /** The source of the sessions that this engine writes. It may find others too. */
  readonly source: SessionSource;
  read(options?: CallOptions): Promise<OpenedReader>;
  /** Does not wait for another writer. */
  write(options?: CallOptions): Promise<OpenedWriter>;
}
