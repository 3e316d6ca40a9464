/** What one line of markdown may be. By hand where a pattern would be slow, or run out of stack, on a hostile line. */

export function isBlank(line: string | undefined): boolean {
  return line === undefined || !/\S/.test(line);
}

/** White space at the beginning, in columns: a tab goes on to the next multiple of four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** Without so many columns of white space at its beginning, or all of it where it has less. */
export function dedent(line: string, width: number): string {
  let columns = 0;
  let at = 0;
  for (; at < line.length && columns < width; at++) {
    const character = line.charAt(at);
    if (character === " ") columns++;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return line.slice(at);
}

export interface Fence {
  readonly indent: string;
  /** The mark of the list item that begins on the same line. */
  readonly mark: string;
  readonly run: string;
  readonly language: string;
}

const fenceLine = /^([ \t]*)([-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})(.*)$/;

/** Does the line begin a block of code? */
export function openingFence(line: string): Fence | undefined {
  const parts = fenceLine.exec(line);
  if (parts === null) return undefined;
  const [, indent = "", mark = "", run = "", info = ""] = parts;
  // A backtick there makes it inline code.
  if (run.startsWith("`") && info.includes("`")) return undefined;
  return { indent, mark, run, language: /\S*/.exec(info.trim())?.[0] ?? "" };
}

export function closesFence(line: string, run: string): boolean {
  const text = line.trim();
  if (!text.startsWith(run)) return false;
  const mark = run.charAt(0);
  for (let at = run.length; at < text.length; at++) if (text.charAt(at) !== mark) return false;
  return true;
}

/**
 * `rule`: three or more of `-`, `*` or `_`, maybe apart. `underline`: `=` or `-` alone, which makes a heading of the
 * line above.
 */
export function ruleKind(line: string, from = 0): "rule" | "underline" | undefined {
  let mark = "";
  let count = 0;
  let gap = false;
  let isApart = false;
  for (let at = from; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === " " || character === "\t") {
      gap = count > 0;
      continue;
    }
    if (mark === "" && "-*_=".includes(character)) mark = character;
    if (character !== mark) return undefined;
    isApart ||= gap;
    count++;
  }
  if (mark !== "=" && count > 2) return "rule";
  return (mark === "=" || mark === "-") && !isApart ? "underline" : undefined;
}
