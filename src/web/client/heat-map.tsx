import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { linkTo } from "./route.ts";

interface HeatMapProps {
  /** Days as `2026-11-18`. */
  readonly days: readonly { readonly day: string; readonly value: number }[];
  /** The value of a day in words. */
  readonly words: (value: number) => string;
  /** As many weeks as there is room for; otherwise a whole year, which scrolls. */
  readonly fits?: boolean;
}

const DAY_MS = 86_400_000;
const CELL = 14;
const TOP = 18;
const LEFT = 30;
const YEAR_WEEKS = 53;
const months = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });

/** A square for each day of the last year, a column a week; a day leads to its sessions. */
export function HeatMap({ days, words, fits = false }: HeatMapProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const room = useWeeksOf(box);
  const weeks = fits ? room : YEAR_WEEKS;
  const values = new Map(days.map(({ day, value }) => [day, value]));
  const today = startOfToday();
  // Weeks start on Monday.
  const first = today - (((new Date(today).getUTCDay() + 6) % 7) + (weeks - 1) * 7) * DAY_MS;
  const levels = levelsOf([...values.values()]);
  const cells: JSX.Element[] = [];
  const labels: JSX.Element[] = [];
  let lastLabel = -4;
  for (let at = first; at <= today; at += DAY_MS) {
    const index = Math.round((at - first) / DAY_MS);
    const [week, weekday] = [Math.floor(index / 7), index % 7];
    const day = new Date(at).toISOString().slice(0, 10);
    const value = values.get(day) ?? 0;
    const cell = (
      <rect
        x={LEFT + week * CELL}
        y={TOP + weekday * CELL}
        width={CELL - 3}
        height={CELL - 3}
        rx={2.5}
        class={`heat-${levels(value)}`}
      >
        <title>{`${dates.format(new Date(at))}: ${value === 0 ? "nothing" : words(value)}`}</title>
      </rect>
    );
    cells.push(
      value === 0 ? (
        <g key={day}>{cell}</g>
      ) : (
        <a
          key={day}
          href={linkTo("sessions", `since:${day} until:${day}`)}
          aria-label={`${day}: ${words(value)}`}
        >
          {cell}
        </a>
      ),
    );
    if (weekday === 0 && new Date(at).getUTCDate() <= 7 && week - lastLabel > 2) {
      lastLabel = week;
      labels.push(
        <text key={day} x={LEFT + week * CELL} y={TOP - 6}>
          {months.format(new Date(at))}
        </text>,
      );
    }
  }
  return (
    <div class="heat-map" ref={box}>
      <svg width={LEFT + weeks * CELL} height={TOP + 7 * CELL} role="img" aria-label="Activity by day">
        {["Mon", "Wed", "Fri"].map((name, at) => (
          <text key={name} x={0} y={TOP + at * 2 * CELL + CELL - 4}>
            {name}
          </text>
        ))}
        {labels}
        {cells}
      </svg>
    </div>
  );
}

/** The number of weeks that fit into an element, a year at most. */
function useWeeksOf(box: { readonly current: HTMLElement | null }): number {
  const [weeks, setWeeks] = useState(YEAR_WEEKS);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const room = Math.floor((element.clientWidth - LEFT) / CELL);
      setWeeks(Math.max(4, Math.min(YEAR_WEEKS, room)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return weeks;
}

/** Midnight of the user's day, as if it were in UTC: days have no time zone here. */
function startOfToday(): number {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
}

/** Four levels, of about as many days each. */
function levelsOf(values: readonly number[]): (value: number) => number {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  const limits = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(sorted.length * part)] ?? 0);
  return (value) => (value === 0 ? 0 : 1 + limits.filter((limit) => value > limit).length);
}
