import { exitCodes, UserError } from "../../errors.ts";
import type { Command, Flag, FlagTable, FlagValue, ParsedArguments } from "../command.ts";
import { usageOf } from "../usage.ts";
import { hintNearest } from "./hint-nearest.ts";
import type { RawArguments } from "./raw-arguments.ts";

/** Turns what a parser read into what a command may trust, or refuses it with exit code 2. */
export function checkArguments(
  name: string,
  command: Pick<Command, "positionals" | "dashWords">,
  table: FlagTable,
  raw: RawArguments,
): ParsedArguments {
  const [stranger] = raw.unknown;
  if (stranger !== undefined) {
    throw wrongUsage(`Unknown flag ${stranger}`, flagHint(name, command, table, stranger));
  }
  const flags: Record<string, FlagValue> = {};
  for (const [key, flag] of Object.entries(table)) {
    const values = raw.flags.get(key);
    flags[key] = values === undefined ? defaultOf(flag) : checkFlag(key, flag, values);
  }
  checkPositionals(name, command, raw.positionals);
  return {
    flags,
    given: new Set(raw.flags.keys()),
    positionals: raw.positionals,
    literalFrom: raw.literalFrom,
  };
}

function defaultOf(flag: Flag): FlagValue {
  if (flag.type === "boolean") return flag.default ?? false;
  return flag.type === "strings" ? [] : flag.default;
}

/** Of a flag that may stand once, the last one typed counts. */
function checkFlag(name: string, flag: Flag, values: readonly (string | boolean)[]): FlagValue {
  if (flag.type === "boolean") {
    if (values.some((value) => typeof value === "string")) throw takesNoValue(name);
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
    if (positional !== undefined) checkChoice(`<${positional.name}>`, positional.choices, word);
  }
}

function flagHint(
  name: string,
  command: Pick<Command, "dashWords">,
  table: FlagTable,
  typed: string,
): string {
  const known = Object.entries(table).flatMap(([key, flag]) => {
    if (flag.hidden === true) return [];
    return flag.type === "boolean" ? [key, `no-${key}`] : [key];
  });
  const near = hintNearest(typed.replace(/^-+/, ""), known, (key) => `--${key}`);
  if (near !== undefined) return near;
  if (command.dashWords === true) return `to look for the text itself: sessions ${name} -- ${typed}`;
  return `run \`sessions ${name} --help\``;
}

export function takesNoValue(name: string): UserError {
  return wrongUsage(`Flag --${name} takes no value`, `write --${name} or --no-${name}`);
}

export function wrongUsage(message: string, hint?: string): UserError {
  return new UserError(message, { exitCode: exitCodes.wrongUsage, ...(hint !== undefined && { hint }) });
}
