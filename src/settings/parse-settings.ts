import { type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { placeAt } from "../jsonl/json-place.ts";

/** A value in a settings file, and its place in the text: what jsonc-parser makes, of which the types of the library know nothing. */
export interface SettingsNode {
  readonly type: "object" | "array" | "property" | "string" | "number" | "boolean" | "null";
  readonly value?: unknown;
  readonly offset: number;
  readonly length: number;
  readonly colonOffset?: number;
  readonly parent?: SettingsNode;
  readonly children?: readonly SettingsNode[];
}

/** A settings file of another program: JSON with comments and trailing commas. */
export interface ParsedSettings {
  readonly kind: "parsed";
  readonly text: string;
  /** undefined if there is nothing but blanks, which counts as `{}`. */
  readonly root: SettingsNode | undefined;
}

export interface BrokenSettings {
  readonly kind: "broken";
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

export type SettingsPath = readonly (string | number)[];

/** Syntax errors, worded so that they say what to do. */
const words: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is no JSON value",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "a name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: '":" is missing',
  CommaExpected: '"," is missing',
  CloseBraceExpected: '"}" is missing',
  CloseBracketExpected: '"]" is missing',
  EndOfFileExpected: "unexpected text after the end",
  InvalidCommentToken: "this comment is not valid",
  UnexpectedEndOfComment: "the comment is not closed",
  UnexpectedEndOfString: "the string is not closed",
  UnexpectedEndOfNumber: "the number is not complete",
  InvalidUnicode: "this escape is not known",
  InvalidEscapeCharacter: "this escape is not known",
  InvalidCharacter: "invalid character in a string",
};

/** Reads settings without a BOM. Never throws. */
export function parseSettings(text: string): ParsedSettings | BrokenSettings {
  if (text.trim() === "") return { kind: "parsed", text, root: undefined };
  const errors: ParseError[] = [];
  let root: SettingsNode | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { kind: "broken", line: 1, column: 1, what: "it is nested too deeply" };
  }
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first !== undefined) {
    const what = words[printParseErrorCode(first.error)] ?? "this is no JSON";
    return { kind: "broken", ...placeAt(text, first.offset), what };
  }
  if (root?.type !== "object") {
    return { kind: "broken", ...placeAt(text, root?.offset ?? 0), what: "settings are an object, { … }" };
  }
  return { kind: "parsed", text, root };
}

/** Finds the node at a path. If a name occurs twice the last one counts, as in every parser. */
export function nodeAt(root: SettingsNode | undefined, path: SettingsPath): SettingsNode | undefined {
  let node = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    node =
      typeof step === "number"
        ? node.type === "array"
          ? node.children?.[step]
          : undefined
        : propertyOf(node, step)?.children?.[1];
  }
  return node;
}

export function propertyOf(node: SettingsNode, key: string): SettingsNode | undefined {
  if (node.type !== "object") return undefined;
  return node.children?.findLast((property) => property.children?.[0]?.value === key);
}

/** The plain value of a node. */
function plainValue(node: SettingsNode | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.type === "array") return (node.children ?? []).map(plainValue);
  if (node.type !== "object") return node.value;
  const members = (node.children ?? []).map(({ children }) => [
    children?.[0]?.value,
    plainValue(children?.[1]),
  ]);
  return Object.fromEntries(members);
}

export function settingAt(settings: ParsedSettings, path: SettingsPath): unknown {
  return plainValue(nodeAt(settings.root, path));
}
