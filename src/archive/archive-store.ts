import type { LogKey, SessionName } from "../session/session.ts";

/**
 * The port to the store that keeps the exact bytes of sessions. Chunks, folders and compression are hidden behind it.
 * It is synchronous like the disk below it; a remote store is read through a local copy.
 */

/** Distinguishes states of a file without reading it. */
export interface KeptMark {
  readonly size: number;
  /** Whole milliseconds. */
  readonly mtimeMs: number;
  readonly inode: number;
}

/** A file of a session, as listed. */
export interface ListedFile extends KeptMark {
  /** Its absolute path when it was archived. */
  readonly path: string;
  /** Its role in the session, in the words of the agent's format; not interpreted here. */
  readonly role: string;
}

export interface KeptFile extends ListedFile {
  /** The folder of logs that contained it; null if it was elsewhere. */
  readonly root: string | null;
  /** Permission bits. */
  readonly mode: number;
  /** Of all its bytes, in hex. */
  readonly sha256: string;
}

/** The machine that a session was pulled from. Its record belongs to that machine, and is never changed here. */
export interface MachineOrigin {
  /** The id of the machine, its name for people, and the home of its user. */
  readonly machine: string;
  readonly name: string;
  readonly home: string;
  /** `copy` of the session on that machine. */
  readonly copy: string | null;
  /** SHA-256 of the generation's record as it was pulled. */
  readonly record: string;
}

/** A session in its newest generation. */
export interface ListedSession extends LogKey {
  readonly generation: number;
  /** null for sessions of this machine. */
  readonly origin: MachineOrigin | null;
  readonly files: readonly ListedFile[];
  /** The files that restores were about to replace, in their state then; the archive has them too. */
  readonly aside: readonly ListedFile[];
  /** The readable copy, relative to the folder of readable copies; null if it has no name yet. Never changes. */
  readonly markdown: string | null;
  /** The total size of the files, and of what the store needs for them in all generations. */
  readonly bytes: number;
  readonly storedBytes: number;
  /** Changes whenever something is put. */
  readonly state: string;
  /** The caller's note about the session; null if it was lost. */
  readonly note: string | null;
  /** The folder with its bytes, to show to people. */
  readonly location: string;
}

/** A session whose record can't be read. */
export interface UnlistedSession {
  readonly location: string;
  readonly what: string;
}

export interface Listing {
  readonly sessions: readonly ListedSession[];
  readonly unreadable: readonly UnlistedSession[];
}

/** One generation, open for reading. */
export interface KeptSession extends LogKey {
  readonly generation: number;
  readonly origin: MachineOrigin | null;
  /** All existing generations, oldest first. */
  readonly generations: readonly number[];
  readonly files: readonly KeptFile[];
  /** Files of other logs with the same id, which version 1 of the store kept together. */
  readonly others: readonly KeptFile[];
  /** Earlier states of small files (titles, todo lists). */
  readonly earlier: readonly KeptFile[];
  readonly markdown: string | null;
  readonly location: string;
  /**
   * The bytes of one of its files, each part verified by its hash. Throws `ArchiveDamage` if they can't be read. Each
   * part is valid until the next is requested.
   */
  read(file: KeptFile, from?: number): Iterable<Uint8Array>;
}

/** A file to archive. */
export interface FileToKeep extends ListedFile {
  readonly root: string | null;
  /** Throws a system error if it can't be read. Must be closed. */
  open(): OpenedFile;
}

/** The content of a file when it was opened, without later growth. */
export interface OpenedFile {
  readonly mark: KeptMark;
  readonly mode: number;
  /** Each part is valid until the next is requested. */
  read(from: number): Iterable<Uint8Array>;
  /** Whether the part that was read is unchanged; growth is not a change. */
  isStill(): boolean;
  close(): void;
}

export interface PutOptions {
  /** Reads everything, even if sizes and times are unchanged, and checks and repairs the archive. */
  readonly thorough?: boolean;
  /**
   * Archives files that are about to be replaced as a separate generation that does not count as the newest: the
   * session's present state does not change, even if the replacement then fails.
   */
  readonly aside?: boolean;
  /** Chooses the name of the readable copy; called once per session, when its bytes are durable. */
  readonly nameMarkdown?: (kept: KeptSession) => string | null;
}

/** A file that could not be archived. */
export interface PutProblem {
  readonly path: string;
  readonly what: string;
}

export interface PutOutcome {
  /** `kept`: something new was archived. `absent`: no file could be read, and nothing was archived. */
  readonly kind: "kept" | "unchanged" | "absent";
  readonly session: ListedSession | undefined;
  /** The generation with the present files; 0 if there is none. */
  readonly generation: number;
  /** Whether a rewritten log started a new generation. */
  readonly startedGeneration: boolean;
  /** Damaged parts that were written again from their source. */
  readonly mended: number;
  readonly problems: readonly PutProblem[];
}

/** A part of a session that differs from what was archived. */
export interface Damage {
  readonly generation: number;
  /** null: it concerns the record of the whole generation. */
  readonly path: string | null;
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** The result of verifying one session: every generation, every byte. */
export interface Verification extends LogKey {
  readonly generations: readonly number[];
  readonly files: number;
  /** Verified bytes, counted once even if several generations share them. */
  readonly bytes: number;
  readonly damages: readonly Damage[];
  /** Files that no manifest names, left by a killed run. */
  readonly strays: number;
}

export interface ArchiveStore {
  list(): Listing;
  /** The logs with this id that have an entry, even if it can't be read. */
  copies(session: SessionName): readonly LogKey[];
  /** Opens the given generation, or the newest that was not put aside; undefined if it is not archived. */
  get(key: LogKey, generation?: number): KeptSession | undefined;
  /** Durable when it returns. Only one process may write at a time. */
  put(key: LogKey, files: readonly FileToKeep[], options?: PutOptions): PutOutcome;
  /** Makes an earlier generation the newest again, as a new generation. */
  repeat(key: LogKey, generation: number): ListedSession | undefined;
  prove(key: LogKey): Verification;
  /** Attaches a note that the listing returns. It may be lost at any time, so it only saves time. */
  setNote(key: LogKey, note: string): void;
  /** Ends a run of writing: makes the next `list` fast. */
  close(): void;
}
