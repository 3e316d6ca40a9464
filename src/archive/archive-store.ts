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

/** A file of a session, as lists know it. */
export interface ListedFile extends KeptMark {
  /** Where it was: absolute. */
  readonly path: string;
  /** Its role in the session, as the agent's format names it; not interpreted here. */
  readonly role: string;
}

export interface KeptFile extends ListedFile {
  /** The folder of logs below which it was; null if it was elsewhere. */
  readonly root: string | null;
  /** Permission bits. */
  readonly mode: number;
  /** Of all its bytes, in hex. */
  readonly sha256: string;
}

/** Which machine a session was pulled from. Its record is that machine's, and is never changed here. */
export interface MachineOrigin {
  /** The id of the machine, what people call it, and the home of its user. */
  readonly machine: string;
  readonly name: string;
  readonly home: string;
  /** `copy` of the session there. */
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
  /** What restores were about to replace, as it was then: the archive has it, too. */
  readonly aside: readonly ListedFile[];
  /** The readable copy, relative to the folder of those; null if none was named yet. Never changes. */
  readonly markdown: string | null;
  /** Of all files as they were, and of what the store holds for them in all generations. */
  readonly bytes: number;
  readonly storedBytes: number;
  /** Changes with everything that is put. */
  readonly state: string;
  /** The note that the caller attached to the listing; null if it is no longer known. */
  readonly note: string | null;
  /** Where it is kept, for people. */
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
  /** All generations there are, oldest first. */
  readonly generations: readonly number[];
  readonly files: readonly KeptFile[];
  /** Files of other logs with the same id, which version 1 of the store kept together. */
  readonly others: readonly KeptFile[];
  /** Small files (titles, lists of work) as they were before they were written again. */
  readonly earlier: readonly KeptFile[];
  readonly markdown: string | null;
  readonly location: string;
  /**
   * The bytes of one of its files, each proven by its hash before it is handed out. Throws
   * `ArchiveDamage` where they can't be. Each part is valid until the next is requested.
   */
  read(file: KeptFile, from?: number): Iterable<Uint8Array>;
}

/** A file that is to be kept. */
export interface FileToKeep extends ListedFile {
  readonly root: string | null;
  /** Throws an error of the system if it can't be read. To be closed. */
  open(): OpenedFile;
}

/** The present content of a file, without later growth. */
export interface OpenedFile {
  readonly mark: KeptMark;
  readonly mode: number;
  /** Each part is valid until the next is requested. */
  read(from: number): Iterable<Uint8Array>;
  /** Is what was read still there? Growth is no change. */
  isStill(): boolean;
  close(): void;
}

export interface PutOptions {
  /** Reads everything, even if sizes and times are unchanged, and checks and repairs the archive. */
  readonly thorough?: boolean;
  /**
   * Archives what is about to be replaced as a separate generation that does not count as the newest: the session's
   * present state does not change, even if the replacement then fails.
   */
  readonly aside?: boolean;
  /** Chooses the name of the readable copy; called once per session, when its bytes are durable. */
  readonly nameMarkdown?: (kept: KeptSession) => string | null;
}

/** A file that could not be kept. */
export interface PutProblem {
  readonly path: string;
  readonly what: string;
}

export interface PutOutcome {
  /** `kept`: there was something new. `absent`: nothing could be read, and nothing is kept. */
  readonly kind: "kept" | "unchanged" | "absent";
  readonly session: ListedSession | undefined;
  /** The generation that has the files now; 0 if there is none. */
  readonly generation: number;
  /** A rewritten log began a new generation. */
  readonly startedGeneration: boolean;
  /** Damaged parts that were written again from their source. */
  readonly mended: number;
  readonly problems: readonly PutProblem[];
}

/** A part of a session that differs from what was archived. */
export interface Damage {
  readonly generation: number;
  /** null: it is about the record of the whole generation. */
  readonly path: string | null;
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** The result of verifying one session: every generation, every byte. */
export interface Verification extends LogKey {
  readonly generations: readonly number[];
  readonly files: number;
  /** Proven bytes, each once, however many generations share them. */
  readonly bytes: number;
  readonly damages: readonly Damage[];
  /** Files that nothing names: a killed run left them. */
  readonly strays: number;
}

export interface ArchiveStore {
  list(): Listing;
  /** The logs with this id that have an entry, whatever can be read of it. */
  copies(session: SessionName): readonly LogKey[];
  /** The newest generation that was not put aside, or that one; undefined if it is not kept. */
  get(key: LogKey, generation?: number): KeptSession | undefined;
  /** Durable when it returns. Only one may write at a time. */
  put(key: LogKey, files: readonly FileToKeep[], options?: PutOptions): PutOutcome;
  /** Makes an earlier generation the newest again, as a new generation. */
  repeat(key: LogKey, generation: number): ListedSession | undefined;
  prove(key: LogKey): Verification;
  /** Attaches a note that the listing returns; it may be lost at any time, so it is only a shortcut. */
  setNote(key: LogKey, note: string): void;
  /** Ends a run of writing: makes the next `list` fast. */
  close(): void;
}
