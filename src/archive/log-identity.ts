import { createHash } from "node:crypto";
import type { LogFiles, SessionFile, SessionFiles } from "../agents/agent.ts";
import { rootOfFile } from "../agents/find-sessions.ts";
import { isPacked, unpackedPath } from "../agents/packed-log.ts";
import { splitByLog } from "../agents/session-copies.ts";
import { sessionOfLog } from "../agents/session-of-log.ts";
import { ArchiveDamage } from "../fs/damage.ts";
import type { Disk } from "../fs/disk.ts";
import { errorCode } from "../fs/disk-error.ts";
import type { Library } from "../fs/library.ts";
import { createRealPaths } from "../fs/real-path.ts";
import { type LogKey, logKey } from "../session/session.ts";
import type { ListedSession } from "./archive-store.ts";
import { compareUnpacked } from "./compare-unpacked.ts";
import { forgottenSessions, openArchive } from "./open-archive.ts";
import { lastOwnWrite } from "./own-writes.ts";
import { copyHash } from "./raw/generations.ts";

/*
 * Maps log files to their names in the store. A log is identified by its agent, its session id, and the path at which
 * it was first archived. It stays the same log when it is moved.
 */

/** A log that the store knows: archived, or forgotten. */
interface KnownLog extends LogKey {
  /** Its last known path; null if that was never recorded. */
  readonly path: string | null;
  readonly inode: number | null;
  readonly isForgotten: boolean;
}

/** Finds which logs on disk are which logs in the store. */
export interface LogIdentities {
  /**
   * The logs of a session, each with its own files and its name. A log that the store does not know gets a new name,
   * which is reserved from then on.
   */
  of(session: SessionFiles): readonly LogFiles[];
}

/** Reads what the store knows now; `sessions` avoids listing the archive again. */
export function logIdentities(library: Library, sessions?: readonly ListedSession[]): LogIdentities {
  const archived = sessions ?? openArchive(library).list().sessions;
  const known = new Map<string, KnownLog[]>();
  const parts = new Map<string, LogKey>();
  const add = (log: KnownLog): void => {
    const others = known.get(log.id);
    if (others === undefined) known.set(log.id, [log]);
    else others.push(log);
  };
  for (const session of archived) {
    // A log of another machine is never one of this machine, even with the same path, inode or bytes.
    if (session.origin !== null) continue;
    const { agent, id, copy, files } = session;
    const [lead] = files;
    add({ agent, id, copy, path: lead?.path ?? null, inode: lead?.inode ?? null, isForgotten: false });
    for (const { path } of files) parts.set(`${id}\0${path}`, session);
  }
  for (const { agent, id, copy, path, inode, origin } of forgottenSessions(library).stones)
    if (origin === null) add({ agent, id, copy, path, inode, isForgotten: true });

  return {
    of(session) {
      const { agent, id } = session;
      const logs = known.get(id) ?? [];
      const hasLog = session.files.some(({ role }) => role === "main");
      if (!hasLog) {
        // Only fragments are left of it: they belong to the log that they were archived with.
        const whole = session.files[0] && parts.get(`${id}\0${session.files[0].path}`);
        return [{ ...session, agent: whole?.agent ?? agent, copy: whole?.copy ?? null }];
      }
      const named =
        logs.length === 0
          ? nameNew(library, session, splitByLog(session.files), new Set())
          : resolve(library, session, logs);
      for (const {
        copy,
        agent: owner,
        files: [lead],
      } of named) {
        if (lead === undefined || logs.some(({ path }) => path === lead.path)) continue;
        add({ agent: owner, id, copy, path: lead.path, inode: lead.inode, isForgotten: false });
      }
      return named;
    },
  };
}

/**
 * Names a log by what the store knows now. Another process may have named copies of it since it was selected.
 * Requires the store's lock.
 */
export function identifyAgain(library: Library, log: LogFiles): LogFiles {
  const { agent, id, files } = log;
  return logIdentities(library).of({ agent, id, files })[0] ?? log;
}

/** The log at a path, with its files; undefined if no agent has a log there. */
export function logAt(library: Library, path: string): LogFiles | undefined {
  const session = sessionOfLog(library, path);
  if (session === undefined) return undefined;
  const logs = logIdentities(library).of(session);
  const real = createRealPaths(library.disk);
  const isAt = (is: (file: SessionFile) => boolean): LogFiles | undefined =>
    logs.find(({ files }) => files.some(is));
  return isAt((file) => file.path === path) ?? isAt((file) => real(file.path) === real(path)) ?? logs[0];
}

/**
 * Finds the known log of each log on disk: by its path; by the path without links; or, if its old place is empty,
 * because it was packed or unpacked there, or moved (the same file, or the same bytes). Any other log is new.
 */
function resolve(library: Library, session: SessionFiles, logs: readonly KnownLog[]): readonly LogFiles[] {
  const parts = splitByLog(session.files);
  const found = new Map<readonly SessionFile[], KnownLog>();
  const free = new Set(logs.filter(({ path }) => path !== null));
  const match = (is: (log: KnownLog, lead: SessionFile) => boolean): void => {
    for (const part of parts) {
      const [lead] = part;
      if (lead === undefined || found.has(part)) continue;
      const log = [...free].find((each) => is(each, lead));
      if (log === undefined) continue;
      found.set(part, log);
      free.delete(log);
    }
  };
  match(({ path }, lead) => path === lead.path);
  if (found.size < parts.length && free.size > 0) {
    const real = createRealPaths(library.disk);
    match(({ path }, lead) => path !== null && real(path) === real(lead.path));
    match(
      ({ path }, lead) =>
        path !== null && unpackedPath(path) === unpackedPath(lead.path) && isGone(library, path),
    );
    const isMoved = new Map([...free].map((log) => [log, isGone(library, log.path ?? "")]));
    match(
      (log, lead) =>
        isMoved.get(log) === true && (log.inode === lead.inode || isRewritten(library, log, lead)),
    );
    match((log, lead) => isMoved.get(log) === true && !log.isForgotten && hasBytesOf(library, log, lead));
    // A forgotten session must not come back under another name.
    match((log) => isMoved.get(log) === true && log.isForgotten);
  }
  const taken = new Set(logs.map(({ copy }) => copy));
  const rest = nameNew(
    library,
    session,
    parts.filter((part) => !found.has(part)),
    taken,
  );
  const named = [...found].map(([files, { agent, copy }]) => ({ ...session, agent, copy, files }));
  return [...named, ...rest];
}

/** The first log with an id has the id as its name; further ones also have a hash of their place. */
function nameNew(
  library: Library,
  session: SessionFiles,
  parts: readonly (readonly SessionFile[])[],
  taken: ReadonlySet<string | null>,
): readonly LogFiles[] {
  const names = new Set(taken);
  return parts.map((files) => {
    const copy = names.has(null) ? newHash(library, session, files[0]?.path ?? "", names) : null;
    names.add(copy);
    return { ...session, copy, files };
  });
}

function newHash(
  library: Library,
  { agent }: SessionFiles,
  path: string,
  taken: ReadonlySet<string | null>,
): string {
  const root = rootOfFile(library, agent, path);
  // A log that was first archived here and then moved away keeps the hash of this place.
  for (let attempt = 0; ; attempt++) {
    const hash = copyHash(root, path, attempt);
    if (!taken.has(hash)) return hash;
  }
}

function isGone({ disk }: Library, path: string): boolean {
  try {
    return disk.stat(path) === undefined;
  } catch (error) {
    // It may exist: this program may not be allowed to look.
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Whether this is the file that this program last wrote as that log. It may not have been archived since. */
function isRewritten({ disk, places }: Library, log: KnownLog, lead: SessionFile): boolean {
  return lastOwnWrite(disk, places.rewrites, log)?.inode === lead.inode;
}

/**
 * Whether this file starts with everything that the archive has of that log, or with the content that this program
 * last wrote as that log.
 */
function hasBytesOf(library: Library, log: KnownLog, lead: SessionFile): boolean {
  const { disk, places } = library;
  const kept = openArchive(library).get(log);
  const file = kept?.files[0];
  const isSame = [file, lastOwnWrite(disk, places.rewrites, log)].some((state) => {
    if (state === undefined || state.sha256 === null) return false;
    return startsWith(disk, lead, state.size, state.sha256);
  });
  if (isSame || kept === undefined || file === undefined || isPacked(file.path) === isPacked(lead.path))
    return isSame;
  try {
    return compareUnpacked(disk, lead.path, kept, file) !== "different";
  } catch (error) {
    if (error instanceof ArchiveDamage) return false;
    throw error;
  }
}

function startsWith(disk: Disk, { path, size }: SessionFile, bytes: number, sha256: string): boolean {
  if (bytes === 0 || size < bytes) return false;
  try {
    const hash = createHash("sha256");
    for (const chunk of disk.readChunks(path, { to: bytes })) hash.update(chunk);
    return hash.digest("hex") === sha256;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** Leaves out logs that were forgotten. Other logs with the same id stay. */
export function withoutForgotten(
  library: Library,
  sessions: readonly SessionFiles[],
): readonly SessionFiles[] {
  const forgotten = forgottenSessions(library);
  let identities: LogIdentities | undefined;
  return sessions.flatMap((session) => {
    if (!forgotten.hasSession(session)) return [session];
    identities ??= logIdentities(library);
    const left = new Set(
      identities
        .of(session)
        .filter((log) => !forgotten.has(log))
        .flatMap(({ files }) => files),
    );
    return left.size === 0 ? [] : [{ ...session, files: session.files.filter((file) => left.has(file)) }];
  });
}

/** The logs of several sessions, by name. */
export function byLogKey<T extends LogKey>(logs: Iterable<T>): ReadonlyMap<string, T> {
  return new Map(Array.from(logs, (log) => [logKey(log), log]));
}
