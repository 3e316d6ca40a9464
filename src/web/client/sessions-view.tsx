import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countOf, formatNumber } from "../../render/words.ts";
import type { FoundAnswer, HitLine, ListAnswer, SessionLine } from "../server/answers.ts";
import { CallError, get } from "./api.ts";
import { plainWords } from "./highlight.ts";
import { Home } from "./home.tsx";
import { Icon } from "./icon.tsx";
import { isTyping } from "./keys.ts";
import { type Page, usePages } from "./pages.ts";
import { startAtMatch } from "./passage.ts";
import { goTo, linkTo, linkToSession, type Route, readRoute } from "./route.ts";
import { SessionView } from "./session-view.tsx";
import type { IndexVersion } from "./use-call.ts";
import { VirtualList } from "./virtual-list.tsx";
import { folderName, when } from "./words.ts";

type Row = SessionLine & Partial<Pick<HitLine, "snippets" | "matchingTurns">>;
interface RowsPage extends Page<Row> {
  readonly search?: FoundAnswer;
}

const ROW_HEIGHT = 58;
const HIT_HEIGHT = 98;
/** Passages take time to make, so there are fewer hits in a page. */
const PAGE_SIZE = 60;
const HITS_SIZE = 20;
/** The address follows what is typed after a pause, so that the browser's history is not full of half words. */
const ADDRESS_MS = 400;

/** The sessions: a search and its results, and the session that is chosen. */
export function SessionsView(props: { readonly route: Route; readonly version: IndexVersion }): JSX.Element {
  const { route, version } = props;
  const [query, setQuery] = useState(route.q);
  const isSearch = query.trim() !== "";
  const rows = usePages<Row, RowsPage>(
    query.trim(),
    version,
    isSearch ? HITS_SIZE : PAGE_SIZE,
    (offset, signal) => fetchRows(query.trim(), offset, signal),
  );
  const input = useRef<HTMLInputElement>(null);
  // The query that this view put into the address last: it does not come back from there over what was typed since.
  const addressed = useRef(route.q);
  useEffect(() => {
    if (route.q !== addressed.current) setQuery(route.q);
    addressed.current = route.q;
  }, [route.q]);
  useEffect(() => {
    if (query === route.q) return undefined;
    const timer = setTimeout(() => {
      // The address may be another one since this view was drawn.
      const { view, key, turn } = readRoute(location.hash);
      if (view !== "sessions" && view !== "session") return;
      addressed.current = query;
      goTo(key === null ? linkTo("sessions", query) : linkToSession(key, turn, query), "replace");
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [query, route.q]);

  const selected = useSelected(rows.total, rows.at, route.key);
  const open = (index: number): void => {
    const row = rows.at(index);
    if (row === undefined) return;
    addressed.current = query;
    goTo(linkOf(row, query), route.key === null ? "push" : "replace");
  };
  // Enter means what was typed, also if its rows have not come yet.
  const wantsFirst = useRef(false);
  const enter = (): void => {
    if (rows.isCurrent) open(Math.max(0, selected));
    else wantsFirst.current = true;
  };
  useEffect(() => {
    if (rows.isCurrent && wantsFirst.current) open(0);
    if (rows.isCurrent) wantsFirst.current = false;
  }, [rows.isCurrent]);
  useListKeys({
    move: (by) => open(Math.max(0, Math.min(rows.total - 1, selected + by))),
    focus: () => input.current?.select(),
    leave: () => {
      if (document.activeElement === input.current && query !== "") setQuery("");
      else if (route.key !== null) goTo(linkTo("sessions", query));
    },
  });

  return (
    <>
      <section class="list-pane" aria-label="Sessions">
        <div class="search">
          <Icon name="search" />
          <input
            ref={input}
            type="search"
            value={query}
            placeholder="Search every session"
            aria-label="Search"
            spellcheck={false}
            autocomplete="off"
            autofocus={route.key === null}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") enter();
            }}
          />
          {query === "" ? (
            <kbd>/</kbd>
          ) : (
            <button type="button" class="quiet" aria-label="Empty the search" onClick={() => setQuery("")}>
              <Icon name="clear" />
            </button>
          )}
        </div>
        <Status page={rows.first} error={rows.error} query={query.trim()} onWord={setQuery} />
        {isSearch && rows.isCurrent && rows.error === undefined && rows.total === 0 ? (
          <p class="hint">
            No session has such words. Try fewer, or the beginning of one with a star: <code>migrat*</code>.
          </p>
        ) : null}
        <VirtualList
          label="Sessions"
          total={rows.total}
          rowHeight={isSearch ? HIT_HEIGHT : ROW_HEIGHT}
          selected={selected}
          resetKey={query.trim()}
          onShow={rows.need}
          row={(index) => {
            const row = rows.at(index);
            return row === undefined ? (
              <div class="ghost" />
            ) : (
              <RowLink row={row} query={query} chosen={route.key} />
            );
          }}
        />
      </section>
      {route.key === null ? (
        <Home version={version} />
      ) : (
        <SessionView key={route.key} sessionKey={route.key} turn={route.turn} query={route.q} />
      )}
    </>
  );
}

async function fetchRows(query: string, offset: number, signal: AbortSignal): Promise<RowsPage> {
  if (query === "") {
    const { total, sessions } = await get<ListAnswer>("list", { offset, limit: PAGE_SIZE }, signal);
    return { total, items: sessions };
  }
  const search = await get<FoundAnswer>("search", { q: query, offset, limit: HITS_SIZE }, signal);
  return { total: search.ranked, items: search.sessions, search };
}

/** A hit opens at its best turn. */
function linkOf(row: Row, query: string): string {
  return linkToSession(row.key, row.snippets?.[0]?.turn || null, query);
}

/** The index of the chosen session among the rows that were fetched; -1 if it is not there. */
function useSelected(total: number, at: (index: number) => Row | undefined, key: string | null): number {
  const last = useRef(-1);
  if (key === null) last.current = -1;
  else if (at(last.current)?.key !== key) {
    last.current = -1;
    for (let index = 0; index < total && at(index) !== undefined; index++)
      if (at(index)?.key === key) {
        last.current = index;
        break;
      }
  }
  return last.current;
}

interface ListKeys {
  readonly move: (by: number) => void;
  readonly focus: () => void;
  readonly leave: () => void;
}

function useListKeys(keys: ListKeys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { move, focus, leave } = current.current;
      const isInSearch = event.target instanceof HTMLInputElement && event.target.type === "search";
      const isModified = event.ctrlKey || event.metaKey || event.altKey;
      if (isModified) return;
      if (event.key === "Escape" && document.querySelector("dialog[open]") === null) leave();
      else if (event.key === "ArrowDown" && isInSearch) move(1);
      else if (event.key === "ArrowUp" && isInSearch) move(-1);
      else if (isTyping(event)) return;
      else if (event.key === "/") focus();
      else if (event.key === "j") move(1);
      else if (event.key === "k") move(-1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

interface StatusProps {
  readonly page: RowsPage | undefined;
  readonly error: unknown;
  readonly query: string;
  readonly onWord: (query: string) => void;
}

/** How many there are, and what else could have been meant. */
function Status({ page, error, query, onWord }: StatusProps): JSX.Element {
  if (error instanceof CallError) {
    return (
      <p class="status" role="status">
        {error.message}
        {error.hint === null ? "" : `: ${error.hint}`}
      </p>
    );
  }
  const search = page?.search;
  if (page === undefined) return <p class="status" role="status" />;
  if (search === undefined)
    return <p class="status" role="status">{`${countOf(page.total, "session")}, newest first`}</p>;
  const { total, ranked, match, totalIsExact, nearestWords } = search;
  const all = `${totalIsExact ? "" : "about "}${countOf(total, "session")}`;
  const words =
    total === 0 && ranked === 0
      ? "Nothing found"
      : match === "some"
        ? `${countOf(ranked, "session")} ${othersWords(ranked, query)}`
        : ranked > total
          ? `${all}, and ${formatNumber(ranked - total)} ${othersWords(ranked - total, query)}`
          : all;
  return (
    <p class="status" role="status">
      {words}
      {nearestWords
        .filter(({ nearest }) => nearest.length > 0)
        .map(({ word, nearest }) => (
          <span key={word}>
            {" · "}no “{word}”, but{" "}
            {nearest.slice(0, 3).map((near) => (
              <button key={near} type="button" class="word" onClick={() => onWord(query.replace(word, near))}>
                {near}
              </button>
            ))}
          </span>
        ))}
    </p>
  );
}

/** What is said of sessions that lack words of a query: of one word there are no some. */
function othersWords(count: number, query: string): string {
  if (plainWords(query).length > 1) return "with some of the words";
  return count === 1 ? "that nearly matches" : "that nearly match";
}

interface RowProps {
  readonly row: Row;
  readonly query: string;
  readonly chosen: string | null;
}

function RowLink({ row, query, chosen }: RowProps): JSX.Element {
  const [best] = row.snippets ?? [];
  return (
    <a
      class={`entry ${row.state}`}
      href={linkOf(row, query)}
      aria-current={row.key === chosen ? "true" : undefined}
    >
      <span class="line">
        <b class="title" title={row.title ?? ""}>
          {row.title ?? "Untitled"}
        </b>
        <time>{when(row.endedAt)}</time>
      </span>
      <span class="line soft">
        <span class={`agent ${row.agent}`}>{row.agent}</span>
        <span class="project" title={row.project ?? ""}>
          {folderName(row.project)}
          {row.branch === null || row.branch === "" ? "" : ` · ${row.branch}`}
        </span>
        <Marks row={row} />
      </span>
      {best === undefined ? null : (
        <span class="snippet">
          <i>{best.turn > 0 ? `turn ${best.turn}` : best.role}</i> <Highlighted {...startAtMatch(best)} />
        </span>
      )}
    </a>
  );
}

function Marks({ row }: { readonly row: Row }): JSX.Element {
  return (
    <span class="marks">
      {row.state === "live" ? <em class="chip live">running</em> : null}
      {row.state === "kept" ? <em class="chip kept">only in archive</em> : null}
      {row.matchingTurns === undefined || row.matchingTurns < 2 ? (
        <span>{countOf(row.turns, "turn")}</span>
      ) : (
        <span>{`${row.matchingTurns} matches`}</span>
      )}
    </span>
  );
}

/** A passage with its matches marked. */
export function Highlighted(props: {
  readonly text: string;
  readonly highlights: readonly (readonly [number, number])[];
}): JSX.Element {
  const parts: (string | JSX.Element)[] = [];
  let from = 0;
  for (const [start, end] of props.highlights) {
    if (start < from) continue;
    parts.push(props.text.slice(from, start), <mark key={start}>{props.text.slice(start, end)}</mark>);
    from = end;
  }
  return (
    <>
      {parts}
      {props.text.slice(from)}
    </>
  );
}
