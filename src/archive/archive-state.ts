import type { SessionFiles } from "../agents/agent.ts";
import { sameMark } from "../fs/disk.ts";
import { sessionKey } from "../fs/library.ts";
import type { ListedFile, ListedSession } from "./archive-store.ts";

/** What the archive has, to be asked for the sessions on disk. */
export interface ArchiveState {
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
