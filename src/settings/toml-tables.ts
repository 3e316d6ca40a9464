import { isDeepStrictEqual } from "node:util";
import { parse, TomlDate, TomlError, type TomlValue } from "smol-toml";
import { exitCodes, UserError } from "../errors.ts";
import { eolOf } from "./edit-settings.ts";
import type { BrokenSettings } from "./parse-settings.ts";

/*
 * Edits tables of a TOML file in place: every line that is not changed keeps its bytes, comments included. The parser says
 * what a file means and has no places, so a scanner finds those, and each edit is checked by parsing its result.
 */

/** A table with its own header: texts, lists of texts, and one level of tables of texts. */
export type PlainTable = Readonly<
  Record<string, string | readonly string[] | Readonly<Record<string, string>>>
>;

/** Says where a text is no TOML; undefined if it is. */
export function findTomlError(text: string): BrokenSettings | undefined {
  try {
    parsed(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = "this is no TOML"] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    return { kind: "broken", line: error.line, column: error.column, what };
  }
}

/** The value at a path; undefined if there is none. */
export function tableAt(text: string, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.getOwnPropertyDescriptor(value, key)?.value
        : undefined,
    parsed(text),
  );
}

/** Adds a table at the end, or sets the members of the one that is there; its other members stay. */
export function setTable(text: string, path: readonly string[], table: PlainTable): string {
  const eol = eolOf(text);
  const lines = Object.entries(table).map(([key, value]) => ({ key, line: `${key} = ${render(value)}` }));
  const statements = scan(text);
  const at = statements.findIndex(({ header }) => header !== undefined && isSame(header, path));
  if (at < 0) {
    const before = text === "" ? "" : text.endsWith("\n") ? eol : `${eol}${eol}`;
    const body = [`[${path.map(renderKey).join(".")}]`, ...lines.map(({ line }) => line), ""].join(eol);
    return checked(text, `${text}${before}${body}`, path, { ...record(tableAt(text, path)), ...table });
  }
  const next = statements.findIndex(({ header }, index) => index > at && header !== undefined);
  const own = statements.slice(at, next < 0 ? undefined : next);
  let result = text;
  // From the end, so that earlier places stay valid.
  for (const { key, line } of lines.toReversed()) {
    const present = own.find(({ keys }) => keys?.length === 1 && keys[0] === key);
    const place = present ?? { from: own[0]?.to ?? 0, to: own[0]?.to ?? 0 };
    result = `${result.slice(0, place.from)}${present === undefined ? eol : ""}${line}${result.slice(place.to)}`;
  }
  return checked(text, result, path, { ...record(tableAt(text, path)), ...table });
}

/** Removes a table and the tables in it. Comments after its last member stay. */
export function removeTable(text: string, path: readonly string[]): string {
  const statements = scan(text);
  let result = text;
  for (const [at, { header, from }] of [...statements.entries()].toReversed()) {
    if (header === undefined || !isSame(header.slice(0, path.length), path)) continue;
    const next = statements.findIndex((each, index) => index > at && each.header !== undefined);
    const last = statements[(next < 0 ? statements.length : next) - 1];
    const end = /^[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/.exec(result.slice(last?.to))?.[0].length ?? 0;
    const rest = result.slice((last?.to ?? from) + end);
    // The blank line before the header goes with it.
    result = `${result.slice(0, from).replace(/(^|\n)\r?\n$/, "$1")}${rest}`;
  }
  return checked(text, result, path, undefined);
}

/** Returns the edited text if it means what it should: everything else as before. */
function checked(before: string, after: string, path: readonly string[], value: object | undefined): string {
  try {
    if (isDeepStrictEqual(withMember(parsed(before), path, value), withMember(parsed(after), path, value))) {
      const now = tableAt(after, path);
      if (value === undefined ? now === undefined : isDeepStrictEqual(record(now), value)) return after;
    }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
  }
  const table = `[${path.map(renderKey).join(".")}]`;
  throw new UserError(
    `Cannot change the table ${JSON.stringify(path.join("."))}: the list that it belongs to is not written as ${table} with a line per member`,
    {
      exitCode: exitCodes.broken,
      hint: `write it as ${table}, or edit that file by hand; nothing was changed`,
    },
  );
}

/** A copy with that member; a parent that has nothing else counts as absent. */
function withMember(table: unknown, path: readonly string[], value: object | undefined): object | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const { [key]: inner, ...others } = record(table);
  const next = withMember(inner, rest, value);
  if (next !== undefined) return { ...others, [key]: next };
  return Object.keys(others).length === 0 ? undefined : others;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function parsed(text: string): Record<string, unknown> {
  return record(plain(parse(text, { integersAsBigInt: "asNeeded" })));
}

/** The parser's tables have no prototype, and so equal no object of ours. */
function plain(value: TomlValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value instanceof TomlDate) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** A header (`[a.b]`, `[[a.b]]`) or a pair (`a.b = 1`), without the blanks and the comment after it. */
interface Statement {
  readonly header?: readonly string[];
  readonly keys?: readonly string[];
  readonly from: number;
  readonly to: number;
}

const KEY = /(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/;
const KEYS = new RegExp(`^${KEY.source}(?:[ \\t]*\\.[ \\t]*${KEY.source})*`);
/** The syntax that matters inside a value; strings and comments are skipped as a whole. */
const TOKEN = /"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n/g;

/** Finds the statements of a text that is known to be TOML. */
function scan(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  const start = /[^\s#]|#[^\n]*/g;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const from = found.index;
    if (found[0].startsWith("#")) continue;
    const to = endOfStatement(text, from);
    const brackets = /^\[\[?[ \t]*/.exec(text.slice(from, to))?.[0];
    const keys = keysAt(text.slice(from + (brackets?.length ?? 0), to));
    statements.push({ ...(brackets === undefined ? { keys } : { header: keys }), from, to });
    start.lastIndex = to;
  }
  return statements;
}

/** Where a statement ends: before a comment or the end of a line that is in no bracket. */
function endOfStatement(text: string, from: number): number {
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [sign = ""] = token;
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth--;
    else if (depth === 0 && (sign === "\n" || sign.startsWith("#")))
      return text.slice(0, token.index).trimEnd().length;
  }
  return text.trimEnd().length;
}

function keysAt(text: string): readonly string[] {
  const all = KEYS.exec(text)?.[0] ?? "";
  return [...all.matchAll(new RegExp(KEY.source, "g"))].map(([key]) => {
    if (key.startsWith("'")) return key.slice(1, -1);
    return key.startsWith('"') ? String(Object.keys(parsed(`${key} = 0`))[0]) : key;
  });
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, at) => key === b[at]);
}

function render(value: PlainTable[string]): string {
  if (typeof value === "string") return renderText(value);
  if (isList(value)) return `[${value.map(renderText).join(", ")}]`;
  const members = Object.entries(value).map(([key, each]) => `${renderKey(key)} = ${renderText(each)}`);
  return `{ ${members.join(", ")} }`;
}

function isList(value: PlainTable[string]): value is readonly string[] {
  return Array.isArray(value);
}

/** JSON's escapes are TOML's, but for DEL. */
function renderText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function renderKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : renderText(key);
}
