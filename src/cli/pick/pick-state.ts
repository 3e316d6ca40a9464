import type { CatalogRow, Digest, FoundSession, PendingSession } from "../../index.ts";
import type { TerminalSize } from "../terminal.ts";
import { type EditAction, editLine, type TypedLine } from "./edit-line.ts";
import { type PickAction, pickActions } from "./pick-keys.ts";
import type { Key } from "./read-keys.ts";

/** A session in the list, and the reason why it is there. */
export interface PickRow {
  readonly row: CatalogRow;
  readonly snippets: FoundSession["snippets"];
  readonly matchingTurns: number;
  /** Its open work, in the list of open work. */
  readonly pending: PendingSession["items"];
}

/** The content of the list. It is fetched when it differs from what the list shows. */
export interface PickRequest {
  readonly list: "sessions" | "pending";
  readonly query: string;
  readonly scope: "project" | "everywhere";
  readonly limit: number;
}

interface PickAnswer {
  readonly request: PickRequest;
  readonly rows: readonly PickRow[];
  readonly total: number;
  readonly totalIsExact: boolean;
  /** The words that are missing, or nearly there: "with prefixes or typos". */
  readonly match: string;
}

/** A question before something is written; the next key answers it. */
export type PickQuestion = "export" | "restore";

export interface PickState {
  readonly size: TerminalSize;
  /** The project that `scope: "project"` means; undefined if this folder has no sessions. */
  readonly project: string | undefined;
  /** The purpose of Enter: to resume a session, or to print which was chosen. */
  readonly onEnter: "resume" | "print";
  /** The sessions are those of the example history. */
  readonly isDemo: boolean;
  readonly line: TypedLine;
  readonly list: PickRequest["list"];
  readonly scope: PickRequest["scope"];
  readonly answer: PickAnswer | undefined;
  readonly selected: number;
  /** The first row of the list that is visible. */
  readonly top: number;
  /** On a narrow terminal: the preview is shown in place of the list. */
  readonly isPreviewing: boolean;
  /** How far the preview is scrolled. */
  readonly previewTop: number;
  /** The digest of the selected session, with its key. */
  readonly digest: { readonly key: string; readonly digest: Digest | undefined } | undefined;
  readonly message: { readonly text: string; readonly isError: boolean } | undefined;
  readonly question: PickQuestion | undefined;
  /** What restoring the selected session would do, while the question is shown. */
  readonly plan: readonly string[];
  /** The query, while the list of open work is shown, which is not filtered. */
  readonly heldLine: TypedLine | undefined;
  readonly isHelping: boolean;
}

export type ExportChoice = "md" | "html" | "json";

/** An action for the caller. */
export type PickEffect =
  | { readonly kind: "leave" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "choose"; readonly row: CatalogRow }
  /** Shows a session in the browser, at its best turn. */
  | { readonly kind: "open"; readonly row: CatalogRow; readonly turn: number | null; readonly query: string }
  | { readonly kind: "copy"; readonly what: "id" | "command"; readonly row: CatalogRow }
  | { readonly kind: "export"; readonly row: CatalogRow; readonly format: ExportChoice }
  /** Finds out what restoring would do; `planned` asks whether to. */
  | { readonly kind: "plan-restore"; readonly row: CatalogRow }
  | { readonly kind: "restore"; readonly row: CatalogRow };

export type PickEvent =
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "resize"; readonly size: TerminalSize }
  | { readonly kind: "answer"; readonly answer: PickAnswer }
  | { readonly kind: "digest"; readonly key: string; readonly digest: Digest | undefined }
  /** What restoring the session with this key would do. */
  | { readonly kind: "planned"; readonly key: string; readonly lines: readonly string[] }
  /** Something was done, or could not be. */
  | { readonly kind: "said"; readonly text: string; readonly isError: boolean }
  /** Something changed on disk: the list is fetched again. */
  | { readonly kind: "changed" };

export interface Updated {
  readonly state: PickState;
  readonly effect?: PickEffect;
}

export function initialState(
  start: Pick<PickState, "size" | "project" | "isDemo" | "scope" | "onEnter"> & { readonly query: string },
): PickState {
  const { query, ...given } = start;
  return {
    ...given,
    line: { text: query, cursor: query.length },
    list: "sessions",
    answer: undefined,
    selected: 0,
    top: 0,
    isPreviewing: false,
    previewTop: 0,
    digest: undefined,
    message: undefined,
    question: undefined,
    plan: [],
    heldLine: undefined,
    isHelping: false,
  };
}

/** The number of columns from which list and preview are side by side. */
const WIDE_COLUMNS = 90;

export function isWide({ size }: Pick<PickState, "size">): boolean {
  return size.columns >= WIDE_COLUMNS;
}

/** Lines of the terminal outside of list and preview: query, status, message, keys. */
const OTHER_LINES = 4;

/** A narrow terminal with this many lines has a preview of a few lines below the list. */
const STACKED_ROWS = 20;
const LEAST_PREVIEW = 6;
const MOST_PREVIEW = 8;

/** How many lines the preview below the list has; 0 if it is beside it, or there is none. */
export function stackedRows({ size }: Pick<PickState, "size">): number {
  if (isWide({ size }) || size.rows < STACKED_ROWS) return 0;
  return Math.min(MOST_PREVIEW, LEAST_PREVIEW + Math.floor((size.rows - STACKED_ROWS) / 2));
}

/** How many lines are between the status and the message. */
export function bodyRows({ size }: Pick<PickState, "size">): number {
  return Math.max(1, size.rows - OTHER_LINES);
}

/** How many sessions are visible at once. A line is between them and a preview below. */
export function listRows(state: Pick<PickState, "size">): number {
  const preview = stackedRows(state);
  return bodyRows(state) - (preview === 0 ? 0 : preview + 1);
}

/** The list that should be shown now: with more sessions if the selection comes near the end. */
export function requestOf(state: PickState): PickRequest {
  const { list, line, scope } = state;
  const visible = listRows(state);
  const limit = Math.ceil((state.selected + visible + 1) / visible) * visible;
  return { list, query: line.text.trim(), scope, limit };
}

/** Whether the list has to be fetched. A longer one is fetched only if there are more. */
export function needsAnswer(state: PickState): boolean {
  const { answer } = state;
  if (answer === undefined) return true;
  const requested = requestOf(state);
  const shown = answer.request;
  if (requested.list !== shown.list || requested.scope !== shown.scope) return true;
  if (requested.query !== shown.query) return true;
  return requested.limit > shown.limit && answer.rows.length >= shown.limit;
}

export function selectedRow({ answer, selected }: PickState): PickRow | undefined {
  return answer?.rows[selected];
}

export function keyOf({ digest }: CatalogRow): string {
  return `${digest.agent}:${digest.id}`;
}

/** The session whose digest the preview lacks. */
export function needsDigest(state: PickState): CatalogRow | undefined {
  const row = selectedRow(state)?.row;
  return row === undefined || state.digest?.key === keyOf(row) ? undefined : row;
}

/** Computes the next state and the actions. Pure: the caller does everything that takes time. */
export function update(state: PickState, event: PickEvent): Updated {
  switch (event.kind) {
    case "key":
      return pressed({ ...state, message: undefined }, event.key);
    case "resize":
      return { state: visible({ ...state, size: event.size }) };
    case "answer":
      return { state: answered(state, event.answer) };
    case "digest":
      return { state: { ...state, digest: { key: event.key, digest: event.digest } } };
    case "planned": {
      // The selection may have moved in the meantime.
      const row = selectedRow(state)?.row;
      if (row === undefined || keyOf(row) !== event.key || state.question !== undefined) return { state };
      return {
        state: { ...state, question: "restore", plan: event.lines, isHelping: false, message: undefined },
      };
    }
    case "said":
      return { state: { ...state, message: { text: event.text, isError: event.isError } } };
    case "changed":
      return { state: { ...state, answer: undefined, digest: undefined } };
  }
}

function answered(state: PickState, answer: PickAnswer): PickState {
  const before = state.answer?.request;
  const isLonger =
    before?.query === answer.request.query &&
    before.scope === answer.request.scope &&
    before.list === answer.request.list;
  const selected = isLonger ? Math.min(state.selected, Math.max(0, answer.rows.length - 1)) : 0;
  return visible({
    ...state,
    answer,
    selected,
    top: isLonger ? state.top : 0,
    previewTop: isLonger ? state.previewTop : 0,
  });
}

/** Scrolls the list so that the selected session is visible. */
function visible(state: PickState): PickState {
  const rows = listRows(state);
  const top = Math.min(Math.max(state.top, state.selected - rows + 1), state.selected);
  return { ...state, top };
}

function pressed(state: PickState, key: Key): Updated {
  if (state.question !== undefined) return replied(state, state.question, key);
  if (key.kind === "text") {
    const typed = { ...state, isHelping: false, list: "sessions" as const, heldLine: undefined };
    return { state: edited(typed, { kind: "insert", text: key.text }) };
  }
  const action = pickActions.get(key.name);
  if (action === undefined) return { state };
  return act(state, action);
}

function edited(state: PickState, action: EditAction): PickState {
  return { ...state, line: editLine(state.line, action), isPreviewing: false };
}

const PREVIEW_STEP = 5;

function act(state: PickState, action: PickAction): Updated {
  switch (action.kind) {
    case "edit":
      return { state: edited({ ...withSessions(state), isHelping: false }, action.edit) };
    case "move":
      return { state: moved(state, action.pages * listRows(state) + action.rows) };
    case "scroll":
      return {
        state: { ...state, previewTop: Math.max(0, state.previewTop + action.steps * PREVIEW_STEP) },
      };
    case "scope":
      return { state: toggledScope(state) };
    case "pending":
      return {
        state: {
          ...(state.list === "pending" ? withSessions(state) : withPending(state)),
          selected: 0,
          top: 0,
          isHelping: false,
        },
      };
    case "preview":
      // Side by side, it is always shown.
      if (isWide(state)) return { state };
      return { state: { ...state, isPreviewing: !state.isPreviewing, previewTop: 0, isHelping: false } };
    case "help":
      return { state: { ...state, isHelping: !state.isHelping, previewTop: 0 } };
    case "back":
      return back(state);
    case "interrupt":
      return { state, effect: { kind: "interrupt" } };
    default:
      return onSelected(state, action);
  }
}

/** The list of open work is not searched, so the query is put aside. */
function withPending(state: PickState): PickState {
  return { ...state, list: "pending", heldLine: state.line, line: { text: "", cursor: 0 } };
}

/** The sessions again, with the query that was put aside. */
function withSessions(state: PickState): PickState {
  return { ...state, list: "sessions", line: state.heldLine ?? state.line, heldLine: undefined };
}

/** Escape closes what is open, then clears nothing and leaves. */
function back(state: PickState): Updated {
  if (state.isHelping) return { state: { ...state, isHelping: false } };
  if (state.isPreviewing && !isWide(state)) return { state: { ...state, isPreviewing: false } };
  if (state.list === "pending") return { state: withSessions(state) };
  return { state, effect: { kind: "leave" } };
}

function moved(state: PickState, by: number): PickState {
  const last = Math.max(0, (state.answer?.rows.length ?? 0) - 1);
  const selected = Math.min(last, Math.max(0, state.selected + by));
  return visible({ ...state, selected, previewTop: 0, isHelping: false });
}

function toggledScope(state: PickState): PickState {
  if (state.scope === "project") return { ...state, scope: "everywhere" };
  if (state.project !== undefined) return { ...state, scope: "project" };
  return { ...state, message: { text: "This folder has no sessions", isError: false } };
}

type SelectedAction = Extract<
  PickAction["kind"],
  "choose" | "open" | "copy-id" | "copy-command" | PickQuestion
>;

function onSelected(state: PickState, action: { readonly kind: SelectedAction }): Updated {
  const { row, snippets = [] } = selectedRow(state) ?? {};
  if (row === undefined) return said(state, "No session is selected");
  switch (action.kind) {
    case "choose": {
      const why = state.onEnter === "resume" ? whyNotResumed(state, row) : undefined;
      return why === undefined ? { state, effect: { kind: "choose", row } } : said(state, why);
    }
    case "open": {
      const query = state.list === "sessions" ? state.line.text.trim() : "";
      const turn = snippets.find((snippet) => snippet.turn !== null)?.turn ?? null;
      const opening = { ...state, message: { text: "Opening the page …", isError: false } };
      return { state: opening, effect: { kind: "open", row, turn, query } };
    }
    case "copy-id":
      return { state, effect: { kind: "copy", what: "id", row } };
    case "copy-command":
      return { state, effect: { kind: "copy", what: "command", row } };
    case "export":
      if (state.isDemo) return said(state, "The example history is not exported");
      return { state: { ...state, question: "export" } };
    case "restore":
      if (row.state !== "kept") return said(state, "Nothing to restore: its log is not gone");
      return { state, effect: { kind: "plan-restore", row } };
  }
}

function whyNotResumed({ isDemo }: PickState, { state, digest }: CatalogRow): string | undefined {
  if (isDemo) return "This is the example history: there is nothing to resume";
  if (state === "kept")
    return digest.machine === undefined
      ? "Its log is gone: ^R restores it"
      : `It is on ${digest.machine}: ^R brings it here`;
  return state === "stub" ? "Only its prompts are left: it cannot be resumed" : undefined;
}

function said(state: PickState, text: string): Updated {
  return { state: { ...state, message: { text, isError: false } } };
}

const exportKeys: Readonly<Record<string, ExportChoice>> = { m: "md", h: "html", j: "json" };

/** Reads the answer to a question; any other key means no. */
function replied(state: PickState, question: PickQuestion, key: Key): Updated {
  const asked = { ...state, question: undefined };
  if (key.kind === "named" && key.name === "ctrl-c") return { state: asked, effect: { kind: "interrupt" } };
  const letter = key.kind === "text" ? key.text.toLowerCase() : "";
  const row = selectedRow(state)?.row;
  const format = exportKeys[letter];
  if (row !== undefined && question === "export" && format !== undefined)
    return { state: asked, effect: { kind: "export", row, format } };
  if (row !== undefined && question === "restore" && letter === "y")
    return { state: asked, effect: { kind: "restore", row } };
  return { state: asked };
}
