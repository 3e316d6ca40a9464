import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isAborted } from "./api.ts";
import type { IndexVersion } from "./use-call.ts";

/** A part of a long list. */
export interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
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
 * flicker. `version` has the same list fetched again: what is in view of it stays until it has come.
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

  useEffect(() => {
    controller.current.abort();
    const current = new AbortController();
    controller.current = current;
    requested.current = new Set([0]);
    fetchPage(0, current.signal).then(
      (first) => {
        setLoaded((before) => ({
          isLoaded: true,
          of,
          pageSize,
          total: first.total,
          first,
          pages: new Map([...(before.of === of ? before.pages : []), [0, first.items]]),
          error: undefined,
        }));
      },
      (error: unknown) => {
        if (isAborted(error)) return;
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
    return () => current.abort();
  }, [of, version]);

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
