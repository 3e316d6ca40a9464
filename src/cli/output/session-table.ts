import type { CatalogueRow } from "../../search/catalogue.ts";
import type { World } from "../world.ts";
import { relativeDate } from "./dates.ts";
import { projectName } from "./short-path.ts";
import { createStyle } from "./style.ts";
import { formatTable } from "./table.ts";

/** As much of an id as tells sessions apart, and is enough to name one. */
const SHORT_ID = 8;

/** Sessions, a line each. In a pipe ids come whole: whoever reads them there wants to use them. */
export function formatSessions(rows: readonly CatalogueRow[], world: World): string {
  const style = createStyle(world.stdout.hasColor);
  const isTerminal = world.stdout.isTerminal;
  const ids = shortIds(rows.map(({ digest }) => digest.id));
  return formatTable(
    rows,
    [
      {
        title: "ID",
        text: ({ digest }) => (isTerminal ? (ids.get(digest.id) ?? digest.id) : digest.id),
        style: style.cyan,
      },
      {
        title: "WHEN",
        text: ({ digest, state }) =>
          state === "live" ? "now" : digest.endedAt === null ? "–" : relativeDate(digest.endedAt, world),
        style: (text, { state }) => (state === "live" ? style.green(text) : style.dim(text)),
      },
      { title: "AGENT", text: ({ digest }) => digest.agent, style: style.dim },
      { title: "PROJECT", text: ({ digest }) => projectName(digest.project), shrinkTo: 10, cut: "middle" },
      { title: "TURNS", text: ({ digest }) => String(digest.turns), align: "right", style: style.dim },
      { title: "TITLE", text: ({ digest, state }) => title(digest.title, state), shrinkTo: 20 },
    ],
    { width: world.stdout.columns, titleStyle: style.dim },
  );
}

function title(text: string | null, state: CatalogueRow["state"]): string {
  const kept = state === "kept" || state === "stub" ? `[${state}] ` : "";
  return `${kept}${text ?? "(no title)"}`;
}

/** The shortest prefixes, of eight characters at least, that tell these ids apart. Ids made in one moment begin alike. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort();
  const short = new Map<string, string>();
  sorted.forEach((id, index) => {
    const common = Math.max(
      commonStart(id, sorted[index - 1] ?? ""),
      commonStart(id, sorted[index + 1] ?? ""),
    );
    short.set(id, id.slice(0, Math.max(SHORT_ID, common + 1)));
  });
  return short;
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
