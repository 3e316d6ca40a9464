import { setImmediate as nextTask } from "node:timers/promises";
import {
  type CatalogRow,
  exitCodes,
  type Filters,
  type HistorySearcher,
  type OpenHistory,
  UserError,
} from "../../index.ts";
import { createStyle } from "../output/style.ts";
import type { Terminal } from "../terminal.ts";
import type { World } from "../world.ts";
import { createScreenWriter } from "./draw-screen.ts";
import { fetchAnswer } from "./fetch-answer.ts";
import { copyPicked, exportPicked, type PickerPage, planRestore, restorePicked } from "./pick-effects.ts";
import {
  initialState,
  keyOf,
  needsAnswer,
  needsDigest,
  type PickEffect,
  type PickEvent,
  type PickState,
  requestOf,
  update,
} from "./pick-state.ts";
import { render } from "./pick-view.ts";
import { readKeys } from "./read-keys.ts";

export interface PickOptions {
  readonly query: string;
  /** Restricts every search, whatever is typed. */
  readonly filter: Filters;
  /** Starts with the sessions of all projects. */
  readonly everywhere: boolean;
  readonly onEnter: PickState["onEnter"];
  /** Called when the screen is taken: nothing else may be printed from then on. */
  readonly onTaken: () => void;
  readonly page: PickerPage;
}

/** How the user left the picker. */
export type Picked =
  | { readonly kind: "chosen"; readonly row: CatalogRow }
  | { readonly kind: "left" }
  | { readonly kind: "interrupted" };

/** A lone ESC is the key itself if nothing follows within this time. */
const ESCAPE_MS = 50;

/** Shows the picker until a session is chosen or the user leaves. The terminal is left as it was. */
export async function pickSession(
  history: OpenHistory,
  world: World,
  { query, filter, everywhere, onEnter, onTaken, page }: PickOptions,
): Promise<Picked> {
  // Before the screen is taken, because the first search may have to read all logs, and shows its progress.
  const searcher = await history.searcher();
  const project = await searcher.project();
  const events = createEvents();
  const terminal = world.takeTerminal(events.listener);
  if (terminal === undefined) throw notATerminal();
  onTaken();
  const scope = everywhere || project === undefined || history.demo ? "everywhere" : "project";
  const size = terminal.size();
  const state = initialState({ size, project, isDemo: history.demo, scope, query, onEnter });
  try {
    return await loop(state, { history, world, searcher, filter, terminal, events, page });
  } finally {
    terminal.close();
    events.stop();
    await searcher.close();
  }
}

/** The error for a picker without a terminal to draw on. */
export function notATerminal(): UserError {
  return new UserError("Cannot show the picker: this is not a terminal", {
    exitCode: exitCodes.wrongUsage,
    hint: "`sessions search` prints what it finds",
  });
}

interface Running {
  readonly history: OpenHistory;
  readonly world: World;
  readonly searcher: HistorySearcher;
  readonly filter: Filters;
  readonly terminal: Terminal;
  readonly events: Events;
  readonly page: PickerPage;
}

/** Handles typed keys, draws, then fetches whatever the state lacks; a key that arrives in the meantime goes first. */
async function loop(first: PickState, running: Running): Promise<Picked> {
  const { world, terminal, events } = running;
  const writer = createScreenWriter(terminal);
  const drawing = { style: createStyle(world.stderr.hasColor), clock: world, home: world.home };
  let state = first;
  for (;;) {
    for (let event = events.next(); event !== undefined; event = events.next()) {
      if (event === "end") return { kind: "left" };
      if (event === "resize") writer.clear();
      const updated = update(state, event === "resize" ? { kind: "resize", size: terminal.size() } : event);
      state = updated.state;
      const left = updated.effect === undefined ? undefined : startEffect(updated.effect, running);
      if (left !== undefined) return left;
    }
    writer.draw(render(state, drawing));
    // Lets in keys that were typed in the meantime: only the last query is searched for.
    await nextTask();
    if (events.isWaiting()) continue;
    const fetched = await fetchMissing(state, running);
    if (fetched === undefined) await events.wait();
    else state = update(state, fetched).state;
  }
}

/** Fetches the list, or else missing parts of the preview; undefined if nothing is missing. */
async function fetchMissing(state: PickState, running: Running): Promise<PickEvent | undefined> {
  const { searcher, filter } = running;
  if (needsAnswer(state)) {
    const request = requestOf(state);
    const answer = await fetchAnswer(searcher, request, { filter, project: state.project });
    return { kind: "answer", answer };
  }
  const row = needsDigest(state);
  if (row === undefined) return undefined;
  return { kind: "digest", key: keyOf(row), digest: await searcher.digest(row) };
}

/** Starts the action of a key; its outcome comes as an event. Returns how the picker is left, if it is. */
function startEffect(effect: PickEffect, running: Running): Picked | undefined {
  switch (effect.kind) {
    case "leave":
      return { kind: "left" };
    case "interrupt":
      return { kind: "interrupted" };
    case "choose":
      return { kind: "chosen", row: effect.row };
    case "open":
      say(running, running.page.open(effect.row, effect.turn, effect.query));
      return undefined;
    case "copy":
      say(running, copyPicked(effect.row, effect.what, running));
      return undefined;
    case "export":
      say(running, exportPicked(effect.row, effect.format, running));
      return undefined;
    case "plan-restore":
      tell(running, planRestore(effect.row, running), (lines) => ({
        kind: "planned",
        key: keyOf(effect.row),
        lines,
      }));
      return undefined;
    case "restore":
      say(
        running,
        restorePicked(effect.row, running).finally(() => {
          running.searcher.expire();
          running.events.push({ kind: "changed" });
        }),
      );
      return undefined;
  }
}

function say(running: Running, work: Promise<string>): void {
  tell(running, work, (text) => ({ kind: "said", text, isError: false }));
}

/** Passes the outcome of an action on as an event. */
function tell<T>({ events }: Running, work: Promise<T>, eventOf: (result: T) => PickEvent): void {
  work.then(
    (result) => events.push(eventOf(result)),
    (error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      const hint = error.hint === undefined ? "" : ` (${error.hint})`;
      events.push({ kind: "said", text: `${error.message}${hint}`, isError: true });
    },
  );
}

type Waiting = PickEvent | "resize" | "end";

interface Events {
  readonly listener: Parameters<World["takeTerminal"]>[0];
  push(event: Waiting): void;
  next(): Waiting | undefined;
  isWaiting(): boolean;
  /** Resolves when an event is waiting. */
  wait(): Promise<void>;
  stop(): void;
}

/** The queue of terminal events and outcomes of actions. */
function createEvents(): Events {
  const queue: Waiting[] = [];
  let wake: (() => void) | undefined;
  let rest = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const push = (event: Waiting): void => {
    queue.push(event);
    wake?.();
  };
  const read = (text: string, isAll: boolean): void => {
    clearTimeout(timer);
    const { keys, rest: left } = readKeys(text, isAll);
    rest = left;
    for (const key of keys) push({ kind: "key", key });
    if (rest !== "" && !isAll) timer = setTimeout(() => read(rest, true), ESCAPE_MS);
  };
  return {
    listener: {
      onInput: (text) => read(rest + text, false),
      onResize: () => push("resize"),
      onEnd: () => push("end"),
    },
    push,
    next: () => queue.shift(),
    isWaiting: () => queue.length > 0,
    wait: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (queue.length > 0) resolve();
      }),
    stop: () => clearTimeout(timer),
  };
}
