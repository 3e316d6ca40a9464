/**
 * Finds positions in JSON text, for messages about files that people edit: where it stops being valid JSON, and where
 * a value is. `JSON.parse` reports the first differently on every runtime, and the second not at all.
 */

/** Both count from 1; columns count characters, as editors do. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export interface JsonBreak extends TextPlace {
  readonly what: string;
}

export type JsonPath = readonly (string | number)[];

/** Finds where the text stops being JSON; undefined if it is valid. */
export function findJsonBreak(text: string): JsonBreak | undefined {
  const scan = scanJson(text, undefined);
  return scan.broken === undefined
    ? undefined
    : { ...placeAt(text, scan.broken.offset), what: scan.broken.what };
}

/** Finds where the value at a path starts; if there is none, the nearest value around it. */
export function findJsonValue(text: string, path: JsonPath): TextPlace {
  return placeAt(text, scanJson(text, path).found);
}

export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: Array.from(before.slice(lineStart)).length + 1 };
}

interface Scan {
  readonly broken: { readonly offset: number; readonly what: string } | undefined;
  readonly found: number;
}

/** Settings are never nested so deep, and each level costs stack. */
const MAX_DEPTH = 500;

const SPACE = /[ \t\r\n]*/y;
const STRING_PART = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

class Broken extends Error {
  readonly offset: number;
  constructor(offset: number, what: string) {
    super(what);
    this.offset = offset;
  }
}

function scanJson(text: string, path: JsonPath | undefined): Scan {
  let at = 0;
  let found = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const hit = pattern.exec(text)?.[0];
    if (hit !== undefined) at += hit.length;
    return hit;
  };
  const fail = (what: string): never => {
    throw new Broken(at, at >= text.length ? "the text ends too early" : what);
  };
  const expect = (character: string): void => {
    if (text[at] !== character) fail(`${JSON.stringify(character)} is missing`);
    at++;
  };
  const string = (): string => {
    if (text[at] !== '"') fail("a name in double quotes is missing");
    const start = at;
    match(STRING_PART);
    if (text[at] === "\\") fail("this escape is not valid");
    if (text[at] !== '"') fail("the string is not closed");
    at++;
    return JSON.parse(text.slice(start, at));
  };

  /** `matched` is how much of the requested path leads here; -1 if this value is not on it. */
  const value = (depth: number, matched: number): void => {
    match(SPACE);
    if (matched >= 0) found = at;
    if (depth > MAX_DEPTH) fail("it is nested too deeply");
    const step = (key: string | number): number =>
      matched >= 0 && path !== undefined && path[matched] === key ? matched + 1 : -1;
    if (text[at] === "{") {
      members("}", () => {
        const key = string();
        match(SPACE);
        expect(":");
        value(depth + 1, step(key));
      });
    } else if (text[at] === "[") {
      let index = 0;
      members("]", () => value(depth + 1, step(index++)));
    } else if (text[at] === '"') {
      string();
    } else if (match(NUMBER) === undefined && match(WORD) === undefined) {
      fail("a value is missing");
    }
    match(SPACE);
  };

  const members = (end: string, member: () => void): void => {
    at++;
    match(SPACE);
    if (text[at] === end) {
      at++;
      return;
    }
    for (;;) {
      match(SPACE);
      member();
      if (text[at] !== ",") break;
      at++;
    }
    if (text[at] !== end) fail(`"," or ${JSON.stringify(end)} is missing`);
    at++;
  };

  try {
    value(0, path === undefined ? -1 : 0);
    if (at < text.length) throw new Broken(at, "there is text after the end");
    return { broken: undefined, found };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { broken: { offset: error.offset, what: error.message }, found };
  }
}
