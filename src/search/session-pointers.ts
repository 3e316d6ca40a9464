import { resolve } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import type { ByteSource } from "../agents/byte-source.ts";
import { diskSource } from "../agents/disk-source.ts";
import { findSessions } from "../agents/find-sessions.ts";
import { projectInHead } from "../agents/project-of-log.ts";
import { archivedSessions } from "../archive/archived-sessions.ts";
import { forgottenSessions } from "../archive/open-archive.ts";
import { type Library, sessionKey } from "../fs/library.ts";
import type { Agent } from "../session/entry.ts";
import { type HistoryStub, historyStubs } from "./history-stubs.ts";

/** A session that is known by its files and not yet read. */
export interface SessionPointer {
  readonly key: string;
  readonly agent: Agent;
  readonly id: string;
  readonly files: SessionFiles;
  /** The file that the user named by its path: of several copies of a log it is the one that is meant. */
  readonly named?: string;
  /** Set where the agent's own files are gone: the archive has the bytes. */
  readonly kept?: ByteSource;
  /** Set where only its prompts are left. */
  readonly stub?: HistoryStub;
  /** The readable copy; null where there is none. */
  readonly archive: string | null;
}

export interface SessionPointers {
  all(): readonly SessionPointer[];
  /** Looks into the projects of all sessions too, and into the history of prompts. Slower: every log's head is read. */
  widen(): SessionPointers;
  withId(id: string): SessionPointer | undefined;
  newestFirst(): readonly SessionPointer[];
  /** Read from the head of its log. */
  projectOf(pointer: SessionPointer): string | null;
  pointTo(files: SessionFiles): SessionPointer;
  /** Makes a path as the user typed it absolute. */
  resolve(path: string): string;
}

/** Names every session without reading one: enough to find those that a selector means. */
export function sessionPointers(
  library: Library,
  projectFolders: readonly string[] = [],
  isWide = false,
): SessionPointers {
  const logs = diskSource(library.disk);
  const archived = new Map(archivedSessions(library).map((session) => [sessionKey(session.files), session]));
  const forgotten = forgottenSessions(library);
  const projects = new Map<string, string | null>();
  const pointTo = (files: SessionFiles): SessionPointer => {
    const key = sessionKey(files);
    return { key, agent: files.agent, id: files.id, files, archive: archived.get(key)?.markdown ?? null };
  };
  const projectOf = (pointer: SessionPointer): string | null => {
    const known = projects.get(pointer.key);
    if (known !== undefined) return known;
    const path = pointer.files.files[0]?.path ?? "";
    const project = projectInHead(pointer.agent, path, (pointer.kept ?? logs).head(path));
    projects.set(pointer.key, project);
    return project;
  };
  const here = findSessions(library, projectFolders)
    .sessions.filter((files) => !forgotten.has(files))
    .map(pointTo);
  const isHere = new Set(here.map(({ key }) => key));
  const kept = [...archived.values()]
    .filter(({ files }) => !isHere.has(sessionKey(files)))
    .map(({ files, source }): SessionPointer => ({ ...pointTo(files), kept: source }));
  const found = [
    ...here,
    ...kept,
    ...(isWide ? stubPointers(library, new Set([...isHere, ...archived.keys()])) : []),
  ];
  return {
    all: () => found,
    widen: () =>
      sessionPointers(
        library,
        [...new Set(found.map(projectOf).filter((project) => project !== null))],
        true,
      ),
    withId: (id) =>
      found.find((pointer) => pointer.id === id || pointer.id === id.toLowerCase() || pointer.key === id),
    newestFirst: () => found.toSorted((a, b) => changedAt(b) - changedAt(a)),
    projectOf,
    pointTo,
    resolve: (path) => resolve(library.surroundings.folder, path),
  };
}

/** Sessions of which only the prompts are left. */
function stubPointers(library: Library, known: ReadonlySet<string>): readonly SessionPointer[] {
  if (library.demo) return [];
  return historyStubs(library, (session) => known.has(sessionKey(session))).stubs.map((stub) => {
    const files = { agent: stub.agent, id: stub.id, files: [] };
    return { key: sessionKey(stub), agent: stub.agent, id: stub.id, files, stub, archive: null };
  });
}

function changedAt(pointer: SessionPointer): number {
  return Math.max(...pointer.files.files.map((file) => file.mtimeMs));
}
