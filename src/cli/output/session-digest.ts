import type { Digest, PendingItem } from "../../extract/digest.ts";
import { lastText } from "../../extract/extract-digest.ts";
import { shorten } from "../../extract/sentences.ts";
import { plainSummary } from "../../extract/summary-text.ts";
import { outcomeOf, outcomeSigns, pendingSign } from "../../render/words.ts";
import type { OpenSession } from "../../search/open-session.ts";
import type { World } from "../world.ts";
import { amountOf } from "./amounts.ts";
import { readingWidth } from "./conversation.ts";
import { localDateTime } from "./dates.ts";
import { sanitize } from "./sanitize.ts";
import { sessionHead } from "./session-table.ts";
import { createStyle, outcomeStyle, type Style } from "./style.ts";
import { formatTable } from "./table.ts";
import { wrap } from "./text-width.ts";

/** Number of rows of each list; the others are counted. */
const ROWS = 12;

interface Page {
  readonly world: World;
  readonly style: Style;
  readonly width: number;
}

/** A session on one or two screens: what it was about, what was asked, done, decided and left open. */
export function formatDigest(open: OpenSession, world: World): string {
  const page: Page = { world, style: createStyle(world.stdout.hasColor), width: readingWidth(world.stdout) };
  const { digest } = open;
  const last = lastText(open.session);
  const summary = digest.summaries.findLast(({ kind }) => kind === "compaction")?.text;
  return [
    sessionHead(open, world),
    summary === undefined
      ? ""
      : section(page, "Summary", [excerpt(page, plainSummary(summary), SUMMARY_LINES)], 1),
    requests(page, digest),
    decisions(page, digest),
    files(page, digest),
    tools(page, digest),
    commands(page, digest),
    pending(page, digest),
    last === null ? "" : section(page, "Last said", [excerpt(page, last, LAST_LINES)], 1),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function section(page: Page, title: string, rows: readonly string[], total: number): string {
  if (rows.length === 0) return "";
  const more =
    total > rows.length ? `  ${page.style.dim(`… ${amountOf(total - rows.length, "more", "more")}`)}\n` : "";
  return `${page.style.bold(title)}\n${rows.map((row) => `${row}\n`).join("")}${more}`;
}

const SUMMARY_LINES = 8;
const LAST_LINES = 6;

/** The first lines of a text as it was written: lists stay lists, and code stays code. */
function excerpt(page: Page, text: string, most: number): string {
  const start = text.slice(0, most * page.width).replace(/\n(?:[ \t]*\n)+/g, "\n");
  const lines = prose(page, start.trim()).split("\n");
  const isWhole = lines.length <= most && start.length === text.length;
  return [...lines.slice(0, most), ...(isWhole ? [] : [page.style.dim("  …")])].join("\n");
}

function prose(page: Page, text: string): string {
  return wrap(sanitize(text, "lines"), { width: page.width, indent: "  " });
}

/** A narrower terminal has no room for dates beside times. */
const ROOM_FOR_DATES = 66;

function requests(page: Page, digest: Digest): string {
  const all = digest.requests.filter(({ via }) => via !== "bash");
  // The first requests say what the session is about, the last ones how far it got.
  const shown = all.length <= ROWS ? all : [...all.slice(0, 4), ...all.slice(-(ROWS - 4))];
  // A date is shown once, for the first of its requests.
  const times = new Map<(typeof shown)[number], string>();
  const { columns } = page.world.stdout;
  const isNarrow = columns !== undefined && columns < ROOM_FOR_DATES;
  const days = new Map<(typeof shown)[number], string>();
  let lastDay = "";
  for (const request of shown) {
    if (request.at === null) continue;
    const [dayOf = "", time = ""] = localDateTime(request.at, page.world).split(" ");
    times.set(request, dayOf === lastDay || isNarrow ? time : `${dayOf} ${time}`);
    if (dayOf !== lastDay && isNarrow) days.set(request, dayOf);
    lastDay = dayOf;
  }
  const text = formatTable(
    shown,
    [
      { text: ({ turn }) => `  ${turn}`, align: "right", style: page.style.dim },
      { text: (request) => times.get(request) ?? "", align: "right", style: page.style.dim },
      { text: ({ context }) => (context === "current" ? "" : context), style: page.style.yellow },
      { text: ({ text: request }) => shorten(request, 500), shrinkTo: 12 },
    ],
    { width: columns },
  );
  const rows = text.split("\n").slice(0, -1);
  const dated = rows.map((row, at) => {
    const date = shown[at] && days.get(shown[at]);
    return date === undefined ? row : `  ${page.style.dim(date)}\n${row}`;
  });
  return section(page, "Requests", dated, all.length);
}

function decisions(page: Page, digest: Digest): string {
  const rows = digest.decisions
    .slice(-6)
    .map(({ turn, text }) => prose(page, `${turn}: ${shorten(text, 300)}`));
  return section(page, "Decisions", rows, digest.decisions.length);
}

function files(page: Page, digest: Digest): string {
  const touched = digest.files
    .filter(({ reads, writes }) => reads + writes > 0)
    .toSorted((a, b) => b.writes - a.writes || b.reads - a.reads);
  const text = formatTable(
    touched.slice(0, ROWS),
    [
      { text: ({ writes }) => (writes === 0 ? "" : `  ${writes} written`), align: "right" },
      { text: ({ reads }) => (reads === 0 ? "" : `${reads} read`), align: "right", style: page.style.dim },
      { text: ({ path }) => relative(path, digest.project), shrinkTo: 20, cut: "middle" },
    ],
    { width: page.world.stdout.columns },
  );
  return section(page, "Files", text.split("\n").slice(0, -1), touched.length);
}

function relative(path: string, project: string | null): string {
  return project !== null && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
}

function tools(page: Page, digest: Digest): string {
  const rows = Object.entries(digest.tools).toSorted(([, a], [, b]) => b.count - a.count);
  if (rows.length === 0) return "";
  const words = rows.map(
    ([name, { count, errors }]) =>
      `${sanitize(name)} ${count}${errors > 0 ? ` (${amountOf(errors, "error")})` : ""}`,
  );
  return section(page, "Tools", [prose(page, words.join(", "))], 1);
}

function commands(page: Page, digest: Digest): string {
  const text = formatTable(
    digest.commands.slice(-ROWS),
    [
      { text: ({ turn }) => `  ${turn}`, align: "right", style: page.style.dim },
      {
        text: ({ exitCode }) => {
          const outcome = outcomeOf(exitCode);
          return `${outcomeSigns[outcome]}${outcome === "failed" ? ` ${exitCode}` : ""}`;
        },
        style: (mark, { exitCode }) => outcomeStyle(page.style, outcomeOf(exitCode))(mark),
      },
      { text: ({ command }) => shorten(command, 300), shrinkTo: 20 },
    ],
    { width: page.world.stdout.columns },
  );
  return section(page, "Commands", text.split("\n").slice(0, -1), digest.commands.length);
}

function pending(page: Page, digest: Digest): string {
  const rows = digest.pending.map((item) => formatPendingItem(item, page.width));
  return section(page, "Pending", rows, rows.length);
}

/** Formats an item of open work, after a sign for its source. */
export function formatPendingItem(item: PendingItem, width: number): string {
  const words = item.source === "interrupted" ? "interrupted: " : "";
  return wrap(sanitize(`${words}${item.text}`), {
    width,
    firstIndent: `  ${pendingSign(item)} `,
    indent: "    ",
  });
}
