import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countOf, formatNumber } from "../../render/words.ts";
import type {
  FoundAnswer,
  HitLine,
  KeepingReply,
  ListAnswer,
  SessionLine,
  TeamsReply,
} from "../server/answers.ts";
import { CallError, get } from "./api.ts";
import { plainWords } from "./highlight.ts";
import { Highlighted } from "./highlighted.tsx";
import { Home, Risk } from "./home.tsx";
import { Icon } from "./icon.tsx";
import { isTyping } from "./keys.ts";
import { PageTools } from "./page-tools.tsx";
import { type Page, usePages } from "./pages.ts";
import { startAtMatch } from "./passage.ts";
import { goTo, linkTo, linkToSession, type Route, readRoute } from "./route.ts";
import { SessionView } from "./session-view.tsx";
import { Tabs } from "./tabs.tsx";
import { TeamHit } from "./team-hit.tsx";
import { type IndexVersion, useCall, versionOf } from "./use-call.ts";
import { VirtualList } from "./virtual-list.tsx";
import { WhereChip } from "./where-chip.tsx";
import { placeName, when } from "./words.ts";

type Row = SessionLine & Partial<HitLine>;
interface RowsPage extends Page<Row> {
  readonly search?: FoundAnswer;
}

const ROW_HEIGHT = 58;
const HIT_HEIGHT = 98;
/** Passages take time to make, so a page has fewer hits. */
const PAGE_SIZE = 60;
const HITS_SIZE = 20;
/** The address follows the query after a pause, so that the browser's history is not full of half words. */
const ADDRESS_MS = 400;

interface SessionsProps {
  readonly route: Route;
  readonly version: IndexVersion;
  readonly onHelp: () => void;
}

/** The sessions: a search and its results, and the chosen session. */
export function SessionsView({ route, version, onHelp }: SessionsProps): JSX.Element {
  const [query, setQuery] = useState(route.q);
  const [team, setTeam] = useState("");
  const teams = useCall<TeamsReply>("teams", {}, "");
  const keeping = useCall<KeepingReply>("keeping", {}, route.key === null ? version : undefined);
  const isSearch = team !== "" || query.trim() !== "";
  const rows = usePages<Row, RowsPage>(
    `${team} ${query.trim()}`,
    version,
    isSearch ? HITS_SIZE : PAGE_SIZE,
    (offset, signal) => fetchRows(query.trim(), team, offset, signal),
  );
  const input = useRef<HTMLInputElement>(null);
  // The query that this view last put into the address: when it comes back from there, it does not replace newer
  // input.
  const addressed = useRef(route.q);
  useEffect(() => {
    if (route.q !== addressed.current) setQuery(route.q);
    addressed.current = route.q;
  }, [route.q]);
  useEffect(() => {
    if (query === route.q) return undefined;
    const timer = setTimeout(() => {
      // The address may have changed since this view was drawn.
      const { view, key, turn } = readRoute(location.hash);
      if (view !== "sessions" && view !== "session") return;
      addressed.current = query;
      goTo(key === null ? linkTo("sessions", query) : linkToSession(key, turn, query), "replace");
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [query, route.q]);

  const shownAt = useSelected(rows.total, rows.at, route.key);
  // Hits of a team are chosen without being opened: most are not here.
  const [teamAt, setTeamAt] = useState(-1);
  const [shownHit, showHit] = useState<HitLine>();
  useEffect(() => setTeamAt(-1), [team, query]);
  const selected = team === "" ? shownAt : teamAt;
  const open = (index: number): void => {
    const row = rows.at(index);
    if (row === undefined) return;
    setTeamAt(index);
    if (isElsewhere(row)) showHit(row);
    else {
      addressed.current = query;
      goTo(linkOf(row, query), route.key === null ? "push" : "replace");
    }
  };
  // Enter applies to the typed query, even if its rows have not arrived yet.
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
    move: (by) => {
      const next = Math.max(0, Math.min(rows.total - 1, selected + by));
      if (team === "") open(next);
      else setTeamAt(next);
    },
    focus: () => input.current?.select(),
    leave: () => {
      if (document.activeElement === input.current && query !== "") setQuery("");
      else if (route.key !== null) goTo(linkTo("sessions", query));
    },
  });

  return (
    <>
      <section class="list-pane" aria-label="Sessions">
        <div class="phone-tools">
          <PageTools onHelp={onHelp} />
        </div>
        <div class="search">
          <Icon name="search" />
          <input
            ref={input}
            type="search"
            value={query}
            placeholder={team === "" ? "Search every session" : `Search ${team}`}
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
        {teams.kind === "answer" && teams.answer.teams.length > 0 ? (
          <Tabs
            label="Where to search"
            tabs={[["", "This machine"], ...teams.answer.teams.map((name) => [name, name] as const)]}
            chosen={team}
            onChoose={setTeam}
          />
        ) : null}
        {keeping.kind === "answer" ? <Risk keeping={keeping.answer} /> : null}
        {team !== "" && (query.trim() === "" || !rows.isCurrent) ? (
          <p class="status" role="status">
            {query.trim() === "" ? `Type what to find in ${team}` : `Searching ${team} …`}
          </p>
        ) : (
          <Status page={rows.first} error={rows.error} query={query.trim()} onWord={setQuery} />
        )}
        {query.trim() !== "" && rows.isCurrent && rows.error === undefined && rows.total === 0 ? (
          <p class="hint">
            No session has such words. Try fewer, or the beginning of one with a star: <code>migrat*</code>.
          </p>
        ) : null}
        <VirtualList
          label="Sessions"
          total={rows.total}
          rowHeight={isSearch ? HIT_HEIGHT : ROW_HEIGHT}
          selected={selected}
          resetKey={`${team} ${query.trim()}`}
          onShow={rows.need}
          row={(index) => {
            const row = rows.at(index);
            return row === undefined ? (
              <div class="ghost" />
            ) : (
              <RowLink
                row={row}
                query={query}
                isChosen={team === "" ? row.key === route.key : index === teamAt}
                onOpen={isElsewhere(row) ? () => open(index) : undefined}
              />
            );
          }}
        />
      </section>
      {route.key === null ? (
        <Home version={version} keeping={keeping} />
      ) : (
        <SessionView key={route.key} sessionKey={route.key} turn={route.turn} query={route.q} />
      )}
      {shownHit === undefined ? null : <TeamHit hit={shownHit} onClose={() => showHit(undefined)} />}
    </>
  );
}

async function fetchRows(
  query: string,
  team: string,
  offset: number,
  signal: AbortSignal,
): Promise<RowsPage> {
  if (team !== "" && query === "") return { total: 0, items: [], version: null };
  if (query === "") {
    const { total, sessions, coverage } = await get<ListAnswer>("list", { offset, limit: PAGE_SIZE }, signal);
    return { total, items: sessions, version: versionOf(coverage) };
  }
  if (team !== "") await pause(TEAM_PAUSE_MS, signal);
  const remote = team === "" ? undefined : team;
  const search = await get<FoundAnswer>("search", { q: query, offset, limit: HITS_SIZE, remote }, signal);
  const version = team === "" ? versionOf(search.coverage) : null;
  return { total: search.ranked, items: search.sessions, version, search };
}

/** A cluster is not queried for every key. */
const TEAM_PAUSE_MS = 200;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Whether it is a team's hit that this machine does not have. */
function isElsewhere(row: Row): row is HitLine {
  return row.isHere === false;
}

/** A hit opens at its best turn. */
function linkOf(row: Row, query: string): string {
  return linkToSession(row.key, row.snippets?.[0]?.turn || null, query);
}

/** The index of the chosen session among the fetched rows; -1 if it is not there. */
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

/** The number of results, and other possible meanings of the query. */
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
  const { total, ranked, match, totalIsExact, nearestWords, partial } = search;
  const all = `${totalIsExact ? "" : "at least "}${countOf(total, "session")}`;
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
      {partial === null ? null : <span class="error"> · not everything was searched: {partial}</span>}
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

/** The label for sessions that lack words of a query; with only one word, none can lack some. */
function othersWords(count: number, query: string): string {
  if (plainWords(query).length > 1) return "with some of the words";
  return count === 1 ? "that nearly matches" : "that nearly match";
}

interface RowProps {
  readonly row: Row;
  readonly query: string;
  readonly isChosen: boolean;
  /** Set if there is no link to it. */
  readonly onOpen: (() => void) | undefined;
}

function RowLink({ row, query, isChosen, onOpen }: RowProps): JSX.Element {
  const inner = <RowWords row={row} />;
  const current = isChosen ? "true" : undefined;
  const looks = `entry ${row.state}`;
  return onOpen === undefined ? (
    <a class={looks} href={linkOf(row, query)} aria-current={current}>
      {inner}
    </a>
  ) : (
    <button type="button" class={looks} onClick={onOpen} aria-current={current}>
      {inner}
    </button>
  );
}

function RowWords({ row }: { readonly row: Row }): JSX.Element {
  const [best] = row.snippets ?? [];
  const owner = row.owner ?? null;
  return (
    <>
      <span class="line">
        <b class="title" title={row.title ?? ""}>
          {row.title ?? "Untitled"}
        </b>
        <time>{when(row.endedAt)}</time>
      </span>
      <span class="line soft">
        <span class={`agent ${row.agent}`}>{row.agent}</span>
        <span class="project" title={row.project ?? ""}>
          {owner === null ? placeName(row) : `${owner} on ${placeName(row)}`}
          {row.branch === null || row.branch === "" ? "" : ` · ${row.branch}`}
        </span>
        <Marks row={row} />
      </span>
      {best === undefined ? null : (
        <span class="snippet">
          <i>{best.turn > 0 ? `turn ${best.turn}` : best.role}</i> <Highlighted {...startAtMatch(best)} />
        </span>
      )}
    </>
  );
}

function Marks({ row }: { readonly row: Row }): JSX.Element {
  return (
    <span class="marks">
      {row.state === "live" ? <em class="chip live">running</em> : null}
      {row.owner == null ? <WhereChip session={row} /> : null}
      {row.matchingTurns === undefined || row.matchingTurns < 2 ? (
        <span>{countOf(row.turns, "turn")}</span>
      ) : (
        <span>{`${row.matchingTurns} matches`}</span>
      )}
    </span>
  );
}
