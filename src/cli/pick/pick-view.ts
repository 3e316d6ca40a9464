import { lastPart } from "../../session/checkout.ts";
import { amountOf } from "../output/amounts.ts";
import { sanitize } from "../output/sanitize.ts";
import { listTitle, placeLabel } from "../output/session-table.ts";
import type { Style } from "../output/style.ts";
import { displayWidth, graphemesOf, graphemeWidth, truncate, wrap } from "../output/text-width.ts";
import { type KeyRow, keyName, keyTable } from "./pick-keys.ts";
import { type Drawing, previewLines, whenText } from "./pick-preview.ts";
import {
  bodyRows,
  isWide,
  listRows,
  type PickRow,
  type PickState,
  selectedRow,
  stackedRows,
} from "./pick-state.ts";

/** A text on the screen, and the column that it starts in, from 0. */
export interface ScreenPiece {
  readonly column: number;
  readonly text: string;
}

/** The content of the screen: for each line its pieces, from left to right, and the position of the cursor. */
export interface Screen {
  readonly lines: readonly (readonly ScreenPiece[])[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const PROMPT = "> ";

/**
 * Draws the state: the query, the number of results, the list beside the preview, a message, and the keys. No line is
 * wider than the terminal, and there are as many lines as it has. Text from logs is sanitized here.
 */
export function render(state: PickState, drawing: Drawing): Screen {
  const { columns, rows } = state.size;
  const { style } = drawing;
  const room = Math.max(1, columns - PROMPT.length - 1);
  const query = visibleQuery(state, room);
  const head = [
    [piece(0, style.cyan(PROMPT) + query.text)],
    [piece(0, style.dim(truncate(statusText(state), columns)))],
  ];
  const foot = [[piece(0, messageText(state, style))], [piece(0, style.dim(keysText(state)))]];
  const body = bodyLines(state, drawing, bodyRows(state));
  // A terminal of a few lines has no room for everything; the query and the list come first.
  const lines = [...head.slice(0, rows > 2 ? 2 : 1), ...body, ...foot].slice(0, rows);
  return { lines, cursor: { row: 0, column: Math.min(columns - 1, PROMPT.length + query.column) } };
}

function piece(column: number, text: string): ScreenPiece {
  return { column, text };
}

/** The part of the query around the cursor that fits. */
function visibleQuery({ line }: PickState, room: number): { readonly text: string; readonly column: number } {
  const before = sanitize(line.text.slice(0, line.cursor));
  const after = sanitize(line.text.slice(line.cursor));
  let hidden = 0;
  const width = displayWidth(before);
  if (width > room) {
    let dropped = 0;
    for (const grapheme of graphemesOf(before)) {
      if (width - dropped <= room) break;
      dropped += graphemeWidth(grapheme);
      hidden += grapheme.length;
    }
  }
  const shown = before.slice(hidden);
  let text = shown;
  for (const grapheme of graphemesOf(after)) {
    if (displayWidth(text + grapheme) > room) break;
    text += grapheme;
  }
  return { text, column: displayWidth(shown) };
}

function statusText(state: PickState): string {
  const { answer, scope, project, isDemo } = state;
  const place = scope === "everywhere" ? "everywhere" : `in ${lastPart(project ?? "")}`;
  const demo = isDemo ? ["example history: no agent logs were found"] : [];
  if (answer === undefined) return ["searching …", sanitize(place), ...demo].join(" · ");
  const least = answer.totalIsExact ? "" : "at least ";
  const found = `${least}${amountOf(answer.total, "session")}`;
  const what = answer.request.list === "pending" ? `open work: ${found}` : found;
  return [`${what}${answer.match}`, sanitize(place), ...demo].join(" · ");
}

function messageText({ message, question, size }: PickState, style: Style): string {
  if (question === "export")
    return style.yellow(truncate("Export as m markdown, h HTML, j JSON? Any other key: no", size.columns));
  if (question === "restore")
    return style.yellow(truncate("Put its log there? y: yes. Any other key: no", size.columns));
  if (message === undefined) return "";
  const text = truncate(sanitize(message.text), size.columns);
  return message.isError ? style.red(text) : style.green(text);
}

/** As many keys as fit, the most useful first; `help` is always among them. */
function keysText(state: PickState): string {
  const selected = selectedRow(state)?.row;
  const isKept = selected?.state === "kept";
  const restores = selected?.digest.machine === undefined ? `restore ${STATE_SIGNS.kept[0]}` : "bring here";
  const isShown = ({ short, when }: KeyRow): boolean =>
    short !== undefined && (when === undefined || (when === "kept" ? isKept : !isWide(state)));
  const help = keyTable.filter(({ action }) => action.kind === "help").map(keyText);
  const shown: string[] = [];
  for (const row of keyTable.filter((each) => each.action.kind !== "help" && isShown(each))) {
    const isPrinted = row.action.kind === "choose" && state.onEnter === "print";
    const short = isPrinted ? "choose" : row.action.kind === "restore" ? restores : row.short;
    const text = keyText({ ...row, ...(short !== undefined && { short }) });
    if (displayWidth([...shown, text, ...help].join(GAP)) <= state.size.columns) shown.push(text);
  }
  return truncate([...shown, ...help].join(GAP), state.size.columns);
}

const GAP = "  ";

function keyText({ keys, short = "" }: KeyRow): string {
  return `${keyName(keys[0])} ${short}`;
}

function bodyLines(state: PickState, drawing: Drawing, height: number): readonly (readonly ScreenPiece[])[] {
  const { columns } = state.size;
  const scroll = (lines: readonly string[], width: number): readonly string[] =>
    scrolled(lines, state.previewTop, { width, height }, drawing.style);
  if (state.isHelping) return column(scroll(helpLines(columns, drawing.style), columns), 0, height);
  if (state.question === "restore") return column(planLines(state, drawing), 0, height);
  if (!isWide(state)) {
    return state.isPreviewing
      ? column(scroll(previewLines(state, drawing, columns), columns), 0, height)
      : stackedLines(state, drawing);
  }
  const width = Math.floor(columns * 0.45);
  const list = column(listLines(state, drawing, width), 0, height);
  const bar = width + 1;
  const rest = columns - bar - 2;
  const preview = column(scroll(previewLines(state, drawing, rest), rest), bar + 2, height);
  return list.map((pieces, index) => [
    ...pieces,
    piece(bar, drawing.style.dim("│")),
    ...(preview[index] ?? []),
  ]);
}

/** The list, and on a terminal with enough lines a short preview below it. */
function stackedLines(state: PickState, drawing: Drawing): readonly (readonly ScreenPiece[])[] {
  const { columns } = state.size;
  const { style } = drawing;
  const list = column(listLines(state, drawing, columns), 0, listRows(state));
  const height = stackedRows(state);
  if (height === 0) return list;
  const preview = previewLines(state, drawing, columns, true);
  const shown = scrolled(preview, state.previewTop, { width: columns, height }, style);
  return [...list, [piece(0, style.dim("─".repeat(columns)))], ...column(shown, 0, height)];
}

/** What restoring the selected session would do, in the words of `sessions restore --dry-run`. */
function planLines(state: PickState, { style }: Drawing): readonly string[] {
  const { columns } = state.size;
  const title = listTitle(selectedRow(state)?.row.digest.title ?? null);
  return [
    style.bold(truncate(title, columns)),
    ...state.plan.flatMap((line) => wrap(line, { width: columns }).split("\n")),
  ];
}

function column(lines: readonly string[], at: number, height: number): readonly (readonly ScreenPiece[])[] {
  return Array.from({ length: height }, (_, index) => [piece(at, lines[index] ?? "")]);
}

/** The part of a long text that is visible; it is never scrolled past its end. */
function scrolled(
  lines: readonly string[],
  from: number,
  { width, height }: { readonly width: number; readonly height: number },
  style: Style,
): readonly string[] {
  const top = Math.min(from, Math.max(0, lines.length - height));
  const shown = lines.slice(top, top + height);
  const below = lines.length - top - height;
  if (below <= 0) return shown;
  return [...shown.slice(0, -1), style.dim(truncate(`… ${amountOf(below + 1, "more line")}: ^F`, width))];
}

function helpLines(width: number, style: Style): readonly string[] {
  const names = keyTable.map(({ keys }) => keys.map(keyName).join(" "));
  const widest = Math.max(...names.map(displayWidth));
  const rows = [
    ...keyTable.map(({ label }, index) => [names[index] ?? "", label] as const),
    ...Object.values(STATE_SIGNS),
  ];
  return rows.map(([name, label]) => {
    const keys = truncate(fitted(name, widest), width);
    return `${style.cyan(keys)}  ${truncate(label, Math.max(0, width - widest - 2))}`;
  });
}

function listLines(state: PickState, drawing: Drawing, width: number): readonly string[] {
  const { answer, selected, top } = state;
  if (answer === undefined) return [];
  if (answer.rows.length === 0) return nothingLines(state, drawing, width);
  const visible = answer.rows.slice(top, top + listRows(state));
  // The preview has the day; here the year is enough.
  const whens = visible.map(({ row }) =>
    whenText(row, drawing.clock).replace(/^\d+ (?=[A-Z][a-z]+ \d{4}$)/, ""),
  );
  const most = Math.min(MOST_PROJECT, Math.floor(width / 5));
  const isBroad = width >= BROAD_COLUMNS;
  const hasProject = isBroad && state.scope === "everywhere";
  const columns: ListColumns = {
    when: isBroad ? widestOf(whens) : 0,
    project: hasProject ? widestOf(visible.map(({ row }) => placeText(row, most))) : 0,
    width,
  };
  return visible.map((each, index) =>
    listLine(each, whens[index] ?? "", columns, drawing, top + index === selected),
  );
}

function widestOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth));
}

function nothingLines(state: PickState, { style }: Drawing, width: number): readonly string[] {
  const { answer, scope } = state;
  const hint = scope === "project" ? "Tab searches everywhere" : "`sessions grep` searches any text";
  const what = answer?.request.list === "pending" ? "No open work." : "No session matches.";
  return [...wrap(what, { width }).split("\n"), ...wrap(hint, { width }).split("\n").map(style.dim)];
}

/** A narrower list has neither dates nor projects. */
const BROAD_COLUMNS = 44;
const MOST_PROJECT = 14;
/** The part of a repository's name that is left if it has to be cut for that of its worktree. */
const LEAST_REPOSITORY = 4;

/** Signs before the title of a session that can't be resumed directly, and their explanation in the help. */
const STATE_SIGNS = {
  kept: ["◇", "its log is gone: ^R restores it"],
  stub: ["◌", "only its prompts are left"],
} as const;

/** The widths of the columns of the list; 0: no such column. */
interface ListColumns {
  readonly when: number;
  readonly project: number;
  readonly width: number;
}

/** `▌3 h ago shop Fix the token refresh`: columns are left out if there is little room. */
function listLine(
  { row }: PickRow,
  when: string,
  columns: ListColumns,
  { style }: Drawing,
  isSelected: boolean,
): string {
  const mark = isSelected ? "▌" : " ";
  const parts = [
    ...(columns.when > 0 ? [{ text: fitted(when, columns.when), paint: style.dim }] : []),
    ...(columns.project > 0
      ? [{ text: fitted(placeText(row, columns.project), columns.project), paint: style.cyan }]
      : []),
  ];
  const used = displayWidth(mark) + parts.reduce((sum, { text }) => sum + displayWidth(text) + 1, 0);
  const machine = row.digest.machine;
  const elsewhere = machine === undefined || columns.project > 0 ? "" : `${sanitize(machine)}: `;
  // For a session of another machine it is obvious that its log is not here.
  const hasSign = (row.state === "kept" && machine === undefined) || row.state === "stub";
  const sign = hasSign ? `${STATE_SIGNS[row.state === "stub" ? "stub" : "kept"][0]} ` : "";
  const whole = `${sign}${elsewhere}${listTitle(row.digest.title)}`;
  const title = fitted(whole, Math.max(0, columns.width - used));
  // One colour for the selected line: others would end it.
  if (isSelected) return style.selected(`${mark}${parts.map(({ text }) => `${text} `).join("")}${title}`);
  const shown = row.state === "live" ? style.green(title) : title;
  return `${mark}${parts.map(({ text, paint }) => `${paint(text)} `).join("")}${shown}`;
}

/**
 * The project of a session in a limited number of columns, as `list` names it: `vm:shop`. For a worktree, its own
 * name is used.
 */
function placeText({ digest }: PickRow["row"], width: number): string {
  const { worktree, repository, project } = digest;
  if (worktree === null) return truncate(sanitize(placeLabel(digest)), width);
  const machine = digest.machine === undefined ? "" : `${digest.machine}:`;
  const name = sanitize(`${machine}${lastPart(repository ?? project ?? "")}`);
  const own = sanitize(worktree);
  const room = Math.max(LEAST_REPOSITORY, width - displayWidth(own) - 1);
  return truncate(`${truncate(name, room)}/${own}`, width);
}

/** Cuts or pads to an exact number of columns. */
function fitted(text: string, width: number): string {
  const cut = truncate(text, width);
  return cut + " ".repeat(Math.max(0, width - displayWidth(cut)));
}
