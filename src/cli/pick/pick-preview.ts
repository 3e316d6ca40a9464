import type { Digest, FoundSession } from "../../index.ts";
import { pendingSign, pendingText } from "../../render/words.ts";
import { amountOf } from "../output/amounts.ts";
import { type Clock, relativeDate } from "../output/dates.ts";
import { fitPassage } from "../output/fit-passage.ts";
import { sanitize } from "../output/sanitize.ts";
import { NOT_ARCHIVED, shortPath } from "../output/session-table.ts";
import type { Style } from "../output/style.ts";
import { truncate, wrap } from "../output/text-width.ts";
import { keyOf, type PickRow, type PickState, selectedRow } from "./pick-state.ts";

/** Everything that drawing needs besides the state. */
export interface Drawing {
  readonly style: Style;
  readonly clock: Clock;
  readonly home: string;
}

/** Lines of one passage, and of a request above it. */
const PASSAGE_LINES = 6;
const REQUEST_LINES = 2;
const SUMMARY_LINES = 8;
/** The number of requests of a session that was not searched for: the last ones say where it ended. */
const LAST_REQUESTS = 8;
const TITLE_LINES = 3;

/** The preview of the selected session: its facts, then its best passages, its open work, or its last requests. */
export function previewLines(
  state: PickState,
  drawing: Drawing,
  width: number,
  isShort = false,
): readonly string[] {
  const picked = selectedRow(state);
  if (picked === undefined || width < 10) return [];
  const digest = state.digest?.key === keyOf(picked.row) ? state.digest.digest : undefined;
  return [...headLines(picked, drawing, width, isShort), ...contentLines(picked, digest, drawing, width)];
}

/** The facts of the session. In a short preview, below the line with its title, they are one line. */
function headLines({ row }: PickRow, drawing: Drawing, width: number, isShort: boolean): readonly string[] {
  const { style, clock, home } = drawing;
  const { digest, state } = row;
  const branch = digest.branch === null ? [] : [digest.branch];
  const project = digest.project === null ? [] : [shortPath(digest.project, home)];
  const much = [amountOf(digest.turns, "turn")];
  if (digest.compactions > 0) much.push(amountOf(digest.compactions, "compaction"));
  if (row.copies > 1) much.push(amountOf(row.copies, "copy", "copies"));
  const states = {
    live: "running",
    idle: "",
    kept:
      digest.machine === undefined
        ? "its log is gone: ^R restores it"
        : `on ${sanitize(digest.machine)}: ^R brings it here`,
    stub: NOT_ARCHIVED,
  };
  const place = sanitize([digest.agent, ...project, ...branch].join(" · "));
  const when = [whenText(row, clock), ...much].join(" · ");
  const stateLines = states[state] === "" ? [] : block(states[state], width, 1).map(style.yellow);
  if (isShort) return [style.dim(truncate(`${place} · ${when}`, width)), ...stateLines];
  return [
    ...block(sanitize(digest.title ?? "(no title)"), width, TITLE_LINES).map(style.bold),
    ...block(place, width, 2).map(style.cyan),
    ...block(when, width, 1).map(style.dim),
    ...stateLines,
    "",
  ];
}

/** When a session was last active; a running one is active now. */
export function whenText({ digest, state }: PickRow["row"], clock: Clock): string {
  if (state === "live") return "now";
  return digest.endedAt === null ? "–" : relativeDate(digest.endedAt, clock);
}

function contentLines(
  { row, snippets, matchingTurns, pending }: PickRow,
  digest: Digest | undefined,
  drawing: Drawing,
  width: number,
): readonly string[] {
  if (pending.length > 0) {
    return pending.flatMap((item) =>
      block(sanitize(pendingText(item)), width - 2, PASSAGE_LINES).map(
        (line, index) => `${index === 0 ? pendingSign(item) : " "} ${line}`,
      ),
    );
  }
  if (snippets.length > 0) {
    const more = matchingTurns - snippets.length;
    return [
      ...snippets.flatMap((snippet) => snippetLines(snippet, digest, drawing, width)),
      ...(more > 0 ? [drawing.style.dim(`… ${amountOf(more, "more turn")} with a match`)] : []),
    ];
  }
  return digest === undefined ? [] : digestLines(row, digest, drawing, width);
}

type Snippet = FoundSession["snippets"][number];

/** `turn 12 · reply · compacted · 3 days ago`, the request of that turn, and the passage with its matches marked. */
function snippetLines(
  { turn, role, context, at, text, highlights }: Snippet,
  digest: Digest | undefined,
  { style, clock }: Drawing,
  width: number,
): readonly string[] {
  const paint = context === "current" ? style.green : style.yellow;
  const when = at === null ? "" : ` · ${relativeDate(at, clock)}`;
  const before = `turn ${turn} · ${role} · `;
  const head =
    before.length + context.length + when.length <= width
      ? `${style.dim(before)}${paint(context)}${style.dim(when)}`
      : paint(truncate(`${turn} ${context}`, width));
  const asked = role === "request" ? undefined : digest?.requests.find((each) => each.turn === turn)?.text;
  const request = asked === undefined ? [] : block(`asked: ${sanitize(asked)}`, width, REQUEST_LINES);
  const passage = fitPassage(text, highlights, { width, first: 0, indent: 0, lines: PASSAGE_LINES }, style);
  return [head, ...request.map(style.dim), ...passage.split("\n"), ""];
}

function digestLines(
  { digest: row }: PickRow["row"],
  digest: Digest,
  { style }: Drawing,
  width: number,
): readonly string[] {
  const summary = digest.summaries.findLast(({ kind }) => kind === "compaction")?.text;
  const requests = digest.requests.slice(-LAST_REQUESTS);
  const files = row.topFiles.slice(0, 5);
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [style.dim(title), ...lines, ""];
  return [
    ...section(
      requests.length < digest.requests.length ? "last requests" : "requests",
      requests.flatMap(({ turn, context, text }) => {
        const label = context === "current" ? `${turn} ` : `${turn} ${context}: `;
        return block(`${label}${sanitize(text)}`, width, REQUEST_LINES);
      }),
    ),
    ...section(
      "open work",
      digest.pending.flatMap((item) =>
        block(`${pendingSign(item)} ${sanitize(item.text)}`, width, REQUEST_LINES),
      ),
    ),
    ...section(
      "files",
      files.map((path) => truncate(sanitize(path), width, "middle")),
    ),
    ...section("summary", summary === undefined ? [] : block(sanitize(summary), width, SUMMARY_LINES)),
  ];
}

/** Wraps a text into a limited number of lines. */
function block(text: string, width: number, lines: number): readonly string[] {
  // Long texts are cut first: wrapping takes time.
  const all = wrap(text.slice(0, width * (lines + 1)), { width }).split("\n");
  if (all.length <= lines) return all;
  return [...all.slice(0, lines - 1), truncate(`${all[lines - 1] ?? ""} …`, width)];
}
