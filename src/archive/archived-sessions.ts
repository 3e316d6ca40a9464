import { join } from "node:path";
import type { SessionFiles } from "../agents/agent.ts";
import type { ByteSource } from "../agents/byte-source.ts";
import { sameMark } from "../fs/disk.ts";
import type { Library } from "../fs/library.ts";
import { sessionKey } from "../session/session.ts";
import { archiveSource, sessionFilesOf } from "./archive-source.ts";
import type { ListedFile, ListedSession } from "./archive-store.ts";
import { forgottenSessions, openArchive } from "./open-archive.ts";

/** A session as the archive has it, ready to be read. */
export interface ArchivedSession {
  /** Under the paths that they had. The leading log first. */
  readonly files: SessionFiles;
  /** Reads those files from the archive. Nothing is opened before it is asked. */
  readonly source: ByteSource;
  readonly generation: number;
  /** Changes with the archived bytes, and with nothing else. */
  readonly state: string;
  /** The readable copy; null if there is none yet. */
  readonly markdown: string | null;
  /** Of all files, and of what the archive needs for them. */
  readonly bytes: number;
  readonly storedBytes: number;
}

/** Every archived session, in no order. Only the catalog of the archive is read. */
export function archivedSessions(library: Library): readonly ArchivedSession[] {
  if (library.demo) return [];
  const archive = openArchive(library);
  const forgotten = forgottenSessions(library);
  return archive
    .list()
    .sessions.filter((session) => !forgotten.has(session))
    .map((session) => ({
      files: sessionFilesOf(session),
      source: archiveSource(() => archive.get(session)),
      generation: session.generation,
      state: session.state,
      markdown: markdownPath(library, session),
      bytes: session.bytes,
      storedBytes: session.storedBytes,
    }));
}

/** Where the readable copy of a session is; null if it has none. */
export function markdownPath(
  { places }: Pick<Library, "places">,
  { markdown }: Pick<ListedSession, "markdown">,
): string | null {
  return markdown === null ? null : join(places.archive, ...markdown.split("/"));
}

/** What the archive has, to be asked for the sessions on disk. */
interface ArchiveState {
  /** By its files, for content may have shown it to be another agent's than its folder says. */
  knownOf(group: SessionFiles): ListedSession | undefined;
  /** Are all its files in the archive as they are now? Of sizes and times: nothing is read. */
  holds(group: SessionFiles): boolean;
}

export function archiveState(sessions: readonly ListedSession[]): ArchiveState {
  const byPath = new Map<string, ListedSession>();
  for (const session of sessions) {
    for (const { path } of session.files) byPath.set(path, session);
    byPath.set(sessionKey(session), session);
  }
  const knownOf = (group: SessionFiles): ListedSession | undefined => {
    const found = byPath.get(group.files[0]?.path ?? "");
    return found?.id === group.id ? found : byPath.get(sessionKey(group));
  };
  return {
    knownOf,
    holds: (group) => {
      const known = knownOf(group);
      if (known === undefined) return false;
      const files = new Map(known.files.map((file) => [file.path, file]));
      return group.files.every((file) => {
        const isIt = (kept: ListedFile | undefined): boolean =>
          kept?.path === file.path && kept.role === file.role && sameMark(kept, file);
        return isIt(files.get(file.path)) || known.aside.some(isIt);
      });
    },
  };
}
