import { join } from "node:path";
import { agentNames } from "../../agents/agents.ts";
import type { Disk } from "../../fs/disk.ts";
import { type FolderMark, markOfPaths, namesIn } from "../../fs/folders.ts";
import { sweepTempFiles } from "../../fs/sweep-temp-files.ts";
import type { LogKey } from "../../session/session.ts";
import type { ArchiveStore, ListedSession } from "../archive-store.ts";
import { type CatalogEntry, catalogKey, catalogPath, writeCatalog } from "./catalog.ts";
import { type FoundEntries, findEntries, readEntry, withNoteOf } from "./find-entries.ts";
import {
  beginGeneration,
  copiesNamed,
  folderNameOf,
  generationNumbers,
  newestIntact,
  readGeneration,
  sessionFolder,
  writeManifest,
} from "./generations.ts";
import { keptSession } from "./kept-session.ts";
import { putSession } from "./put-session.ts";
import { tidySession, tidyUnfinished } from "./tidy-session.ts";
import { verifySession } from "./verify-session.ts";

/**
 * The archive on this disk: below `raw`, a folder per session with its generations. Reading needs no lock; a writer
 * holds the lock of the store and closes the archive at the end.
 */
export function openRawArchive(disk: Disk, raw: string): ArchiveStore {
  let loaded: { readonly entries: Map<string, CatalogEntry>; readonly found: FoundEntries } | undefined;
  let hasChanged = false;
  /** The names of each agent's session folders, remembered until something is put. */
  const folderNames = new Map<string, readonly string[]>();

  const load = (): NonNullable<typeof loaded> => {
    if (loaded !== undefined) return loaded;
    const found = findEntries(disk, raw);
    loaded = { entries: new Map(found.entries), found };
    hasChanged ||= found.isStale;
    return loaded;
  };

  /** Reads the present manifests. */
  const refresh = (session: LogKey): ListedSession | undefined => {
    const { entries } = load();
    const key = keyOf(session);
    const found = readEntry(disk, sessionFolder(raw, session), session.agent, folderNameOf(session));
    if (found.kind !== "listed") return undefined;
    const entry = withNoteOf(entries.get(key), found.entry);
    entries.set(key, entry);
    hasChanged = true;
    return entry.session;
  };

  return {
    list() {
      const { entries, found } = load();
      return { sessions: [...entries.values()].map(({ session }) => session), unreadable: found.unreadable };
    },
    copies(session) {
      const { agent } = session;
      const names = folderNames.get(agent) ?? namesIn(disk, join(raw, agent));
      folderNames.set(agent, names);
      return copiesNamed(session, names);
    },
    get(session, generation) {
      const folder = sessionFolder(raw, session);
      const numbers = generationNumbers(disk, folder);
      if (generation === undefined) {
        const manifest = newestIntact(disk, folder, session, numbers);
        return manifest === undefined ? undefined : keptSession(disk, folder, manifest, numbers);
      }
      const found = readGeneration(disk, folder, generation, session);
      return found.kind === "good" ? keptSession(disk, folder, found.manifest, numbers) : undefined;
    },
    put(session, files, options = {}) {
      folderNames.clear();
      const { wrote, ...done } = putSession(disk, sessionFolder(raw, session), session, files, options);
      const known = wrote ? undefined : load().entries.get(keyOf(session))?.session;
      return { ...done, session: known ?? refresh(session) };
    },
    repeat(session, generation) {
      const folder = sessionFolder(raw, session);
      const numbers = generationNumbers(disk, folder);
      const found = readGeneration(disk, folder, generation, session);
      if (found.kind === "damaged") return undefined;
      // Generations that were put aside do not count.
      if (newestIntact(disk, folder, session, numbers)?.generation !== generation) {
        const next = (numbers.at(-1) ?? 0) + 1;
        const begun = beginGeneration(disk, folder, next);
        writeManifest(disk, begun.folder, { ...found.manifest, generation: next, isAside: false });
        begun.finish();
      }
      return refresh(session);
    },
    prove: (session) => verifySession(disk, sessionFolder(raw, session), session),
    setNote(session, note) {
      const { entries } = load();
      const entry = entries.get(keyOf(session));
      if (entry === undefined || entry.session.note === note) return;
      entries.set(keyOf(session), { ...entry, session: { ...entry.session, note } });
      hasChanged = true;
    },
    close() {
      if (loaded === undefined || !hasChanged || disk.stat(raw) === undefined) return;
      tidy(disk, raw, loaded.found.unexpected);
      writeCatalog(disk, raw, loaded.entries.values());
      hasChanged = false;
    },
  };
}

/**
 * Changes whenever sessions are added or removed: a new one has its own folder, and every run that writes ends with
 * the catalog.
 */
export function rawArchiveMark(disk: Disk, raw: string): FolderMark {
  return markOfPaths(disk, [catalogPath(raw), ...agentNames().map((agent) => join(raw, agent))]);
}

function keyOf(session: LogKey): string {
  return catalogKey(session.agent, folderNameOf(session));
}

/** Removes leftovers of killed runs. Requires the store's lock. */
function tidy(disk: Disk, raw: string, folders: readonly string[]): void {
  sweepTempFiles(disk, raw, { now: Number.POSITIVE_INFINITY });
  for (const folder of folders) {
    const newest = generationNumbers(disk, folder).at(-1);
    if (newest === undefined) tidyUnfinished(disk, folder);
    else {
      const found = readGeneration(disk, folder, newest);
      if (found.kind === "good") tidySession(disk, folder, found.manifest);
    }
  }
}
