import type { Digest } from "../extract/digest.ts";
import { IndexDamage } from "../fs/damage.ts";
import type { Library } from "../fs/library.ts";
import { once } from "../fs/once.ts";
import { foldRepeats, type PendingSession, pendingWork, projectOfFolder } from "./pending-work.ts";
import { type IndexAccess, type OpenIndex, openIndex } from "./refresh/index-access.ts";
import { readRows, type SearchRequest, type SearchResult, searchOne } from "./search-sessions.ts";
import {
  type CatalogRow,
  type ListOptions,
  listFrom,
  readSessionCatalog,
  type SessionCatalog,
  type SessionList,
} from "./session-catalog.ts";

/** Answers a series of questions from an index that stays open, for front ends that search with every key stroke. */
export interface Searcher {
  search(request: SearchRequest): Promise<SearchResult>;
  list(options: ListOptions): Promise<SessionList>;
  /** Open work, of one project or of all, each item of a project once. */
  pending(project: string | undefined): Promise<readonly PendingSession[]>;
  /** The project of the library's folder; undefined if it has no sessions. */
  project(): Promise<string | undefined>;
  /** The digest of a session. */
  digest(row: CatalogRow): Promise<Digest | undefined>;
  /** Checks for changed logs before the next answer, even if the last check was just now. */
  expire(): void;
  close(): Promise<void>;
}

/** Changed logs are looked for again after this time. */
const FRESH_MS = 5_000;

/** Opens the index after refreshing it. Answers are given one after the other; damage has the index rebuilt. */
export async function openSearcher(library: Library, access: IndexAccess): Promise<Searcher> {
  const { now, environment } = library;
  // An index in memory is never opened again: everything would be read again.
  let isInMemory = library.demo;
  const watched: IndexAccess = {
    ...access,
    onUnwritable(error) {
      isInMemory = true;
      access.onUnwritable?.(error);
    },
  };
  let current: OpenCatalog = await openCatalog(library, watched);
  let expiresAt = now() + FRESH_MS;
  let last: Promise<unknown> = Promise.resolve();

  const replace = async (how: IndexAccess): Promise<void> => {
    const next = await openCatalog(library, how);
    await current.reader.close();
    current = next;
    expiresAt = now() + FRESH_MS;
  };
  const answer = async <T>(question: (open: OpenCatalog) => Promise<T>): Promise<T> => {
    try {
      if (now() >= expiresAt && !isInMemory) await replace(watched);
      return await question(current);
    } catch (error) {
      if (!(error instanceof IndexDamage)) throw error;
      await replace({ ...watched, rebuild: true });
      return question(current);
    }
  };
  /** A reader must not be replaced while it answers. */
  const queued = <T>(question: (open: OpenCatalog) => Promise<T>): Promise<T> => {
    const asked = last.then(() => answer(question));
    last = asked.catch(() => {});
    return asked;
  };

  return {
    search: (request) =>
      queued(({ reader, refreshed, rows }) => searchOne(library, reader, rows, refreshed, request)),
    list: (options) => queued(async ({ catalog }) => listFrom(await catalog(), options)),
    pending: (project) =>
      queued(async ({ catalog }) => {
        const open = pendingWork((await catalog()).rows);
        return foldRepeats(open.filter(({ row }) => project === undefined || row.digest.project === project));
      }),
    project: () => queued(async ({ catalog }) => projectOfFolder((await catalog()).rows, environment.folder)),
    digest: (row) => queued(async ({ catalog }) => (await catalog()).digestOf(row)),
    expire() {
      expiresAt = Number.NEGATIVE_INFINITY;
    },
    close: () => last.then(() => current.reader.close()),
  };
}

interface OpenCatalog extends OpenIndex {
  readonly rows: () => ReturnType<typeof readRows>;
  readonly catalog: () => Promise<SessionCatalog>;
}

async function openCatalog(library: Library, access: IndexAccess): Promise<OpenCatalog> {
  const open = await openIndex(library, access);
  return {
    ...open,
    rows: once(() => readRows(open.reader)),
    catalog: once(() => readSessionCatalog(library, open.reader, open.refreshed)),
  };
}
