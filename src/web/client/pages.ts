import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isAborted } from "./api.ts";
import type { IndexVersion } from "./use-call.ts";

/** A part of a long list. */
export interface Page<T> {
  readonly total: number;
  readonly items: readonly T[];
  /** The version of the index; null: it does not come from this machine's index. */
  readonly version: string | null;
}

/** A long list of which only the viewed pages are fetched. */
export interface Pages<T, P extends Page<T>> {
  readonly total: number;
  /** Whether these rows belong to the last request, not to an earlier one. */
  readonly isCurrent: boolean;
  readonly error: unknown;
  /** The first page, with everything in the answer besides its items. */
  readonly first: P | undefined;
  at(index: number): T | undefined;
  /** Fetches those of these rows that are missing. */
  need(first: number, last: number): void;
}

interface Loaded<T, P> {
  /** The list that these pages belong to. */
  readonly of: string;
  readonly isLoaded: boolean;
  readonly pageSize: number;
  readonly total: number;
  readonly first: P | undefined;
  readonly pages: ReadonlyMap<number, readonly T[]>;
  readonly error: unknown;
}

/**
 * Fetches a list in pages. While the first page of another list is being fetched, the old rows stay, so that typing
 * does not flicker. If the index has another version than the list, the same list is fetched again, and its visible
 * part stays until then. A list that is being fetched is never given up for that.
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
        // The index has changed while it was being fetched.
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
  // Before the first paint, because the user waits for the list.
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
