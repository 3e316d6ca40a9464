import type { Finding } from "./finding.ts";
import type { Sign } from "./scan-signs.ts";
import { readSecretName, type SecretName } from "./secret-name.ts";
import { isSecretValue } from "./secret-value.ts";

const MAX_ROWS = 100;
const MAX_COLUMNS = 600;
const COLUMNS_BEFORE = /\(([^()]{3,500})\)\s{0,8}$/;
/** One row of `VALUES`: its cells; quoted text may hold a comma or a bracket. */
const ROW =
  /[\s,]{0,40}\(((?:[^()'"]{1,200}|'(?:[^'\n\\]|''|\\.){0,2000}'|"[^"\n]{0,2000}"|\([^()]{0,200}\)){1,60})\)/y;
const CELL = /(?:[^,'"()]|'(?:[^'\n\\]|''|\\.){0,2000}'|"[^"\n]{0,2000}"|\([^()]{0,200}\)){1,60}/g;
/** `COPY users (id, password) FROM stdin;` of a dump, and the rows after it. */
const COPY = /COPY [\w."]{1,80} \(([^()]{3,500})\) FROM stdin[^\n]{0,40}(?=\n)/y;

/** Secrets in the rows that SQL inserts, by the names of their columns. */
export const sqlRowSigns: readonly Sign[] = [
  { sign: "VALUES", find: findInserted },
  { sign: "values", find: findInserted },
  { sign: "COPY ", find: findCopied },
];

function findInserted(text: string, at: number, found: Finding[]): number {
  const columns = COLUMNS_BEFORE.exec(text.slice(Math.max(0, at - MAX_COLUMNS), at))?.[1];
  const names = columns === undefined ? [] : readColumns(columns);
  if (names.every((name) => name === undefined)) return at;
  let next = at + "VALUES".length;
  for (let row = 0; row < MAX_ROWS; row++) {
    ROW.lastIndex = next;
    const cells = ROW.exec(text)?.[1];
    if (cells === undefined) break;
    next = ROW.lastIndex;
    maskCells(names, [...cells.matchAll(CELL)], next - 1 - cells.length, found);
  }
  return next;
}

function findCopied(text: string, at: number, found: Finding[]): number {
  COPY.lastIndex = at;
  const names = readColumns(COPY.exec(text)?.[1] ?? "");
  if (names.every((name) => name === undefined)) return at;
  let start = text.indexOf("\n", COPY.lastIndex) + 1;
  for (let row = 0; row < MAX_ROWS && start > 0; row++) {
    const line = text.slice(start, start + 4_000).split("\n", 1)[0] ?? "";
    if (!line.includes("\t")) break;
    maskCells(names, [...line.matchAll(/[^\t]+/g)], start, found);
    start += line.length + 1;
  }
  return Math.max(at, start);
}

function readColumns(list: string): readonly (SecretName | undefined)[] {
  return list.split(",").map((name) => readSecretName(name.replace(/[^\w]/g, "")));
}

function maskCells(
  names: readonly (SecretName | undefined)[],
  cells: readonly RegExpExecArray[],
  from: number,
  found: Finding[],
): void {
  if (cells.length !== names.length) return;
  for (const [index, name] of names.entries()) {
    const cell = cells[index];
    if (name === undefined || cell === undefined) continue;
    const text = cell[0].trim().replace(/^[eEnN]?['"]|['"]$/g, "");
    const start = from + cell.index + cell[0].indexOf(text);
    const end = start + text.length;
    if (isSecretValue(name, { text, start, end, quote: '"' }, ""))
      found.push({ kind: name.kind, start, end });
  }
}
