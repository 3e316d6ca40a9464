import { type SessionStats, tokensOf, type UsageCount } from "../../index.ts";
import { labelProjects } from "../../render/project-labels.ts";
import { formatNumber } from "../../render/words.ts";
import type { World } from "../world.ts";
import { amountOf, formatShort } from "./amounts.ts";
import { createStyle, type Style } from "./style.ts";
import { formatTable } from "./table.ts";
import { wrapMessage } from "./text-width.ts";

/** The groups by which statistics are shown. */
export const statsGroups = ["day", "project", "agent", "model"] as const;
type StatsGroup = (typeof statsGroups)[number];

/** Formats statistics for reading: sums, a heat map of days, and a bar for each project, agent and model. */
export function formatStats(
  stats: SessionStats,
  by: StatsGroup | undefined,
  limit: number,
  world: World,
): string {
  const style = createStyle(world.stdout.hasColor);
  const groups = by === undefined ? (["project", "agent", "model"] as const) : [by];
  return [
    formatTotal(stats.total, style),
    ...(by === undefined ? [formatHeatMap(stats.days, world, style)] : []),
    ...groups.map((group) => formatGroup(stats, group, limit, world, style)),
    ...(stats.unpriced.length === 0 ? [] : [unpricedNote(stats.unpriced, style, world.stdout.columns)]),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function formatTotal(total: UsageCount, style: Style): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = total;
  const failed = total.failures === 0 ? "" : ` (${formatNumber(total.failures)} failed)`;
  const parts = [
    `${formatShort(inputTokens)} in`,
    `${formatShort(outputTokens)} out`,
    `${formatShort(cacheReadTokens)} read from cache`,
    `${formatShort(cacheWriteTokens)} written to it`,
  ];
  return [
    style.bold(`${amountOf(total.sessions, "session")}, ${amountOf(total.turns, "turn")}`),
    `${amountOf(total.messages, "reply", "replies")}, ${amountOf(total.toolCalls, "tool call")}${failed}`,
    `${formatShort(tokensOf(total))} tokens: ${parts.slice(0, 2).join(", ")},`,
    `  ${parts.slice(2).join(", ")}`,
    ...(total.cost === null ? [] : [`about ${formatCost(total.cost)} by API prices`]),
    "",
  ].join("\n");
}

/** Dollars with cents; small amounts with more digits. */
function formatCost(dollars: number): string {
  const digits = dollars >= 0.095 || dollars === 0 ? 2 : 4;
  const [whole = "", cents = ""] = dollars.toFixed(digits).split(".");
  return `$${formatNumber(Number(whole))}.${cents}`;
}

function unpricedNote(models: readonly string[], style: Style, columns: number | undefined): string {
  // A name comes from a log: it stays on one line.
  const names = models
    .slice(0, 5)
    .map((model) => model.replace(/\s+/g, " "))
    .join(", ");
  const more = models.length > 5 ? ` and ${models.length - 5} more` : "";
  const says = wrapMessage(`no price for ${names}${more};`, columns);
  return `${style.dim(says)}\n${style.dim("set `prices` in config.json")}\n`;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_WEEKS = 53;
const WEEKDAYS = ["Mon", "", "Wed", "", "Fri", "", "Sun"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SHADES = ["·", "░", "▒", "▓", "█"];
const LABEL_WIDTH = 4;

/** Draws days as in a calendar, a column for each week up to the last day with activity, darker for more tokens. */
function formatHeatMap(days: SessionStats["days"], world: World, style: Style): string {
  const last = days.at(-1);
  const first = days[0];
  if (last === undefined || first === undefined) return "";
  const amounts = new Map(days.map((each) => [dayNumber(each.day), amountIn(each)]));
  const lastWeek = weekOf(dayNumber(last.day));
  const room = Math.max(8, Math.min(MOST_WEEKS, (world.stdout.columns ?? 80) - LABEL_WIDTH));
  const weeks = Math.min(room, lastWeek - weekOf(dayNumber(first.day)) + 1);
  const firstWeek = lastWeek - weeks + 1;
  const shown = [...amounts].filter(([day]) => weekOf(day) >= firstWeek).map(([, amount]) => amount);
  const shadeOf = shadeFinder(shown);
  const rows = WEEKDAYS.map((label, weekday) => {
    const cells = Array.from({ length: weeks }, (_, week) => {
      const amount = amounts.get(dayOfWeek(firstWeek + week, weekday)) ?? 0;
      return amount === 0 ? style.dim(SHADES[0] ?? "") : style.green(shadeOf(amount));
    });
    return `${style.dim(label.padEnd(LABEL_WIDTH))}${cells.join("")}\n`;
  });
  const months = monthLine(firstWeek, weeks);
  // A few weeks may have no room for the name of a month.
  const head = months === "" ? "" : `${style.dim(" ".repeat(LABEL_WIDTH) + months)}\n`;
  return head + rows.join("");
}

/** Names of months above the week that has their first day, if there is room. */
function monthLine(firstWeek: number, weeks: number): string {
  let line = "";
  for (let week = 0; week < weeks; week++) {
    const sunday = new Date(dayOfWeek(firstWeek + week, 6) * DAY_MS);
    const isNew = sunday.getUTCDate() <= 7;
    if (isNew && week >= line.length && week + 3 <= weeks)
      line = `${line.padEnd(week)}${MONTHS[sunday.getUTCMonth()] ?? ""} `;
  }
  return line.trimEnd();
}

/** Days are divided by activity into quarters, each with its own shade. */
function shadeFinder(amounts: readonly number[]): (amount: number) => string {
  const sorted = amounts.toSorted((a, b) => a - b);
  return (amount) => {
    const below = sorted.filter((each) => each < amount).length;
    return SHADES[1 + Math.min(3, Math.floor((4 * below) / Math.max(1, sorted.length)))] ?? "";
  };
}

/** Agents that count no tokens have turns. */
function amountIn(count: UsageCount): number {
  return tokensOf(count) || count.turns + count.messages;
}

/** Days since 1970. */
function dayNumber(day: string): number {
  return Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

/** Weeks since 1970, from Monday on; 1 January 1970 was a Thursday. */
function weekOf(day: number): number {
  return Math.floor((day + 3) / 7);
}

function dayOfWeek(week: number, weekday: number): number {
  return week * 7 - 3 + weekday;
}

interface GroupRow extends UsageCount {
  readonly label: string;
}

function rowsOf(stats: SessionStats, group: StatsGroup): readonly GroupRow[] {
  switch (group) {
    case "day":
      return stats.days.map((each) => ({ ...each, label: each.day })).toReversed();
    case "project":
      return withLabels(stats.projects, labelProjects(stats.projects));
    case "agent":
      return stats.agents.map((each) => ({ ...each, label: each.agent }));
    case "model":
      return stats.models.map((each) => ({ ...each, label: each.model ?? "(not named)" }));
  }
}

function withLabels(counts: readonly UsageCount[], labels: readonly string[]): readonly GroupRow[] {
  return counts.map((count, i) => ({ ...count, label: labels[i] ?? "" }));
}

const BAR_WIDTH = 16;
const SHORT_BAR_WIDTH = 6;
/** Narrower terminals have shorter bars: names of models differ in the middle, which is cut first. */
const ROOM_FOR_BARS = 92;
/** Narrower ones have fewer columns, too. */
const ROOM_FOR_ALL = 80;

function formatGroup(
  stats: SessionStats,
  group: StatsGroup,
  limit: number,
  world: World,
  style: Style,
): string {
  const rows = rowsOf(stats, group);
  const shown = rows.slice(0, limit);
  const most = Math.max(1, ...shown.map(amountIn));
  const { columns: width } = world.stdout;
  const isWide = width === undefined || width >= ROOM_FOR_ALL;
  const barWidth = width === undefined || width >= ROOM_FOR_BARS ? BAR_WIDTH : SHORT_BAR_WIDTH;
  const bar = (row: GroupRow): string =>
    "█".repeat(Math.max(amountIn(row) > 0 ? 1 : 0, Math.round((amountIn(row) / most) * barWidth)));
  const table = formatTable(
    shown,
    [
      { title: group.toUpperCase(), text: ({ label }) => label, shrinkTo: 16, cut: "middle" },
      { title: "", text: bar, style: style.green },
      { title: "TOKENS", text: (row) => formatShort(tokensOf(row)), align: "right" },
      {
        title: "COST",
        text: ({ cost }) => (cost === null ? "–" : formatCost(cost)),
        align: "right",
      },
      ...(isWide
        ? [
            {
              title: "SESSIONS",
              text: ({ sessions }: GroupRow) => formatNumber(sessions),
              align: "right" as const,
              style: style.dim,
            },
            {
              title: "CALLS",
              text: ({ toolCalls }: GroupRow) => formatNumber(toolCalls),
              align: "right" as const,
              style: style.dim,
            },
            {
              title: "FAILED",
              text: ({ failures }: GroupRow) => (failures === 0 ? "" : formatNumber(failures)),
              align: "right" as const,
              style: style.dim,
            },
          ]
        : []),
    ],
    { width, titleStyle: style.dim },
  );
  const hidden = rows.length - shown.length;
  return hidden === 0
    ? table
    : `${table}${style.dim(`${amountOf(hidden, "more", "more")}: --by ${group} --limit ${rows.length}`)}\n`;
}
