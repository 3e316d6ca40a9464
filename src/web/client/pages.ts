import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isAborted } from "./api.ts";
import type { IndexVersion } from "./use-call.ts";

/** A part of a long list. */
export interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  /** What the index had; null: it is not of this machine's index. */
  readonly version: string | null;
}

/** A long list of which only the pages that were looked at are fetched. */
export interface Pages<T, P extends Page<T>> {
  readonly total: number;
  /** These are the rows that were asked for last, not those from before. */
  readonly isCurrent: boolean;
  readonly error: unknown;
  /** The first page, with whatever the answer says beside its items. */
  readonly first: P | undefined;
  at(index: number): T | undefined;
  /** Fetches what is missing of these. */
  need(first: number, last: number): void;
}

interface Loaded<T, P> {
  /** The list that these pages are of. */
  readonly of: string;
  readonly isLoaded: boolean;
  readonly pageSize: number;
  readonly total: number;
  readonly first: P | undefined;
  readonly pages: ReadonlyMap<number, readonly T[]>;
  readonly error: unknown;
}

/**
 * Fetches a list in pages. While the first page of another list is on its way, the old rows stay, so that typing does not
 * flicker. If the index has another version than the list is of, the same list is fetched again: what is in view of it
 * stays until it has come. A list that is on its way is never given up for that.
 */
export function usePages<T, P extends Page<T>>(
  of: string,
  version: IndexVersion,
  pageSize: number,
  fetchPage: (offset: number, signal: AbortSignal) => Promise<P>,
): Pages<T, P> {
  const [loaded, setLoaded] = useState<Loaded<T, P>>({
    of: "",
    isLoaded: false,
    pageSize,
    total: 0,
    first: undefined,
    pages: new Map(),
    error: undefined,
  });
  const requested = useRef(new Set<number>());
  const controller = useRef(new AbortController());

  const asked = useRef<{ readonly of: string; readonly version: string | null | undefined }>(undefined);
  const latest = useRef(version);
  latest.current = version;
  const isOld = (of: string | null | undefined): boolean =>
    of !== null && latest.current !== undefined && of !== latest.current;

  const load = (isRepeated: boolean): void => {
    controller.current.abort();
    const current = new AbortController();
    controller.current = current;
    requested.current = new Set([0]);
    asked.current = { of, version: undefined };
    fetchPage(0, current.signal).then(
      (first) => {
        asked.current = { of, version: first.version };
        setLoaded((before) => ({
          isLoaded: true,
          of,
          pageSize,
          total: first.total,
          first,
          pages: new Map([...(before.of === of ? before.pages : []), [0, first.items]]),
          error: undefined,
        }));
        // The index has changed while it was on its way.
        if (isOld(first.version) && !isRepeated) load(true);
      },
      (error: unknown) => {
        if (isAborted(error)) return;
        asked.current = { of, version: "" };
        setLoaded((before) => ({
          ...before,
          of,
          isLoaded: true,
          error,
          total: 0,
          first: undefined,
          pages: new Map(),
        }));
      },
    );
  };
  // Before the first paint: the list is what one waits for.
  useLayoutEffect(() => {
    const { current } = asked;
    if (current?.of === of && (current.version === undefined || !isOld(current.version))) return;
    load(false);
  }, [of, version]);
  useEffect(() => () => controller.current.abort(), []);

  return useMemo(() => {
    const need = (first: number, last: number): void => {
      if (loaded.of !== of) return;
      for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
        if (requested.current.has(page)) continue;
        requested.current.add(page);
        const wanted = requested.current;
        fetchPage(page * pageSize, controller.current.signal).then(
          ({ items }) => {
            if (wanted === requested.current)
              setLoaded((before) => ({ ...before, pages: new Map(before.pages).set(page, items) }));
          },
          () => wanted.delete(page),
        );
      }
    };
    return {
      ...loaded,
      isCurrent: loaded.of === of && loaded.isLoaded,
      need,
      at: (index) => loaded.pages.get(Math.floor(index / loaded.pageSize))?.[index % loaded.pageSize],
    };
  }, [loaded, of]);
}
