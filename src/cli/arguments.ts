import { exitCodes, UserError } from "../errors.ts";
import { nearest } from "../search/query/nearest.ts";
import {
  type Command,
  type Flag,
  type FlagTable,
  type FlagValue,
  globalFlags,
  type ParsedArguments,
  usageOf,
} from "./command.ts";

/**
 * Reads the words after a command, and refuses with exit code 2 anything that the command's tables do not allow. The
 * grammar is getopt's: `--name value`, `--name=value`, `--no-name`, `-il` (two flags), `-C3`, `-C=3` and `-C 3`;
 * after `--` there are only words, and numbers stay text. With `dashWords` a single dash makes a flag only of one
 * known letter, alone or with a number; any other `-word` is a word.
 */
export function parseArguments(
  name: string,
  command: Pick<Command, "flags" | "positionals" | "dashWords">,
  argv: readonly string[],
): ParsedArguments {
  const table: FlagTable = { ...command.flags, ...globalFlags };
  const { typed, unknown, positionals, literalFrom } = readWords(argv, table, command.dashWords === true);
  if (unknown !== undefined) throw unknownFlag(name, command, table, unknown);
  const flags: Record<string, FlagValue> = {};
  for (const [key, flag] of Object.entries(table)) {
    const values = typed.get(key);
    flags[key] = values === undefined ? defaultOf(flag) : checkFlag(key, flag, values);
  }
  checkPositionals(name, command, positionals);
  return { flags, given: new Set(typed.keys()), positionals, literalFrom };
}

/** `""` is the value of a flag that was typed without its required value. */
type TypedValue = string | boolean;

interface ReadWords {
  /** Every value of a flag, in the order typed. */
  readonly typed: ReadonlyMap<string, readonly TypedValue[]>;
  /** The first flag that is in no table. */
  readonly unknown: UnknownFlag | undefined;
  readonly positionals: readonly string[];
  readonly literalFrom: number;
}

interface UnknownFlag {
  /** As typed, without its value. */
  readonly typed: string;
  /** The word after it. */
  readonly next: string | undefined;
}

function readWords(argv: readonly string[], table: FlagTable, dashWords: boolean): ReadWords {
  const names = namesOf(table);
  const typed = new Map<string, TypedValue[]>();
  const unknown: UnknownFlag[] = [];
  const end = argv.indexOf("--");
  const before = end < 0 ? argv : argv.slice(0, end);
  const words: string[] = [];
  const add = (name: string, value: TypedValue): void => {
    const values = typed.get(name);
    if (values === undefined) typed.set(name, [value]);
    else values.push(value);
  };
  for (let at = 0; at < before.length; at++) {
    const arg = before[at] ?? "";
    const read = readFlags(arg, names, table, dashWords);
    if (read === "word") words.push(arg);
    else if (read === "unknown")
      unknown.push({ typed: arg.replace(/^(--.[^=]*)=.*$/s, "$1"), next: before[at + 1] });
    else {
      for (const { name, value } of read) {
        const isBoolean = table[name]?.type === "boolean";
        add(name, value ?? (isBoolean ? true : valueIn(before[++at])));
      }
    }
  }
  const literal = end < 0 ? [] : argv.slice(end + 1);
  return { typed, unknown: unknown[0], positionals: [...words, ...literal], literalFrom: words.length };
}

/** A flag as typed; if it has no value, the next word may become it. */
interface TypedFlag {
  readonly name: string;
  readonly value?: TypedValue;
}

const negativeNumber = /^-(\d+(\.\d+)?|\.\d+)$/;

function readFlags(
  arg: string,
  names: ReadonlyMap<string, string>,
  table: FlagTable,
  dashWords: boolean,
): readonly TypedFlag[] | "word" | "unknown" {
  if (arg.startsWith("--")) return readLongFlag(arg.slice(2), names, table);
  if (!/^-./s.test(arg) || negativeNumber.test(arg)) return "word";
  if (dashWords && !/^-.(=?\d+)?$/.test(arg)) return "word";
  return readLetters(arg.slice(1), names, table) ?? (dashWords ? "word" : "unknown");
}

function readLongFlag(
  text: string,
  names: ReadonlyMap<string, string>,
  table: FlagTable,
): readonly TypedFlag[] | "unknown" {
  const [, typed = "", value] = /^([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
  // One letter is only known with one dash.
  const name = typed.length > 1 ? names.get(typed) : undefined;
  if (name !== undefined) return [value === undefined ? { name } : { name, value }];
  const negated = /^no-(..+)$/.exec(typed)?.[1];
  const positive = negated === undefined ? undefined : names.get(negated);
  const isBoolean = positive !== undefined && table[positive]?.type === "boolean";
  return isBoolean && value === undefined ? [{ name: positive, value: false }] : "unknown";
}

/** The flags of a group of letters; undefined if one of them is unknown. */
function readLetters(
  group: string,
  names: ReadonlyMap<string, string>,
  table: FlagTable,
): readonly TypedFlag[] | undefined {
  const found: TypedFlag[] = [];
  for (let at = 0; at < group.length; at++) {
    const name = names.get(group.charAt(at));
    if (name === undefined) return undefined;
    const rest = group.slice(at + 1);
    const takesValue = table[name]?.type !== "boolean";
    if (rest !== "" && (takesValue || rest.startsWith("="))) {
      return [...found, { name, value: rest.replace(/^=/, "") }];
    }
    found.push({ name });
  }
  return found;
}

/** The next word as the value of a flag, unless it is another flag: `--project --json` lacks a value. */
function valueIn(next: string | undefined): string {
  return next === undefined || /^-(?!\.?\d)/.test(next) ? "" : next;
}

/** Every way to write a flag, without dashes, and the flag it means. */
function namesOf(table: FlagTable): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([name, { alias, otherNames = [] }]) =>
      [name, ...otherNames, ...(alias === undefined ? [] : [alias])].map((each) => [each, name] as const),
    ),
  );
}

function defaultOf(flag: Flag): FlagValue {
  if (flag.type === "boolean") return flag.default ?? false;
  return flag.type === "strings" ? [] : flag.default;
}

/** Checks the values of one flag. If a flag can be given once, the last one typed counts. */
function checkFlag(name: string, flag: Flag, values: readonly TypedValue[]): FlagValue {
  if (flag.type === "boolean") {
    if (values.some((value) => typeof value === "string")) {
      throw wrongUsage(`Flag --${name} takes no value`, `write --${name} or --no-${name}`);
    }
    return values.at(-1) === true;
  }
  const texts = values.map(String);
  if (texts.includes("")) {
    throw wrongUsage(`Flag --${name} needs a value`, `write --${name}=${flag.placeholder ?? "VALUE"}`);
  }
  if (flag.type === "number") return texts.map((text) => checkNumber(name, flag.min ?? 0, text)).at(-1);
  for (const text of texts) checkChoice(`Flag --${name}`, flag.choices, text);
  return flag.type === "strings" ? texts : texts.at(-1);
}

function checkNumber(name: string, min: number, text: string): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= min) return number;
  throw wrongUsage(`Flag --${name} needs a whole number of at least ${min}, not "${text}"`);
}

function checkChoice(what: string, choices: readonly string[] | undefined, text: string): void {
  if (choices === undefined || choices.includes(text)) return;
  const others = `it can be ${choices.join(", ")}`;
  throw wrongUsage(`${what} cannot be "${text}"`, hintNearest(text, choices, (near) => near) ?? others);
}

function checkPositionals(
  name: string,
  { positionals }: Pick<Command, "positionals">,
  words: readonly string[],
): void {
  const usage = `usage: ${usageOf(name, positionals)}`;
  const missing = positionals.filter((positional) => positional.optional !== true)[words.length];
  if (missing !== undefined) throw wrongUsage(`Cannot run "${name}": <${missing.name}> is missing`, usage);
  const extra = words[positionals.length];
  if (extra !== undefined && positionals.at(-1)?.many !== true) {
    throw wrongUsage(`Cannot run "${name}": "${extra}" is one argument too many`, usage);
  }
  for (const [index, word] of words.entries()) {
    const positional = positionals[index] ?? positionals.at(-1);
    if (positional === undefined) continue;
    const hint = positional.choices?.includes(word) ? undefined : positional.meant?.(word);
    if (hint !== undefined)
      throw wrongUsage(`<${positional.name}> cannot be "${word}"`, `did you mean ${hint}?`);
    checkChoice(`<${positional.name}>`, positional.choices, word);
  }
}

function unknownFlag(
  name: string,
  { dashWords }: Pick<Command, "dashWords">,
  table: FlagTable,
  { typed, next }: UnknownFlag,
): UserError {
  const known = Object.entries(table).flatMap(([key, flag]) => {
    if (flag.hidden === true) return [];
    return flag.type === "boolean" ? [key, `no-${key}`] : [key];
  });
  const otherwise =
    dashWords === true
      ? `to search for that text: sessions ${name} -- ${typed}`
      : `run \`sessions ${name} --help\``;
  const count = table.limit?.type === "number" ? countOf(typed, next) : undefined;
  const near =
    count === undefined
      ? hintNearest(typed.replace(/^-+/, ""), known, (key) => `--${key}`)
      : `did you mean --limit ${count}?`;
  return wrongUsage(`Unknown flag ${typed}`, near ?? otherwise);
}

/** The number after -n, with which other programs limit what they show. */
function countOf(typed: string, next: string | undefined): string | undefined {
  const [, joined] = /^-n=?(\d*)$/.exec(typed) ?? [];
  if (joined === undefined) return undefined;
  if (joined !== "") return joined;
  return next !== undefined && /^\d+$/.test(next) ? next : "N";
}

/** "did you mean --limit?", or undefined if no known word is similar. */
export function hintNearest(
  typed: string,
  known: readonly string[],
  show: (near: string) => string,
): string | undefined {
  const [near] = nearest(typed, known, { limit: 1 });
  return near === undefined ? undefined : `did you mean ${show(near)}?`;
}

function wrongUsage(message: string, hint?: string): UserError {
  return new UserError(message, { exitCode: exitCodes.wrongUsage, ...(hint !== undefined && { hint }) });
}
