import { isBlank } from "../markdown/sanitize-markdown.ts";

export interface TableLines {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The line behind the table. */
  readonly next: number;
}

export function startsTable(lines: readonly string[], at: number): boolean {
  const below = lines[at + 1] ?? "";
  return (
    (lines[at] ?? "").includes("|") && below.includes("|") && /^[|: \t-]*$/.test(below) && below.includes("-")
  );
}

export function readTable(lines: readonly string[], at: number): TableLines | undefined {
  if (!startsTable(lines, at)) return undefined;
  let next = at + 2;
  while (!isBlank(lines[next]) && (lines[next] ?? "").includes("|")) next++;
  const [head = [], , ...rows] = lines.slice(at, next).map(cellsOf);
  return { head, rows, next };
}

/** Splits at pipes, but not at escaped ones and not within code. */
function cellsOf(line: string): readonly string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  const cells: string[] = [];
  let from = 0;
  let isCode = false;
  for (let at = 0; at < inner.length; at++) {
    const character = inner.charAt(at);
    if (character === "\\") at++;
    else if (character === "`") isCode = !isCode;
    else if (character === "|" && !isCode) {
      cells.push(inner.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...cells, inner.slice(from).trim()];
}
