import { exitCodes, UserError } from "../../errors.ts";
import {
  PatternFault,
  type PatternNode,
  type PatternSequence,
  readPattern,
} from "../../fs/pattern-syntax.ts";

export interface PatternOptions {
  readonly text: string;
  readonly ignoreCase: boolean;
  /** Search for the literal text, not a regular expression. */
  readonly fixed: boolean;
}

/** A checked pattern, as plain data that can be sent to worker threads. */
export interface Pattern {
  /** Source for `new RegExp`. */
  readonly source: string;
  readonly flags: string;
  readonly ignoreCase: boolean;
  /** Every match contains at least one of these; if empty, every text must be decoded. */
  readonly literals: readonly string[];
  /** No text can make the regular expression engine take long. */
  readonly isQuick: boolean;
}

/**
 * Checks and prepares a pattern. `^` and `$` match at line ends, and `.` does not match a line end. Uses Unicode
 * mode, or legacy mode for patterns that are valid only there (`foo{`, `\-`).
 */
export function compilePattern({ text, ignoreCase, fixed }: PatternOptions): Pattern {
  if (text === "") {
    throw new UserError("Cannot search: the pattern is empty", {
      exitCode: exitCodes.wrongUsage,
      hint: "pass a pattern, as in: sessions grep 'exit code \\d+'",
    });
  }
  const source = fixed ? text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&") : text;
  const flags = ignoreCase ? "gim" : "gm";
  const unicode = isValid(source, `${flags}u`);
  if (!unicode && (onlyUnicode.test(source) || !isValid(source, flags))) throw brokenPattern(text);
  const branches = tryRead(source, unicode);
  return {
    source,
    flags: unicode ? `${flags}u` : flags,
    ignoreCase,
    literals:
      branches === undefined
        ? []
        : requiredTexts(branches, (char) => isVerbatimInJson(char, ignoreCase, unicode)),
    isQuick: branches !== undefined && isQuick(branches),
  };
}

/** In legacy mode `\p{Foo}` would match the literal text p{Foo}. */
const onlyUnicode = /(?<!\\)(?:\\\\)*\\[pP]\{/;

function isValid(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function tryRead(source: string, unicode: boolean): readonly PatternSequence[] | undefined {
  try {
    return readPattern(source, unicode);
  } catch (error) {
    if (error instanceof PatternFault) return undefined;
    throw error;
  }
}

/**
 * Says whether JSON has the character as itself, unless it is written as `\uXXXX`. Quotes, backslashes and
 * slashes may be escaped with a backslash. If case is ignored, only letters whose other forms are all ASCII
 * qualify: K also matches the Kelvin sign, and s the long s.
 */
function isVerbatimInJson(char: string, ignoreCase: boolean, unicode: boolean): boolean {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x80)
    return (
      point >= 0x20 && point < 0x7f && !/["\\/]/.test(char) && !(ignoreCase && unicode && /[ks]/i.test(char))
    );
  if (ignoreCase || (point > 0xffff && !unicode)) return false;
  return !(point >= 0xd800 && point < 0xe000) && point !== 0xfffd && point !== 0xfeff;
}

/** Syntax of other programs that JavaScript does not support. */
const FOREIGN_SYNTAX: readonly (readonly [RegExp, string])[] = [
  [/\(\?i\)/, "use -i to ignore case"],
  [/\(\?P</, "write named groups as (?<name>…)"],
];

function brokenPattern(text: string): UserError {
  const advice = FOREIGN_SYNTAX.find(([pattern]) => pattern.test(text))?.[1];
  const hint = advice ?? "use -F to search for the literal text";
  const why = faultOf(text);
  return new UserError(`Cannot read the pattern "${text}": ${why}`, {
    exitCode: exitCodes.wrongUsage,
    hint,
  });
}

function faultOf(text: string): string {
  try {
    readPattern(text, false);
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    const position = Array.from(text.slice(0, error.at)).length + 1;
    return `${error.message} (character ${position})`;
  }
  return engineMessage(text);
}

/** Returns the engine's own message without the pattern that it repeats. */
function engineMessage(text: string): string {
  try {
    new RegExp(text, onlyUnicode.test(text) ? "gmu" : "gm");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.slice(message.lastIndexOf(": ") + 2).toLowerCase();
  }
  return "it is not a regular expression";
}

/** Says whether a character can be searched for before a text is decoded. */
type MayKeep = (character: string) => boolean;

/** Searching for fewer bytes rules out too little. */
const MIN_BYTES = 3;
/** A longer text rules out no more. */
const MAX_CHARS = 48;
/** Searching for more texts costs more than decoding everything. */
const MAX_TEXTS = 12;

/**
 * Returns texts of which every match contains at least one, made only of characters that `mayKeep` accepts; none
 * if there are no such texts.
 */
function requiredTexts(branches: readonly PatternSequence[], mayKeep: MayKeep): readonly string[] {
  return textsOfBranches(branches, mayKeep) ?? [];
}

function textsOfBranches(
  branches: readonly PatternSequence[],
  mayKeep: MayKeep,
): readonly string[] | undefined {
  const texts = new Set<string>();
  for (const branch of branches) {
    const found = textsOfSequence(branch, mayKeep);
    if (found === undefined) return undefined;
    for (const text of found) texts.add(text);
  }
  return texts.size > MAX_TEXTS ? undefined : [...texts];
}

function textsOfSequence(nodes: PatternSequence, mayKeep: MayKeep): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  /** Adjacent characters that every match contains. */
  let run = "";
  const offer = (texts: readonly string[] | undefined): void => {
    if (texts !== undefined && (best === undefined || worthOf(texts) > worthOf(best))) best = texts;
  };
  const endRun = (next = ""): void => {
    if (bytesIn(run) >= MIN_BYTES) offer([run]);
    run = next;
  };
  const take = (node: PatternNode): void => {
    switch (node.kind) {
      case "text":
        if (!mayKeep(node.text)) endRun();
        else if (run.length < MAX_CHARS) run += node.text;
        else endRun(node.text);
        return;
      case "nothing":
      case "look":
        return;
      case "some":
      case "unknown":
        endRun();
        return;
      case "group": {
        const [only] = node.branches;
        if (node.branches.length === 1 && only !== undefined) only.forEach(take);
        else {
          endRun();
          offer(textsOfBranches(node.branches, mayKeep));
        }
        return;
      }
      case "repeat":
        takeRepeat(node);
    }
  };
  const takeRepeat = ({ node, min, max }: Extract<PatternNode, { kind: "repeat" }>): void => {
    if (min === 0) {
      endRun();
      return;
    }
    if (node.kind === "text" && mayKeep(node.text)) {
      // The first is next to what precedes it, the last next to what follows.
      for (let times = 0; times < Math.min(min, MAX_CHARS); times++) take(node);
      if (max !== min || min > MAX_CHARS) endRun(node.text);
      return;
    }
    endRun();
    if (node.kind === "group") offer(textsOfBranches(node.branches, mayKeep));
  };
  nodes.forEach(take);
  endRun();
  return best;
}

/** Rates texts: the shortest decides how much is ruled out; if equal, fewer texts are better. */
function worthOf(texts: readonly string[]): number {
  return Math.min(...texts.map(bytesIn)) - texts.length / (MAX_TEXTS + 1);
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Backtracking choices; each doubles the number of combinations. */
const MAX_CHOICES = 12;

/** Says whether matching is quick for any text. Only repetitions and too many choices can make it slow. */
function isQuick(branches: readonly PatternSequence[]): boolean {
  let choices = 0;
  const isQuickNode = (node: PatternNode): boolean => {
    switch (node.kind) {
      case "text":
      case "some":
      case "nothing":
        return true;
      case "look":
      case "unknown":
        return false;
      case "group":
        choices += node.branches.length - 1;
        return node.branches.every((branch) => branch.every(isQuickNode));
      case "repeat":
        choices++;
        if (node.max <= 1) return isQuickNode(node.node);
        return (
          node.min === node.max && node.max < 100 && (node.node.kind === "text" || node.node.kind === "some")
        );
    }
  };
  return branches.every((branch) => branch.every(isQuickNode)) && choices <= MAX_CHOICES;
}
