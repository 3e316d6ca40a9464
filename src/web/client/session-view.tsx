import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { countOf } from "../../render/words.ts";
import type { ChangesAnswer, SessionAnswer, TurnLine, TurnsAnswer, TurnView } from "../server/answers.ts";
import { About } from "./about.tsx";
import { Actions, copyText } from "./actions.tsx";
import { AgentContext } from "./agent-context.tsx";
import { type CallError, get } from "./api.ts";
import { markWords } from "./highlight.ts";
import { Icon } from "./icon.tsx";
import { isTyping } from "./keys.ts";
import { linkTo, linkToSession } from "./route.ts";
import { CompactionDivider, contextLabel, Steps } from "./steps.tsx";
import { Tabs } from "./tabs.tsx";
import { TurnSection } from "./turn.tsx";
import { WhereChip } from "./where-chip.tsx";
import { placeName, short, span } from "./words.ts";

interface SessionViewProps {
  readonly sessionKey: string;
  readonly turn: number | null;
  /** The query, whose words are marked. */
  readonly query: string;
}

type Tab = "conversation" | "context" | "about";
const tabs: readonly (readonly [Tab, string])[] = [
  ["conversation", "Conversation"],
  ["context", "What the agent sees now"],
  ["about", "About"],
];

/** How often the log is checked for changes while it is shown. */
const LIVE_MS = 2_000;
const IDLE_MS = 10_000;

/** One session as a conversation. Turns are fetched as they come into view, and new ones as the log grows. */
export function SessionView({ sessionKey, turn, query }: SessionViewProps): JSX.Element {
  const { session, error, turns, need, load } = useSession(sessionKey);
  const [tab, setTab] = useState<Tab>("conversation");
  const [isOutlineOpen, setOutlineOpen] = useState(false);
  const reader = useRef<HTMLElement>(null);
  const head = useRef<HTMLElement>(null);
  const isHeadSeen = useIsSeen(head, session === undefined);
  useTurnInView(reader, session, turns, tab === "conversation" ? turn : null);
  useEffect(() => markWords(reader.current, query), [query, turns, tab]);
  useReaderKeys(reader, {
    o: () => setOutlineOpen((isOpen) => !isOpen),
    c: () => setTab((now) => (now === "context" ? "conversation" : "context")),
    y: () => void (session === undefined ? undefined : copyText(session.resume)),
  });
  useEffect(() => {
    document.title = session?.title == null ? "sessions" : `${session.title} · sessions`;
    return () => {
      document.title = "sessions";
    };
  }, [session?.title]);

  if (error !== undefined)
    return (
      <section class="reader empty-reader">
        <p role="alert">
          {error.message}
          {error.hint === null ? "." : `: ${error.hint}.`}
        </p>
      </section>
    );
  if (session === undefined) return <section class="reader" aria-busy="true" />;
  return (
    <>
      <section class="reader" ref={reader} aria-label="Session">
        <header class="session-head" ref={head}>
          <div class="head-words">
            <h1>{session.title ?? "Untitled"}</h1>
            <Facts session={session} />
          </div>
          <Actions
            session={session}
            onOutline={() => setOutlineOpen(!isOutlineOpen)}
            onChanged={() => void load().catch(() => undefined)}
          />
        </header>
        <div class={isHeadSeen ? "tab-bar" : "tab-bar stuck"}>
          <b class="bar-title" aria-hidden="true">
            {session.title ?? "Untitled"}
          </b>
          <a class="back" href={linkTo("sessions", query)} aria-label="Back to the list">
            <Icon name="back" />
          </a>
          <Tabs label="Views of the session" tabs={tabs} chosen={tab} onChoose={setTab} />
        </div>
        {tab === "conversation" ? (
          <ConversationView session={session} turns={turns} need={need} />
        ) : tab === "context" ? (
          <AgentContext session={session} />
        ) : (
          <About session={session} />
        )}
      </section>
      <Outline session={session} isOpen={isOutlineOpen} onClose={() => setOutlineOpen(false)} />
    </>
  );
}

function Facts({ session }: { readonly session: SessionAnswer }): JSX.Element {
  const { agent, model, project, branch, startedAt, endedAt, state } = session;
  return (
    <p class="facts">
      <span class={`agent ${agent}`}>{agent}</span>
      {model === null ? null : <span>{model}</span>}
      <span title={project ?? ""}>
        {placeName(session)}
        {branch === null || branch === "" ? "" : ` · ${branch}`}
      </span>
      <span>{span(startedAt, endedAt)}</span>
      <span>{countOf(session.turns, "turn")}</span>
      <span title="Estimated from its characters">about {short(session.tokens)} tokens of text</span>
      {state === "live" ? <em class="chip live">running</em> : null}
      <WhereChip session={session} />
      {state === "stub" ? <em class="chip">only its prompts are left</em> : null}
    </p>
  );
}

interface ConversationProps {
  readonly session: SessionAnswer;
  readonly turns: ReadonlyMap<number, TurnView>;
  readonly need: (turn: number) => void;
}

function ConversationView({ session, turns, need }: ConversationProps): JSX.Element {
  const of = useMemo(() => {
    const { key, subagents, compactionList } = session;
    return { key, subagents, compactionList };
  }, [session]);
  const preamble = turns.get(0);
  useEffect(() => {
    if (session.preamble > 0) need(0);
  }, [session.preamble]);
  return (
    <div class="conversation">
      {preamble === undefined ? null : (
        <section class="turn preamble">
          <Steps of={of} place={{ turn: 0 }} context="current" first={preamble} />
        </section>
      )}
      <Compactions session={session} after={0} />
      {session.outline.map((line, at) => (
        <div key={line.turn}>
          <BranchMark session={session} line={line} before={session.outline[at - 1]} />
          <TurnSection of={of} line={line} view={turns.get(line.turn)} onNear={need} />
          <Compactions session={session} after={line.turn} />
        </div>
      ))}
      {session.outline.length === 0 ? <p class="soft">No turn yet.</p> : null}
    </div>
  );
}

/** Where the agent compacted the conversation without a summary; the others are above their summaries. */
function Compactions({
  session,
  after,
}: {
  readonly session: SessionAnswer;
  readonly after: number;
}): JSX.Element {
  return (
    <>
      {session.compactionList
        .filter(({ afterTurn, hasSummary }) => afterTurn === after && !hasSummary)
        .map((compaction, index) => (
          <CompactionDivider key={index} compaction={compaction} />
        ))}
    </>
  );
}

interface BranchMarkProps {
  readonly session: SessionAnswer;
  readonly line: TurnLine;
  readonly before: TurnLine | undefined;
}

/** Where a branch was abandoned or taken up. */
function BranchMark({ session, line, before }: BranchMarkProps): JSX.Element | null {
  const branch = session.branches.find(({ fromTurn }) => fromTurn === line.turn);
  const isReturn = before?.context === "branch" && line.context !== "branch";
  if (branch === undefined && !isReturn) return null;
  const from = branch?.parentTurn ?? null;
  if (line.context === "branch") {
    return (
      <p class="divider branch">
        <span>
          <Icon name="branch" /> Abandoned branch{from === null ? "" : `, left after turn ${from}`}
        </span>
      </p>
    );
  }
  if (before === undefined || (!isReturn && session.branches.length < 2)) return null;
  return (
    <p class="divider branch">
      <span>
        <Icon name="branch" /> {from === null ? "Another start" : `Continues from turn ${from}`}
      </span>
    </p>
  );
}

interface OutlineProps {
  readonly session: SessionAnswer;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The requests of a session, beside it; on small windows over it. */
function Outline({ session, isOpen, onClose }: OutlineProps): JSX.Element {
  return (
    <aside class={isOpen ? "outline open" : "outline"} aria-label="Outline">
      <header>
        <h2>{countOf(session.turns, "turn")}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <ol>
        {session.outline.map(({ turn, line, context, failures }) => (
          <li key={turn} class={context} title={contextLabel(context) ?? undefined}>
            <a href={linkToSession(session.key, turn)} onClick={onClose}>
              <span class="count">{turn}</span>
              <span class="words">{line === "" ? "(no words)" : line}</span>
              {failures === 0 ? null : (
                <span class="failures" title={countOf(failures, "failed call")}>
                  {failures}
                </span>
              )}
            </a>
          </li>
        ))}
      </ol>
    </aside>
  );
}

const MAX_RANGE = 15;

/** Fetches a session, the turns that are needed, and both again when the log has changed. */
function useSession(key: string): {
  readonly session: SessionAnswer | undefined;
  readonly error: CallError | undefined;
  readonly turns: ReadonlyMap<number, TurnView>;
  readonly need: (turn: number) => void;
  readonly load: () => Promise<unknown>;
} {
  const [session, setSession] = useState<SessionAnswer>();
  const [error, setError] = useState<CallError>();
  const [turns, setTurns] = useState<ReadonlyMap<number, TurnView>>(new Map());
  const requested = useRef(new Set<number>());
  const waiting = useRef(new Set<number>());

  const fetchRange = useCallback(async (from: number, to: number): Promise<void> => {
    try {
      const found =
        to === 0
          ? [{ ...(await get<TurnView>("steps", { key, turn: 0, from: 0 })), turn: 0 }]
          : (await get<TurnsAnswer>("turns", { key, from, to })).turns;
      setTurns((before) => new Map([...before, ...found.map((turn) => [turn.turn, turn] as const)]));
    } catch {
      for (let turn = from; turn <= to; turn++) requested.current.delete(turn);
    }
  }, []);

  /** Turns that come into view together are fetched together. */
  const need = useCallback((turn: number): void => {
    if (requested.current.has(turn)) return;
    requested.current.add(turn);
    if (waiting.current.size === 0) setTimeout(fetchWaiting, 0);
    waiting.current.add(turn);
  }, []);
  const fetchWaiting = (): void => {
    const all = [...waiting.current].sort((a, b) => a - b);
    waiting.current.clear();
    for (const [from, to] of ranges(all)) void fetchRange(from, to);
  };

  const load = useCallback(async (): Promise<SessionAnswer> => {
    const next = await get<SessionAnswer>("session", { key });
    setSession((before) => {
      if (before !== undefined && before.mark !== next.mark) refetchFrom(changedFrom(before, next));
      return next;
    });
    return next;
  }, []);
  const refetchFrom = (first: number): void => {
    const old = [...requested.current].filter((turn) => turn >= first);
    for (const [from, to] of ranges(old.sort((a, b) => a - b))) void fetchRange(from, to);
  };

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const check = async (known: SessionAnswer): Promise<void> => {
      let now = known;
      if (document.visibilityState === "visible") {
        try {
          const { mark, state, isArchived } = await get<ChangesAnswer>("changes", { key });
          if (mark !== now.mark || state !== now.state || isArchived !== now.isArchived) now = await load();
        } catch {
          // The next check may succeed; the app says if the server is gone.
        }
      }
      if (!isOver) timer = setTimeout(() => void check(now), now.state === "live" ? LIVE_MS : IDLE_MS);
    };
    load().then(
      (first) => {
        if (!isOver) timer = setTimeout(() => void check(first), LIVE_MS);
      },
      (failure: CallError) => setError(failure),
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return { session, error, turns, need, load };
}

/** The first turn that may differ: if the log only grew, the last one. */
function changedFrom(before: SessionAnswer, now: SessionAnswer): number {
  const at = before.outline.findIndex(
    (line, index) => JSON.stringify(line) !== JSON.stringify(now.outline[index]),
  );
  const last = before.outline.at(-1)?.turn ?? 0;
  return Math.min(last, at < 0 ? last : (before.outline[at]?.turn ?? 0));
}

/** Runs of neighbouring numbers. */
function ranges(turns: readonly number[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const turn of turns) {
    const last = found.at(-1);
    if (last !== undefined && last[0] > 0 && turn === last[1] + 1 && turn - last[0] < MAX_RANGE)
      last[1] = turn;
    else found.push([turn, turn]);
  }
  return found;
}

/**
 * Scrolls to the turn of the address, and again when it has its full size, unless the user has scrolled in the
 * meantime.
 */
function useTurnInView(
  reader: { readonly current: HTMLElement | null },
  session: SessionAnswer | undefined,
  turns: ReadonlyMap<number, TurnView>,
  turn: number | null,
): void {
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    wanted.current = turn;
  }, [turn]);
  useEffect(() => {
    const element = reader.current;
    const stop = (): void => {
      wanted.current = null;
    };
    element?.addEventListener("wheel", stop, { passive: true });
    element?.addEventListener("touchmove", stop, { passive: true });
    return () => {
      element?.removeEventListener("wheel", stop);
      element?.removeEventListener("touchmove", stop);
    };
  }, [session === undefined]);
  useEffect(() => {
    if (wanted.current === null || session === undefined) return;
    const section = reader.current?.querySelector(`#turn-${wanted.current}`);
    // The session's facts are above the first turn.
    if (wanted.current === session.outline[0]?.turn) reader.current?.scrollTo(0, 0);
    else section?.scrollIntoView({ block: "start" });
    for (const other of reader.current?.querySelectorAll(".turn.linked") ?? [])
      other.classList.remove("linked");
    section?.classList.add("linked");
    if (turns.has(wanted.current)) wanted.current = null;
  }, [turn, session, turns]);
}

/** Whether the head is still visible above the bar, which then needs no title. */
function useIsSeen(head: { readonly current: HTMLElement | null }, isLoading: boolean): boolean {
  const [isSeen, setSeen] = useState(true);
  useEffect(() => {
    const element = head.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => setSeen(entries.at(-1)?.isIntersecting !== false),
      // The title of the bar covers this much of the end of the head.
      { root: element.closest(".reader"), rootMargin: `${-BAR_TITLE_HEIGHT}px 0px 0px 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isLoading]);
  return isSeen;
}

/** As in the style sheet, in pixels. */
const BAR_TITLE_HEIGHT = 28;

/** Keys for reading: next and previous turn, and those of the view. */
function useReaderKeys(
  reader: { readonly current: HTMLElement | null },
  others: Readonly<Record<string, () => void>>,
): void {
  const current = useRef(others);
  current.current = others;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const other = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined;
      if (other !== undefined) other();
      else if (event.key === "n") step(reader.current, 1);
      else if (event.key === "p") step(reader.current, -1);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function step(reader: HTMLElement | null, by: 1 | -1): void {
  const sections = [...(reader?.querySelectorAll(".turn") ?? [])];
  const top = (reader?.getBoundingClientRect().top ?? 0) + 92;
  const next =
    by === 1
      ? sections.find((section) => section.getBoundingClientRect().top > top)
      : sections.findLast((section) => section.getBoundingClientRect().top < top - 24);
  next?.scrollIntoView({ block: "start" });
}
