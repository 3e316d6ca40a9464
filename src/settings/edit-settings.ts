import { exitCodes, UserError } from "../errors.ts";
import {
  nodeAt,
  type ParsedSettings,
  parseSettings,
  propertyOf,
  type SettingsNode,
  type SettingsPath,
} from "./parse-settings.ts";

/*
 * Edits settings in place: everything that is not changed keeps every byte, including comments and odd layout.
 * jsonc-parser's own `modify` does not: it formats the whole line that it touches, moves the comment after the last
 * member to the new one, and setting then unsetting a value does not always restore the same bytes.
 */

interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Sets a value; creates missing objects on the way. */
export function setSetting(text: string, path: SettingsPath, value: unknown): string {
  const { root } = parsedSettings(text);
  if (root === undefined) return fromNothing(text, nest(path, value));
  const present = nodeAt(root, path);
  if (present !== undefined) {
    const layout = layoutAt(text, root, present);
    return apply(text, [{ from: present.offset, to: endOf(present), text: layout.render(value) }]);
  }
  const { container, depth } = deepest(root, path);
  if (container.type !== "object") throw notA("object", path.slice(0, depth));
  return insertMember(text, root, container, String(path[depth]), nest(path.slice(depth + 1), value));
}

/** Adds an element to the end of a list; creates the list if it is missing. */
export function appendSetting(text: string, path: readonly string[], value: unknown): string {
  const { root } = parsedSettings(text);
  const list = nodeAt(root, path);
  if (root === undefined || list === undefined) return setSetting(text, path, [value]);
  if (list.type !== "array") throw notA("list", path);
  return insertMember(text, root, list, undefined, value);
}

/** Removes a value, or an element of a list, with its comma; comments stay. Returns the same text if there is none. */
export function removeSetting(text: string, path: SettingsPath): string {
  const { root } = parsedSettings(text);
  const container = nodeAt(root, path.slice(0, -1));
  const last = path.at(-1);
  if (container === undefined || last === undefined) return text;
  const member = typeof last === "number" ? container.children?.[last] : propertyOf(container, last);
  if (member === undefined) return text;
  const rest = apply(text, removal(text, container, member));
  // A name that occurs twice is removed twice.
  return typeof last === "number" ? rest : removeSetting(rest, path);
}

/** Parses settings that were checked before. */
export function parsedSettings(text: string): ParsedSettings {
  const result = parseSettings(text);
  if (result.kind === "parsed") return result;
  throw new Error(`Settings were not checked: ${result.line}:${result.column}: ${result.what}`);
}

function notA(kind: "object" | "list", path: SettingsPath): UserError {
  const article = kind === "object" ? "an object" : "a list";
  return new UserError(`Cannot change the settings: ${JSON.stringify(path.join("."))} is not ${article}`, {
    exitCode: exitCodes.broken,
    hint: "correct that file by hand; nothing was changed",
  });
}

function nest(path: SettingsPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function fromNothing(text: string, value: unknown): string {
  const eol = eolOf(text);
  return `${JSON.stringify(value, undefined, 2).replaceAll("\n", eol)}${eol}`;
}

/** How much of a path exists, and the node it leads to. */
function deepest(root: SettingsNode, path: SettingsPath): { container: SettingsNode; depth: number } {
  let container = root;
  for (let depth = 0; ; depth++) {
    const next = nodeAt(root, path.slice(0, depth + 1));
    if (next === undefined || depth === path.length - 1) return { container, depth };
    container = next;
  }
}

function insertMember(
  text: string,
  root: SettingsNode,
  container: SettingsNode,
  key: string | undefined,
  value: unknown,
): string {
  const children = container.children ?? [];
  const last = children.at(-1);
  const layout = layoutIn(text, root, container);
  const member =
    key === undefined ? layout.render(value) : `${JSON.stringify(key)}${layout.colon}${layout.render(value)}`;
  if (last === undefined) return insertFirst(text, container, member, layout);
  const gap = gapBehind(text, container, last);
  const comma: TextEdit[] =
    gap.comma === undefined ? [{ from: endOf(last), to: endOf(last), text: "," }] : [];
  const trailing = gap.comma === undefined ? "" : ",";
  if (layout.isOneLine) {
    const at = gap.comma === undefined ? endOf(last) : gap.comma + 1;
    return apply(text, [...comma, { from: at, to: at, text: `${layout.separator}${member}${trailing}` }]);
  }
  // After the comment that belongs to the last member.
  const at = gap.lineEnd;
  return apply(text, [
    ...comma,
    { from: at, to: at, text: `${layout.eol}${layout.indent}${member}${trailing}` },
  ]);
}

function insertFirst(text: string, container: SettingsNode, member: string, layout: Layout): string {
  const close = endOf(container) - 1;
  if (layout.isOneLine) return apply(text, [{ from: container.offset + 1, to: close, text: member }]);
  const { lastComment } = gapBetween(text, container.offset + 1, close);
  const from = lastComment ?? container.offset + 1;
  const rest = text.slice(from, close);
  const tail = lastComment !== undefined && rest.includes("\n") ? rest : `${layout.eol}${layout.base}`;
  return apply(text, [{ from, to: close, text: `${layout.eol}${layout.indent}${member}${tail}` }]);
}

function removal(text: string, container: SettingsNode, member: SettingsNode): readonly TextEdit[] {
  const children = container.children ?? [];
  const index = children.indexOf(member);
  const before = children[index - 1];
  const { comma } = gapBehind(text, container, member);
  if (children.length === 1) {
    const inner = `${text.slice(container.offset + 1, member.offset)}${text.slice((comma ?? endOf(member) - 1) + 1, endOf(container) - 1)}`;
    if (inner.trim() === "") return [{ from: container.offset + 1, to: endOf(container) - 1, text: "" }];
  }
  const lineStart = text.lastIndexOf("\n", member.offset - 1) + 1;
  const opensLine = lineStart > 0 && text.slice(lineStart, member.offset).trim() === "";
  const end = comma === undefined ? endOf(member) : comma + 1;
  const closesLine = /^[ \t]*(?:\r?\n|$)/.test(text.slice(end));
  const edits: TextEdit[] = [];
  if (opensLine && closesLine) edits.push({ from: eolBefore(text, lineStart), to: end, text: "" });
  else if (index < children.length - 1)
    edits.push({ from: member.offset, to: end + blanksFrom(text, end), text: "" });
  else
    edits.push({
      from: opensLine ? member.offset : member.offset - blanksBefore(text, member.offset),
      to: end,
      text: "",
    });
  if (comma === undefined && before !== undefined) {
    const left = gapBehind(text, container, before).comma;
    if (left !== undefined) edits.push({ from: left, to: left + 1, text: "" });
  }
  return merge(edits);
}

/** The comma of the previous member may be inside the removed range. */
function merge(edits: readonly TextEdit[]): readonly TextEdit[] {
  const [main, comma] = edits;
  if (main === undefined || comma === undefined) return edits;
  return comma.from >= main.from && comma.to <= main.to ? [main] : edits;
}

function apply(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let at = 0;
  // Sorting is stable: of two insertions at one place the first stays first.
  for (const { from, to, text: put } of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(at, from) + put;
    at = to;
  }
  return result + text.slice(at);
}

interface Gap {
  readonly comma: number | undefined;
  /** After the last member, comma or comment on the line that the gap starts on. */
  readonly lineEnd: number;
  /** Where the last comment ends. */
  readonly lastComment: number | undefined;
}

function gapBehind(text: string, container: SettingsNode, member: SettingsNode): Gap {
  const children = container.children ?? [];
  const next = children[children.indexOf(member) + 1];
  return gapBetween(text, endOf(member), next?.offset ?? endOf(container) - 1);
}

/** A comment, a comma or a line end: what can be between two members, besides blanks. */
const GAP_TOKEN = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|,|\r\n|[\r\n]/g;

function gapBetween(text: string, from: number, to: number): Gap {
  let comma: number | undefined;
  let lineEnd = from;
  let lastComment: number | undefined;
  let isSameLine = true;
  for (const { 0: token, index } of text.slice(from, to).matchAll(GAP_TOKEN)) {
    const end = from + index + token.length;
    if (/^[\r\n]/.test(token)) isSameLine = false;
    else if (token === ",") comma ??= from + index;
    else lastComment = end;
    if (isSameLine) lineEnd = end;
  }
  // The comma is on a later line: new text goes after it.
  return { comma, lineEnd: Math.max(lineEnd, (comma ?? -1) + 1), lastComment };
}

/** Finds where the line break before a line starts. */
function eolBefore(text: string, lineStart: number): number {
  return text[lineStart - 2] === "\r" ? lineStart - 2 : lineStart - 1;
}

function blanksFrom(text: string, offset: number): number {
  return /^[ \t]*/.exec(text.slice(offset))?.[0].length ?? 0;
}

function blanksBefore(text: string, offset: number): number {
  return /[ \t]*$/.exec(text.slice(0, offset))?.[0].length ?? 0;
}

/** The layout of a value's neighbours, so that new values look like them. */
interface Layout {
  readonly isOneLine: boolean;
  readonly eol: string;
  /** The text before a member that has its own line. */
  readonly indent: string;
  /** The text before the closing bracket. */
  readonly base: string;
  readonly colon: string;
  /** The text between two members on one line. */
  readonly separator: string;
  render(value: unknown): string;
}

/** The layout for a new member of a container. */
function layoutIn(text: string, root: SettingsNode, container: SettingsNode): Layout {
  const children = container.children ?? [];
  const [first] = children;
  const eol = eolOf(text);
  const unit = unitOf(text, root);
  const base = indentAt(text, container.offset);
  const isOneLine =
    first === undefined
      ? container !== root &&
        (root.children ?? []).length > 0 &&
        !text.slice(root.offset, endOf(root)).includes("\n")
      : !text.slice(container.offset, first.offset).includes("\n");
  const last = children.at(-1);
  const sibling = last !== undefined && opensLine(text, last.offset) ? last : first;
  const indent = sibling === undefined ? base + unit : indentAt(text, sibling.offset);
  const compact = isCompact(text, root);
  return {
    isOneLine,
    eol,
    indent,
    base,
    colon: colonOf(text, last) ?? (isOneLine && compact ? ":" : ": "),
    separator: separatorOf(text, children) ?? (compact ? "" : " "),
    render: (value) => (isOneLine ? JSON.stringify(value) : pretty(value, unit, `${eol}${indent}`)),
  };
}

/** The layout for a value that replaces another. */
function layoutAt(text: string, root: SettingsNode, node: SettingsNode): Pick<Layout, "render"> {
  const isOneLine = !text.slice(root.offset, endOf(root)).includes("\n");
  const line = `${eolOf(text)}${indentAt(text, node.offset)}`;
  return { render: (value) => (isOneLine ? JSON.stringify(value) : pretty(value, unitOf(text, root), line)) };
}

function pretty(value: unknown, unit: string, line: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", line);
}

function colonOf(text: string, property: SettingsNode | undefined): string | undefined {
  const [key, value] = property?.type === "property" ? (property.children ?? []) : [];
  if (key === undefined || value === undefined) return undefined;
  const between = text.slice(endOf(key), value.offset);
  return /^[ \t]*:[ \t]*$/.test(between) ? between : undefined;
}

function separatorOf(text: string, [first, second]: readonly SettingsNode[]): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  return /^[ \t]*,([ \t]*)$/.exec(text.slice(endOf(first), second.offset))?.[1];
}

function isCompact(text: string, root: SettingsNode): boolean {
  return colonOf(text, root.children?.[0]) === ":";
}

function unitOf(text: string, root: SettingsNode): string {
  const own = root.children?.find(({ offset }) => opensLine(text, offset));
  const unit = own === undefined ? "" : indentAt(text, own.offset).slice(indentAt(text, root.offset).length);
  return unit === "" ? "  " : unit;
}

function opensLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
}

/** How the lines of a text end; like the first one. */
export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function endOf(node: SettingsNode): number {
  return node.offset + node.length;
}
