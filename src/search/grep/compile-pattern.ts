import { exitCodes, UserError } from "../../errors.ts";
import {
  PatternFault,
  type PatternNode,
  type PatternSequence,
  readPattern,
} from "../../fs/pattern-syntax.ts";

export interface PatternOptions {
  readonly text: string;
  /** Upper and lower case are the same. */
  readonly ignoreCase: boolean;
  /** The text itself is looked for: it is no regular expression. */
  readonly fixed: boolean;
}

/** A pattern as threads pass it to each other. */
export interface Pattern {
  /** For `new RegExp`. */
  readonly source: string;
  readonly flags: string;
  readonly ignoreCase: boolean;
  /** Every match holds one of these; none: nothing can be said before the text is decoded. */
  readonly literals: readonly string[];
  /** No text can keep the engine busy for long. */
  readonly isQuick: boolean;
}

/**
 * Checks a pattern and prepares it. `^` and `$` are the ends of lines and `.` stays on its line. Characters
 * are those of Unicode; a pattern that only older rules allow (`foo{`, `\-`) is read by these.
 */
export function compilePattern({ text, ignoreCase, fixed }: PatternOptions): Pattern {
  if (text === "") {
    throw new UserError("Cannot look for nothing: the pattern is empty", {
      exitCode: exitCodes.wrongUsage,
      hint: "type what to look for, as in: sessions grep 'exit code \\d+'",
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
        : requiredTexts(branches, (char) => mayStandInBytes(char, ignoreCase, unicode)),
    isQuick: branches !== undefined && isQuick(branches),
  };
}

/** By the older rules this is a letter and a brace: `\p{Foo}` would look for the text p{Foo}. */
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
 * Does the character stand in the bytes of JSON as itself, unless it is written as `\uXXXX`? Quotes,
 * backslashes and slashes may have a backslash before them. Where case does not count, only letters whose
 * other forms are all ASCII will do: K is also the sign of Kelvin, s also the long s.
 */
function mayStandInBytes(char: string, ignoreCase: boolean, unicode: boolean): boolean {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x80)
    return (
      point >= 0x20 && point < 0x7f && !/["\\/]/.test(char) && !(ignoreCase && unicode && /[ks]/i.test(char))
    );
  if (ignoreCase || (point > 0xffff && !unicode)) return false;
  return !(point >= 0xd800 && point < 0xe000) && point !== 0xfffd && point !== 0xfeff;
}

/** Patterns of other programs that engines of JavaScript do not read. */
const HABITS: readonly (readonly [RegExp, string])[] = [
  [/\(\?i\)/, "-i ignores case"],
  [/\(\?P</, "groups are named (?<name>…)"],
];

function brokenPattern(text: string): UserError {
  const habit = HABITS.find(([pattern]) => pattern.test(text))?.[1];
  const hint = habit ?? "-F looks for the text as it is";
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
  return engineSays(text);
}

/** In the engine's own words, without the pattern, which they repeat. */
function engineSays(text: string): string {
  try {
    new RegExp(text, onlyUnicode.test(text) ? "gmu" : "gm");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.slice(message.lastIndexOf(": ") + 2).toLowerCase();
  }
  return "it is no regular expression";
}

/** Which characters may be looked for before a text is decoded. */
type MayKeep = (character: string) => boolean;

/** Bytes that make looking for a text worth it. */
const SHORTEST = 3;
/** More tells nothing more. */
const LONGEST = 48;
/** Looking for more texts than this costs more than reading everything. */
const MOST = 12;

/**
 * Texts of which every match of the pattern holds at least one, made only of characters that may be kept;
 * none where there are no such texts.
 */
function requiredTexts(branches: readonly PatternSequence[], mayKeep: MayKeep): readonly string[] {
  return ofBranches(branches, mayKeep) ?? [];
}

function ofBranches(branches: readonly PatternSequence[], mayKeep: MayKeep): readonly string[] | undefined {
  const texts = new Set<string>();
  for (const branch of branches) {
    const found = ofSequence(branch, mayKeep);
    if (found === undefined) return undefined;
    for (const text of found) texts.add(text);
  }
  return texts.size > MOST ? undefined : [...texts];
}

function ofSequence(nodes: PatternSequence, mayKeep: MayKeep): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  /** Characters that stand side by side in every match. */
  let run = "";
  const offer = (texts: readonly string[] | undefined): void => {
    if (texts !== undefined && (best === undefined || worthOf(texts) > worthOf(best))) best = texts;
  };
  const endRun = (next = ""): void => {
    if (bytesIn(run) >= SHORTEST) offer([run]);
    run = next;
  };
  const take = (node: PatternNode): void => {
    switch (node.kind) {
      case "text":
        if (!mayKeep(node.text)) endRun();
        else if (run.length < LONGEST) run += node.text;
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
          offer(ofBranches(node.branches, mayKeep));
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
      // The first stands beside what comes before, the last beside what follows.
      for (let times = 0; times < Math.min(min, LONGEST); times++) take(node);
      if (max !== min || min > LONGEST) endRun(node.text);
      return;
    }
    endRun();
    if (node.kind === "group") offer(ofBranches(node.branches, mayKeep));
  };
  nodes.forEach(take);
  endRun();
  return best;
}

/** The shortest decides how much is sifted out; of equals the fewest. */
function worthOf(texts: readonly string[]): number {
  return Math.min(...texts.map(bytesIn)) - texts.length / (MOST + 1);
}

function bytesIn(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Choices that may be taken back: their combinations double with each. */
const MOST_CHOICES = 12;

/** Can a match never take long, whatever the text? Only repetitions can make an engine try again and again. */
function isQuick(branches: readonly PatternSequence[]): boolean {
  let choices = 0;
  const look = (node: PatternNode): boolean => {
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
        return node.branches.every((branch) => branch.every(look));
      case "repeat":
        choices++;
        if (node.max <= 1) return look(node.node);
        return (
          node.min === node.max && node.max < 100 && (node.node.kind === "text" || node.node.kind === "some")
        );
    }
  };
  return branches.every((branch) => branch.every(look)) && choices <= MOST_CHOICES;
}
