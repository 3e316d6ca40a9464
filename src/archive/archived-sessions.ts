import { join } from "node:path";
import type { LogFiles, SessionFile, SessionFiles } from "../agents/agent.ts";
import type { ByteSource } from "../agents/byte-source.ts";
import { newestLogFirst } from "../agents/session-copies.ts";
import { sameMark } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import { logKey, sessionKey } from "../session/session.ts";
import { archiveSource, sessionFilesOf, shownPath } from "./archive-source.ts";
import type { ListedFile, ListedSession } from "./archive-store.ts";
import { byLogKey, type LogIdentities, logIdentities } from "./log-identity.ts";
import { forgottenSessions, openArchive } from "./open-archive.ts";

/** An archived session, ready to be read. */
export interface ArchivedSession<Files extends SessionFiles = SessionFiles> {
  /** Under their original paths. The leading log first. */
  readonly files: Files;
  /** Reads those files from the archive, opening it when needed. */
  readonly source: ByteSource;
  readonly generation: number;
  /** Changes with the archived bytes, and with nothing else. */
  readonly state: string;
  /** The readable copy; null if there is none yet. */
  readonly markdown: string | null;
  /** The names of the machines that its logs belong to, by the path of the log; logs of this machine are left out. */
  readonly machines: MachinesOfLogs;
  /** The size of all files, and of what the archive needs for them. */
  readonly bytes: number;
  readonly storedBytes: number;
}

export type ArchivedLog = ArchivedSession<LogFiles>;

/** Every archived log, in no order. Reads only the catalog of the archive. */
export function archivedLogs(
  library: Library,
  sessions: readonly ListedSession[] = listArchive(library),
): readonly ArchivedLog[] {
  const archive = openArchive(library);
  const forgotten = forgottenSessions(library);
  return sessions
    .filter((session) => !forgotten.has(session))
    .map((session) => ({
      files: sessionFilesOf(session),
      source: archiveSource(() => archive.get(session)),
      generation: session.generation,
      state: session.state,
      markdown: markdownPath(library, session),
      machines: machinesOf(session),
      bytes: session.bytes,
      storedBytes: session.storedBytes,
    }));
}

export type MachinesOfLogs = Readonly<Record<string, string>>;

function machinesOf(session: ListedSession): MachinesOfLogs {
  const { origin, files } = session;
  if (origin === null) return {};
  return Object.fromEntries(files.map(({ path }) => [shownPath(session, path), origin.name]));
}

/** The sessions in the archive; none with the example history. */
export function listArchive(library: Library): readonly ListedSession[] {
  return library.demo ? [] : openArchive(library).list().sessions;
}

/** Every archived session, in no order: logs with one id are one session, led by the newest. */
export function archivedSessions(
  library: Library,
  logs: readonly ArchivedLog[] = archivedLogs(library),
): readonly ArchivedSession[] {
  return [...bySession(logs).values()].map((group) => joinArchived(...group));
}

type LogGroup = [ArchivedLog, ...ArchivedLog[]];

function bySession(logs: readonly ArchivedLog[]): ReadonlyMap<string, LogGroup> {
  const groups = new Map<string, LogGroup>();
  for (const log of logs) {
    const group = groups.get(sessionKey(log.files));
    if (group === undefined) groups.set(sessionKey(log.files), [log]);
    else group.push(log);
  }
  return groups;
}

function joinArchived(first: ArchivedLog, ...others: readonly ArchivedLog[]): ArchivedSession {
  if (others.length === 0) return first;
  const logs = [first, ...others].sort(byNewestLog);
  const sum = (of: (log: ArchivedLog) => number): number => logs.reduce((total, log) => total + of(log), 0);
  return {
    ...joinLogs(logs, first),
    generation: Math.max(...logs.map(({ generation }) => generation)),
    state: logs.map(({ state }) => state).join("+"),
    markdown: logs[0]?.markdown ?? null,
    machines: Object.assign({}, ...logs.map(({ machines }) => machines)),
    bytes: sum(({ bytes }) => bytes),
    storedBytes: sum(({ storedBytes }) => storedBytes),
  };
}

function byNewestLog(
  {
    files: {
      files: [a],
    },
  }: ArchivedLog,
  {
    files: {
      files: [b],
    },
  }: ArchivedLog,
): number {
  return a === undefined || b === undefined ? 0 : newestLogFirst(a, b);
}

/** Files, and the source to read them from. */
type ReadableFiles = Pick<ArchivedSession, "files" | "source">;

/** Combines the logs of one session, so that readers find them in one place. */
export function joinLogs(logs: readonly ReadableFiles[], first: ReadableFiles): ReadableFiles {
  const sources = new Map<string, ByteSource>();
  const files: SessionFile[] = [];
  for (const log of logs) {
    for (const file of log.files.files) {
      if (sources.has(file.path)) continue;
      sources.set(file.path, log.source);
      files.push(file);
    }
  }
  const sourceOf = (path: string): ByteSource => sources.get(path) ?? first.source;
  return {
    files: { agent: first.files.agent, id: first.files.id, files },
    source: {
      chunks: (path) => sourceOf(path).chunks(path),
      text: (path, maxBytes) => sourceOf(path).text(path, maxBytes),
      head: (path, from) => sourceOf(path).head(path, from),
      explain: first.source.explain,
    },
  };
}

/** Whether these files include the log itself: other files of a session may remain when its log is gone. */
export function hasLog({ files }: { readonly files: readonly { readonly role: string }[] }): boolean {
  return files.some(({ role }) => role === "main");
}

/**
 * Finds the sessions on disk that are only fragments of a session that is complete in the archive, because their logs
 * are gone. They count as archived sessions.
 */
export function leftOvers<T extends SessionFiles>(
  archived: readonly Pick<ArchivedSession, "files">[],
  found: readonly T[],
): ReadonlySet<T> {
  const fragments = found.filter((files) => !hasLog(files));
  if (fragments.length === 0) return new Set();
  const whole = new Set(archived.flatMap(({ files }) => (hasLog(files) ? [sessionKey(files)] : [])));
  return new Set(fragments.filter((files) => whole.has(sessionKey(files))));
}

/** Adds to archived sessions the fragments on disk that were never archived. */
export function withLeftOvers<T extends SessionFiles>(
  archived: readonly ArchivedSession<T>[],
  left: Iterable<SessionFiles>,
  disk: ByteSource,
): readonly ArchivedSession<T>[] {
  const rest = new Map(Array.from(left, (files) => [sessionKey(files), files]));
  if (rest.size === 0) return archived;
  return archived.map((session) => {
    const key = sessionKey(session.files);
    const fragments = rest.get(key);
    if (fragments === undefined || !hasLog(session.files)) return session;
    rest.delete(key);
    const known = new Set(session.files.files.map(({ path }) => path));
    const files = fragments.files.filter(({ path }) => !known.has(path));
    if (files.length === 0) return session;
    const added = { ...fragments, files };
    const joined = joinLogs([session, { files: added, source: disk }], session);
    return {
      ...session,
      files: { ...session.files, files: joined.files.files },
      source: joined.source,
      state: [session.state, ...files.map(({ size, mtimeMs }) => `${size}.${mtimeMs}`)].join("+"),
    };
  });
}

/**
 * Finds, for a session with a log on disk, the other logs with its id that only the archive has. A log that was moved
 * is not one of them.
 */
export function keptCopies(
  library: Library,
  logs: readonly ArchivedLog[],
): (session: SessionFiles) => readonly ArchivedLog[] {
  const groups = bySession(logs);
  let identities: LogIdentities | undefined;
  return (session) => {
    const archived = groups.get(sessionKey(session)) ?? [];
    const here = new Set(session.files.map(({ path }) => path));
    const isHere = ({ files }: ArchivedLog): boolean => here.has(files.files[0]?.path ?? "");
    if (archived.every(isHere)) return [];
    identities ??= logIdentities(library);
    const present = new Set(identities.of(session).map(logKey));
    return archived.filter((log) => !present.has(logKey(log.files)));
  };
}

/** Where the readable copy of a session is; null if it has none. */
export function markdownPath(
  { places }: Pick<Library, "places">,
  { markdown }: Pick<ListedSession, "markdown">,
): string | null {
  return markdown === null ? null : join(places.archive, ...markdown.split("/"));
}

/** Finds out which logs on disk are archived. */
interface ArchiveState {
  knownOf(log: LogFiles): ListedSession | undefined;
  /** Whether the archive has all its files in their present state, judged by size and time; nothing is read. */
  holds(log: LogFiles): boolean;
}

export function archiveState(sessions: readonly ListedSession[]): ArchiveState {
  const known = byLogKey(sessions);
  return {
    knownOf: (log) => known.get(logKey(log)),
    holds: (log) => {
      const kept = known.get(logKey(log));
      if (kept === undefined) return false;
      const files = new Map(kept.files.map((file) => [file.path, file]));
      return log.files.every((file) => {
        const isIt = (other: ListedFile | undefined): boolean =>
          other?.path === file.path && other.role === file.role && sameMark(other, file);
        return isIt(files.get(file.path)) || kept.aside.some(isIt);
      });
    },
  };
}
