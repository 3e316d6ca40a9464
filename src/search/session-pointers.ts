import { basename, dirname, resolve } from "node:path";
import type { LogFiles } from "../agents/agent.ts";
import { type ByteSource, diskSource } from "../agents/byte-source.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { projectInHead } from "../agents/session-of-log.ts";
import { archivedLogs, hasLog, leftOvers, listArchive, withLeftOvers } from "../archive/archived-sessions.ts";
import { byLogKey, logIdentities } from "../archive/log-identity.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import type { Library } from "../fs/library.ts";
import { createRealPaths } from "../fs/real-path.ts";
import { type LogKey, logKey, sessionKey } from "../session/session.ts";
import { type HistoryStub, historyStubs } from "./history-stubs.ts";

/** A log that is known by its name and not yet read. */
export interface SessionPointer extends LogKey {
  readonly key: string;
  /** The log and its other files. */
  readonly files: LogFiles;
  /** Where other logs with the same id are, or were if only the archive has them. */
  readonly others: readonly string[];
  /** Set if an id of several logs was named and this one was taken: where they are. */
  readonly chosenFrom?: readonly string[];
  /** Set if the user named a file of the session that is not its log: that file. */
  readonly part?: string;
  /** Set if the user named a log that was forgotten: it is read nevertheless. */
  readonly isForgotten?: true;
  /** Set if the agent's own files are gone: the archive has the bytes. */
  readonly kept?: ByteSource;
  /** The name of the machine that it was pulled from; absent: this one. */
  readonly machine?: string;
  /** Set if only its prompts are left. */
  readonly stub?: HistoryStub;
  /** The readable copy; null if there is none. */
  readonly archive: string | null;
}

/** When sessions ended by the times in their logs. */
type EndTimes = ReadonlyMap<string, number> | undefined;

export interface SessionPointers {
  /** Every log. Those with one id are one session. */
  all(): readonly SessionPointer[];
  /** Adds the logs in all project folders and the prompt histories. Slower: reads the head of every log. */
  widen(): SessionPointers;
  /** All logs with this id. */
  withId(id: string): readonly SessionPointer[];
  /** The log at this path, or else the one that the file there belongs to. The path may contain links. */
  at(path: string): SessionPointer | undefined;
  /** The only log with the file name of a path whose folder is gone, because its project was renamed. */
  movedFrom(path: string): SessionPointer | undefined;
  /** In the order of lists; without `endedAt` by the time of files. */
  newestFirst(endedAt?: EndTimes): readonly SessionPointer[];
  /** Reads the project from the head of the log. */
  projectOf(pointer: SessionPointer): string | null;
  pointTo(files: LogFiles): SessionPointer;
  /** Makes a path as the user typed it absolute. */
  resolve(path: string): string;
}

/** Names every log without reading one: enough to find those that a selector means. */
export function sessionPointers(
  library: Library,
  projectFolders: readonly string[] = [],
  isWide = false,
): SessionPointers {
  const logs = diskSource(library.disk);
  const listed = listArchive(library);
  const { sessions } = findSessions(library, projectFolders);
  const inArchive = archivedLogs(library, listed);
  const left = leftOvers(inArchive, sessions);
  const archived = byLogKey(
    withLeftOvers(inArchive, left, logs).map((session) => ({ ...session, ...nameOf(session.files) })),
  );
  const forgotten = forgottenSessions(library);
  const projects = new Map<string, string | null>();
  const pointTo = (files: LogFiles): SessionPointer => {
    const key = logKey(files);
    return { ...nameOf(files), key, files, others: [], archive: archived.get(key)?.markdown ?? null };
  };
  const projectOf = (pointer: SessionPointer): string | null => {
    const known = projects.get(pointer.key);
    if (known !== undefined) return known;
    const path = leadOf(pointer);
    const project = projectInHead(pointer.agent, path, (pointer.kept ?? logs).head(path));
    projects.set(pointer.key, project);
    return project;
  };
  const here = sessions
    .filter((files) => !left.has(files))
    .flatMap(logIdentities(library, listed).of)
    .filter((files) => !forgotten.has(files))
    .map(pointTo);
  const isHere = new Set(here.map(({ key }) => key));
  const kept = [...archived]
    .filter(([key]) => !isHere.has(key))
    .map(([, { files, source, machines }]): SessionPointer => {
      const machine = machines[files.files[0]?.path ?? ""];
      return { ...pointTo(files), kept: source, ...(machine === undefined ? {} : { machine }) };
    });
  const known = new Set([...here, ...kept].map(sessionKey));
  const found = [...here, ...kept, ...(isWide ? stubPointers(library, known) : [])];
  return {
    all: () => found,
    widen: () =>
      sessionPointers(
        library,
        [...new Set(found.map(projectOf).filter((project) => project !== null))],
        true,
      ),
    withId: (id) => {
      const first = found.find(
        (pointer) =>
          pointer.id === id ||
          pointer.id === id.toLowerCase() ||
          pointer.key === id ||
          sessionKey(pointer) === id,
      );
      if (first === undefined) return [];
      return first.key === id && first.copy !== null
        ? [first]
        : found.filter((pointer) => sessionKey(pointer) === sessionKey(first));
    },
    at: (path) => {
      const real = createRealPaths(library.disk);
      const isHere = (file: string): boolean => file === path;
      const leadsHere = (file: string): boolean => real(file) === real(path);
      for (const is of [isHere, leadsHere]) {
        const log = found.find((pointer) => is(leadOf(pointer)));
        // The first file of a stub is not a log.
        if (log !== undefined) return hasLog(log.files) ? log : { ...log, part: path };
        const whole = found.find(({ files }) => files.files.some((file) => is(file.path)));
        if (whole !== undefined) return { ...whole, part: path };
      }
      return undefined;
    },
    movedFrom: (path) => {
      if (library.disk.stat(dirname(path)) !== undefined) return undefined;
      const [log, other] = found.filter(
        (pointer) =>
          hasLog(pointer.files) &&
          pointer.machine === undefined &&
          path.includes(pointer.id) &&
          basename(leadOf(pointer)) === basename(path),
      );
      return other === undefined ? log : undefined;
    },
    newestFirst: (endedAt) => newestFirst(found, endedAt),
    projectOf,
    pointTo,
    // Paths of other machines do not exist on this one: `desktop:/home/ana/…`.
    resolve: (path) =>
      found.some((pointer) => pointer.machine !== undefined && leadOf(pointer) === path)
        ? path
        : resolve(library.environment.folder, path),
  };
}

/** Where the log is, or was. */
export function leadOf({ files }: SessionPointer): string {
  return files.files[0]?.path ?? "";
}

function nameOf({ agent, id, copy }: LogKey): LogKey {
  return { agent, id, copy };
}

/** Sessions of which only the prompts are left. */
function stubPointers(library: Library, known: ReadonlySet<string>): readonly SessionPointer[] {
  if (library.demo) return [];
  return historyStubs(library, (session) => known.has(sessionKey(session))).stubs.map((stub) => {
    const key = { agent: stub.agent, id: stub.id, copy: null };
    const files = { ...key, files: [] };
    return { ...key, key: logKey(key), files, others: [], stub, archive: null };
  });
}

function changedAt({ files }: { readonly files: LogFiles }): number {
  return files.files.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
}

/** Sorts as lists do: by the end of sessions, then by id, then the file that changed last. */
function newestFirst(pointers: readonly SessionPointer[], endedAt: EndTimes): readonly SessionPointer[] {
  const endOf = (pointer: SessionPointer): number => endedAt?.get(sessionKey(pointer)) ?? changedAt(pointer);
  return pointers.toSorted(
    (a, b) => endOf(b) - endOf(a) || (a.id < b.id ? -1 : a.id > b.id ? 1 : changedAt(b) - changedAt(a)),
  );
}
