import { exitCodes, UserError } from "../../errors.ts";
import { PatternFault, type PatternSequence, readPattern } from "../../fs/pattern-syntax.ts";
import { isQuick, requiredTexts } from "./required-texts.ts";

export interface PatternWish {
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
export function compilePattern({ text, ignoreCase, fixed }: PatternWish): Pattern {
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
    const position = [...text.slice(0, error.at)].length + 1;
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
