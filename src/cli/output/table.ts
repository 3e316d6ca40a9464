import { sanitize } from "./sanitize.ts";
import { displayWidth, truncate } from "./text-width.ts";

export interface Column<Row> {
  readonly title?: string;
  readonly text: (row: Row) => string;
  readonly align?: "left" | "right";
  /** Shrinks if the terminal is too narrow, down to this many columns; the first such column shrinks first. */
  readonly shrinkTo?: number;
  /** The end at which a text that is too wide is cut. */
  readonly cut?: "end" | "middle";
  /** Wider texts are not cut but exceed the column, which shifts the rest of their own row only. */
  readonly padTo?: number;
  readonly style?: (text: string, row: Row) => string;
}

interface TableOptions {
  /** Columns of the terminal; undefined in a pipe: nothing is cut. */
  readonly width: number | undefined;
  readonly titleStyle?: (text: string) => string;
}

const GAP = "  ";
/** How far a column is padded if nothing is cut. */
const MAX_PADDED = 60;

/** Lines of aligned columns, one per row, each ended by LF. Nothing wraps: a row is a line. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions,
): string {
  const hasTitles = columns.some((column) => column.title !== undefined);
  const cells = rows.map((row) => columns.map((column) => sanitize(column.text(row))));
  const titles = columns.map((column) => column.title ?? "");
  const widths = columns.map((_, index) =>
    Math.max(0, ...(hasTitles ? [titles, ...cells] : cells).map((line) => displayWidth(line[index] ?? ""))),
  );
  for (const [index, { padTo = Number.POSITIVE_INFINITY }] of columns.entries())
    widths[index] = Math.min(widths[index] ?? 0, padTo);
  if (options.width !== undefined) shrink(widths, columns, options.width);
  // One long text would widen every row: in a pipe it is not cut, and exceeds its own column.
  else for (const [index, width] of widths.entries()) widths[index] = Math.min(width, MAX_PADDED);

  const lineOf = (texts: readonly string[], paint: (text: string, index: number) => string): string => {
    const own = options.width === undefined ? widths : widthsOfLine(texts, widths, columns);
    return columns
      .map((column, index) => {
        const text = texts[index] ?? "";
        // The last column is not padded: trailing blanks get in the way of copying.
        const isLast = index === columns.length - 1 && column.align !== "right";
        const width = own[index] ?? 0;
        const isWhole = options.width === undefined || column.padTo !== undefined;
        const cut = isWhole ? text : truncate(text, width, column.cut);
        const filled = isLast ? cut : pad(cut, width, column.align);
        // Only the text is styled, not the padding.
        return cut === "" ? filled : filled.replace(cut, () => paint(cut, index));
      })
      .join(GAP)
      .trimEnd();
  };

  const lines = cells.map((line, at) =>
    lineOf(line, (text, index) => {
      const row = rows[at];
      const style = columns[index]?.style;
      return style === undefined || row === undefined ? text : style(text, row);
    }),
  );
  if (hasTitles) lines.unshift(lineOf(titles, (text) => options.titleStyle?.(text) ?? text));
  return lines.map((line) => `${line}\n`).join("");
}

/** The column widths of one line: a text wider than its column takes the space from columns that can shrink, the last first. */
function widthsOfLine<Row>(
  texts: readonly string[],
  widths: readonly number[],
  columns: readonly Column<Row>[],
): readonly number[] {
  const own = [...widths];
  let beyond = 0;
  for (const [index, { padTo }] of columns.entries())
    if (padTo !== undefined) beyond += Math.max(0, displayWidth(texts[index] ?? "") - (widths[index] ?? 0));
  for (let index = columns.length - 1; index >= 0 && beyond > 0; index--) {
    const isLast = index === columns.length - 1;
    if (!isLast && columns[index]?.shrinkTo === undefined) continue;
    const less = Math.min(beyond, own[index] ?? 0);
    own[index] = (own[index] ?? 0) - less;
    beyond -= less;
  }
  return own;
}

/** Shrinks columns in their order until the table fits. */
function shrink<Row>(widths: number[], columns: readonly Column<Row>[], width: number): void {
  let excess = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1)) - width;
  for (const [index, column] of columns.entries()) {
    const now = widths[index];
    if (column.shrinkTo === undefined || now === undefined || excess <= 0) continue;
    const less = Math.min(excess, Math.max(0, now - column.shrinkTo));
    widths[index] = now - less;
    excess -= less;
  }
}

/** Pads a text with spaces to a number of columns; a wider one stays as it is. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}
