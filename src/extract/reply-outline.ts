/** A line of a reply, without markdown marks, and its titles. */
export interface OutlineLine {
  /** A row of a table is an item, too. */
  readonly kind: "item" | "text";
  readonly text: string;
  /** Headings, the outermost first, and the line that introduces a list ("Next steps:"). */
  readonly titles: readonly string[];
  /** An item inside another item. */
  readonly isNested: boolean;
  /** Lines of one section have no title between them, lines of one paragraph no empty line either. */
  readonly section: number;
  readonly paragraph: number;
}

interface Title {
  readonly text: string;
  /** From 1, the outermost. */
  readonly level: number;
}

/** A line that is bold as a whole is a heading below those with `#`; a line that introduces a list is below all. */
const BOLD_LEVEL = 7;
const LEAD_LEVEL = 8;
/** Longer lines are not titles. */
const TITLE_CHARS = 200;
/** An item is inside the one before it if it is indented by more than this. */
const SAME_INDENT = 1;

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const BOLD_LINE = /^\s*(\*\*|__)((?:(?!\1).)+)\1\s*(?:[:\uff1a]\s*)?$/;
const ITEM = /^(\s*)(?:[-*+\u2022]|\d{1,3}[.)])\s+(\S.*)$/;
const RULE = /^\s*(?:[-*_]\s*){3,}$/;
const TABLE_RULE = /^\s*\|[\s|:]*-[\s|:-]*$/;
const LEAD = /[:\uff1a?\uff1f]\s*$/;

/** Reads the outline of a reply's markdown: each line with its titles. Fenced code is left out. */
export function outlineOf(reply: string): readonly OutlineLine[] {
  const lines = withoutFences(reply.split("\n"));
  const found: OutlineLine[] = [];
  let titles: readonly Title[] = [];
  let section = 0;
  let paragraph = 0;
  /** The indent of the current list. */
  let listIndent: number | undefined;

  const startTitle = (text: string, level: number): void => {
    titles = [...titles.filter((title) => title.level < level), { text: text.slice(0, TITLE_CHARS), level }];
    listIndent = undefined;
    section++;
    paragraph++;
  };
  const add = (kind: OutlineLine["kind"], text: string, isNested = false): void => {
    found.push({
      kind,
      text: plainText(text),
      titles: titles.map((title) => title.text),
      isNested,
      section,
      paragraph,
    });
  };

  for (const [at, line] of lines.entries()) {
    if (line.trim() === "" || RULE.test(line)) {
      paragraph++;
      continue;
    }
    const heading = HEADING.exec(line);
    const bold = BOLD_LINE.exec(line);
    const item = ITEM.exec(line);
    if (heading !== null) startTitle(plainText(heading[2] ?? ""), heading[1]?.length ?? 1);
    else if (bold !== null) startTitle(plainText(bold[2] ?? ""), BOLD_LEVEL);
    else if (item !== null) {
      const indent = item[1]?.length ?? 0;
      listIndent ??= indent;
      add("item", item[2] ?? "", indent > listIndent + SAME_INDENT);
    } else if (line.trimStart().startsWith("|")) {
      listIndent ??= 0;
      const isHead = TABLE_RULE.test(lines[at + 1] ?? "");
      if (!TABLE_RULE.test(line) && !isHead) add("item", cellsOf(line).join(" · "));
    } else if (listIndent !== undefined && /^\s{2,}/.test(line)) {
      // Adds details to the item above it.
    } else if (LEAD.test(plainText(line)) && isListAt(lines, at + 1)) {
      startTitle(plainText(line), LEAD_LEVEL);
    } else {
      // Text after a list no longer belongs to the line that introduced the list.
      if (listIndent !== undefined) {
        titles = titles.filter(({ level }) => level < BOLD_LEVEL);
        listIndent = undefined;
        section++;
      }
      add("text", line);
    }
  }
  return found;
}

function withoutFences(lines: readonly string[]): readonly string[] {
  let isInFence = false;
  return lines.flatMap((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isInFence = !isInFence;
    return isFence || isInFence ? [] : [line.replace(/^(?:\s*>)+ ?/, "")];
  });
}

function isListAt(lines: readonly string[], from: number): boolean {
  const next = lines.slice(from).find((line) => line.trim() !== "");
  return next !== undefined && (ITEM.test(next) || next.trimStart().startsWith("|")) && !RULE.test(next);
}

function cellsOf(row: string): readonly string[] {
  return row
    .split("|")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
}

/** Removes the marks of bold text, and space at both ends. */
function plainText(text: string): string {
  return text.replaceAll("**", "").trim();
}
