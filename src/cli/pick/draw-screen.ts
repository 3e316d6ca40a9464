import { guardText } from "../output/sanitize.ts";
import type { Terminal } from "../terminal.ts";
import type { Screen } from "./pick-view.ts";

/** Draws screens on a terminal, each time only the lines that changed. */
export interface ScreenWriter {
  draw(screen: Screen): void;
  /** Forgets the screen's content: the next screen is drawn completely. */
  clear(): void;
}

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const ERASE_LINE = "\x1b[2K";
const ERASE_SCREEN = "\x1b[2J";

export function createScreenWriter(terminal: Pick<Terminal, "write">): ScreenWriter {
  let drawn: readonly string[] | undefined;
  return {
    draw({ lines, cursor }) {
      const next = lines.map((pieces, row) =>
        // Each piece is put into its column, because terminals disagree on the width of some characters.
        pieces.map(({ column, text }) => moveTo(row, column) + guardText(text)).join(""),
      );
      const changed = next.flatMap((line, row) =>
        drawn?.[row] === line ? [] : [`${moveTo(row, 0)}${ERASE_LINE}${line}`],
      );
      const start = drawn === undefined ? ERASE_SCREEN : "";
      drawn = next;
      terminal.write(
        HIDE_CURSOR + start + changed.join("") + moveTo(cursor.row, cursor.column) + SHOW_CURSOR,
      );
    },
    clear() {
      drawn = undefined;
    },
  };
}

function moveTo(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`;
}
