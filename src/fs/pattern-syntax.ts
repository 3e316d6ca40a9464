/**
 * The syntax tree of a regular expression, as detailed as needed to find out what text every match must contain, and
 * where a broken pattern is broken. Only the engine decides whether it is valid; this says where and why not.
 */
export type PatternNode =
  /** Exactly this character. */
  | { readonly kind: "text"; readonly text: string }
  /** One character of a class; `source` is that part of the pattern. */
  | { readonly kind: "some"; readonly source: string }
  /** An anchor: matches no text. */
  | { readonly kind: "nothing" }
  /** A lookahead or lookbehind: matches no text. */
  | { readonly kind: "look"; readonly branches: readonly PatternSequence[] }
  /** Unknown text: a back reference, or a group with other flags, which has branches. */
  | { readonly kind: "unknown"; readonly branches?: readonly PatternSequence[] }
  | { readonly kind: "group"; readonly branches: readonly PatternSequence[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number };

export type PatternSequence = readonly PatternNode[];

/** Why a pattern is not valid, and the index of the character at fault. */
export class PatternFault extends Error {
  override readonly name: string = "PatternFault";
  readonly at: number;

  constructor(what: string, at: number) {
    super(what);
    this.at = at;
  }
}

const NOTHING: PatternNode = { kind: "nothing" };
const UNKNOWN: PatternNode = { kind: "unknown" };

/** Characters that mean others after a backslash. */
const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", v: "\v", f: "\f", 0: "\0" };

/** Parses a pattern into its branches; throws a PatternFault. `unicode` is the flag of that name. */
export function readPattern(source: string, unicode: boolean): readonly PatternSequence[] {
  let at = 0;
  let openGroups = 0;

  const readBranches = (): readonly PatternSequence[] => {
    const branches: PatternNode[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at++;
        branches.push([]);
      } else branches.at(-1)?.push(readTerm());
    }
    if (source[at] === ")" && openGroups === 0) throw new PatternFault('this ")" closes nothing', at);
    return branches;
  };

  const readTerm = (): PatternNode => {
    const start = at;
    const node = readAtom();
    return readRepeat(node, start);
  };

  const readAtom = (): PatternNode => {
    const char = takeChar();
    switch (char) {
      case "^":
      case "$":
        return NOTHING;
      case ".":
        return { kind: "some", source: "." };
      case "(":
        return readGroup(at - 1);
      case "[":
        return readClass(at - 1);
      case "\\":
        return readEscape(at - 1);
      case "*":
      case "+":
      case "?":
        throw new PatternFault(`this "${char}" has nothing to repeat`, at - 1);
      case "{":
        if (repeatAt(at - 1) !== undefined)
          throw new PatternFault("this repetition has nothing to repeat", at - 1);
    }
    return { kind: "text", text: char };
  };

  const takeChar = (): string => {
    const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
    at += char.length;
    return char;
  };

  const readGroup = (start: number): PatternNode => {
    const [head = "", kind = ""] = /^\?(<?[=!]|:|<[^>]*>?|[a-z-]*:?)/.exec(source.slice(at)) ?? [];
    if (head !== "" && (!/[=!:>]$/.test(kind) || kind === "<>"))
      throw new PatternFault("there is no such kind of group", start);
    at += head.length;
    openGroups++;
    const branches = readBranches();
    openGroups--;
    if (source[at] !== ")") throw new PatternFault('this "(" is never closed', start);
    at++;
    if (/[=!]$/.test(kind)) return { kind: "look", branches };
    // `(?i:…)` changes what its text matches.
    return { kind: kind.length > 1 && kind.endsWith(":") ? "unknown" : "group", branches };
  };

  const readClass = (start: number): PatternNode => {
    const chars: PatternNode[] = [];
    let isPlain = source[at] !== "^";
    while (at < source.length && source[at] !== "]") {
      const from = at;
      const char = takeChar();
      const node: PatternNode = char === "\\" ? readEscape(from, true) : { kind: "text", text: char };
      if (char === "-") {
        isPlain = false;
        checkRange(chars, from);
      }
      chars.push(node);
    }
    if (at >= source.length) throw new PatternFault('this "[" is never closed', start);
    at++;
    const [only] = chars;
    return isPlain && chars.length === 1 && only?.kind === "text"
      ? only
      : { kind: "some", source: source.slice(start, at) };
  };

  /** After the dash of a range. */
  const checkRange = (before: readonly PatternNode[], dash: number): void => {
    const low = before.at(-1);
    const high = source.codePointAt(at);
    if (low?.kind !== "text" || high === undefined || /[\]\\]/.test(String.fromCodePoint(high))) return;
    if ((low.text.codePointAt(0) ?? 0) > high)
      throw new PatternFault("this range ends before it begins", dash - low.text.length);
  };

  const readEscape = (start: number, inClass = false): PatternNode => {
    if (at >= source.length) throw new PatternFault("nothing follows this backslash", start);
    const coded = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(source.slice(at, at + 5));
    if (coded !== null) {
      at += coded[0].length;
      return { kind: "text", text: String.fromCharCode(Number.parseInt(coded[1] ?? coded[2] ?? "", 16)) };
    }
    const braced = /^(?:u\{([0-9a-fA-F]{1,6})\}|[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z])/.exec(source.slice(at));
    if (braced !== null && (unicode || source[at] === "c" || source[at] === "k")) {
      at += braced[0].length;
      if (/^p/i.test(braced[0])) return { kind: "some", source: source.slice(start, at) };
      const point = Number.parseInt(braced[1] ?? "", 16);
      return point <= 0x10ffff ? { kind: "text", text: String.fromCodePoint(point) } : UNKNOWN;
    }
    const digits = /^\d+/.exec(source.slice(at))?.[0] ?? "";
    if (digits !== "" && digits !== "0") {
      // The number of a group, or an octal character.
      at += digits.length;
      return UNKNOWN;
    }
    const char = takeChar();
    const some: PatternNode = { kind: "some", source: source.slice(start, at) };
    if (/[dDwWsS]/.test(char)) return some;
    if (/[bB]/.test(char)) return inClass ? some : NOTHING;
    // Without the flag these are plain letters, or a letter and a repetition: nothing is known about the text.
    if (/[pPukcx]/.test(char)) return UNKNOWN;
    return { kind: "text", text: CONTROLS[char] ?? char };
  };

  const readRepeat = (node: PatternNode, start: number): PatternNode => {
    const found = repeatAt(at);
    if (found === undefined) return node;
    if (found.max < found.min) throw new PatternFault("these numbers are in the wrong order", at);
    if (node.kind === "nothing" || (node.kind === "look" && source[start + 2] === "<"))
      throw new PatternFault(`this "${source[at] ?? ""}" has nothing to repeat`, at);
    at += found.length;
    if (source[at] === "?") at++;
    return { kind: "repeat", node, min: found.min, max: found.max };
  };

  const repeatAt = (
    index: number,
  ): { readonly min: number; readonly max: number; readonly length: number } | undefined => {
    const simple = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] } as const;
    const char = source[index];
    if (char === "*" || char === "+" || char === "?") {
      const [min, max] = simple[char];
      return { min, max, length: 1 };
    }
    const braces = char === "{" ? /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(index)) : null;
    if (braces === null) return undefined;
    const [text, low = "", comma, high = ""] = braces;
    const min = Number(low);
    const max = comma === "" ? min : high === "" ? Infinity : Number(high);
    return { min, max, length: text.length };
  };

  return readBranches();
}
