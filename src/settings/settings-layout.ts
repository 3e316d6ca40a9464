import type { Node } from "jsonc-parser";

/** How the neighbours of a value are laid out, so that what is new looks like them. */
export interface Layout {
  readonly isOneLine: boolean;
  readonly eol: string;
  /** In front of a member on a line of its own. */
  readonly indent: string;
  /** In front of the bracket that closes. */
  readonly base: string;
  readonly colon: string;
  /** Between two members on one line. */
  readonly separator: string;
  render(value: unknown): string;
}

/** For a new member of a container. */
export function layoutIn(text: string, root: Node, container: Node): Layout {
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

/** For a value that takes the place of another. */
export function layoutAt(text: string, root: Node, node: Node): Pick<Layout, "render"> {
  const isOneLine = !text.slice(root.offset, endOf(root)).includes("\n");
  const line = `${eolOf(text)}${indentAt(text, node.offset)}`;
  return { render: (value) => (isOneLine ? JSON.stringify(value) : pretty(value, unitOf(text, root), line)) };
}

function pretty(value: unknown, unit: string, line: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", line);
}

function colonOf(text: string, property: Node | undefined): string | undefined {
  const [key, value] = property?.type === "property" ? (property.children ?? []) : [];
  if (key === undefined || value === undefined) return undefined;
  const between = text.slice(endOf(key), value.offset);
  return /^[ \t]*:[ \t]*$/.test(between) ? between : undefined;
}

function separatorOf(text: string, [first, second]: readonly Node[]): string | undefined {
  if (first === undefined || second === undefined) return undefined;
  return /^[ \t]*,([ \t]*)$/.exec(text.slice(endOf(first), second.offset))?.[1];
}

function isCompact(text: string, root: Node): boolean {
  return colonOf(text, root.children?.[0]) === ":";
}

function unitOf(text: string, root: Node): string {
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

export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}
