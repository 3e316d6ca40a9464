import * as z from "zod/mini";
import type { ModelPrice } from "./config.ts";
import { patternCost } from "./pattern-cost.ts";

const text = z.string("must be text in quotes").check(z.minLength(1, "must not be empty"));

const folder = text.check(
  z.refine(
    (path) => /^(?:~?\/|~$|[A-Za-z]:[\\/]|\\\\)/.test(path),
    'must be an absolute path or start with "~/"',
  ),
);

const pattern = text.check(
  z.refine(compiles, { error: "must be a regular expression", abort: true }),
  z.refine(
    (source) => patternCost(source) !== "endless",
    "could run forever on some texts: it repeats something that matches the same text in several ways, as in (a+)+; " +
      "repeat it once",
  ),
  z.refine(
    (source) => patternCost(source) !== "slow",
    "could run for hours on some texts: several repetitions in it match the same text, as in \\S+:\\S+@; exclude what " +
      "comes next from each, as in [^\\s:]+:[^\\s@]+@",
  ),
);

const texts = z.array(text, "must be a list");
const folders = z.array(folder, "must be a list");
const patterns = z.array(pattern, "must be a list");
const recall = z.enum(["off", "compact", "always"], 'must be "off", "compact" or "always"');

const OBJECT = "must be an object in braces";

/** By agent; the names are checked by `doctor`, because the table of agents is not known here. */
const sources = z.record(z.string(), folders, OBJECT);
/** Loose, as the others: a key of a later version, or a misspelled one, is ignored and reported. */
const hooks = z.looseObject({ recall: z.optional(recall) }, OBJECT);
const search = z.looseObject({ limit: z.optional(wholeNumber(1, 1_000)) }, OBJECT);
const index = z.looseObject({ outputChars: z.optional(wholeNumber(0, 1_000_000)) }, OBJECT);
const amount = z.number("must be a number").check(z.gte(0, "must not be negative"));
const price = z.strictObject(
  {
    input: amount,
    output: amount,
    cacheRead: z.optional(amount),
    cacheWrite: z.optional(amount),
    cacheWriteHour: z.optional(amount),
  },
  "must have input and output, and may have cacheRead, cacheWrite and cacheWriteHour: dollars for a million tokens",
);
const prices = z.record(z.string(), price, OBJECT);
const archive = z.looseObject({ site: z.optional(z.boolean("must be true or false")) }, OBJECT);
const sync = z.looseObject(
  { remotes: z.optional(texts), everyMinutes: z.optional(wholeNumber(1, 100_000)) },
  OBJECT,
);
const push = z.looseObject({ team: z.optional(texts) }, OBJECT);
const paths = z.record(folder, folder, OBJECT);
const whole = z.looseObject(
  {
    exclude: z.optional(texts),
    sources: z.optional(sources),
    redact: z.optional(patterns),
    hooks: z.optional(hooks),
    search: z.optional(search),
    index: z.optional(index),
    prices: z.optional(prices),
    archive: z.optional(archive),
    machine: z.optional(text),
    paths: z.optional(paths),
    sync: z.optional(sync),
    push: z.optional(push),
  },
  OBJECT,
);

/** The settings in the form of the file. */
export interface WrittenConfig {
  readonly exclude?: readonly string[] | undefined;
  readonly sources?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly redact?: readonly string[] | undefined;
  readonly hooks?: { readonly recall?: "off" | "compact" | "always" | undefined } | undefined;
  readonly search?: { readonly limit?: number | undefined } | undefined;
  readonly index?: { readonly outputChars?: number | undefined } | undefined;
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  readonly archive?: { readonly site?: boolean | undefined } | undefined;
  readonly machine?: string | undefined;
  readonly paths?: Readonly<Record<string, string>> | undefined;
  readonly sync?:
    | { readonly remotes?: readonly string[] | undefined; readonly everyMinutes?: number | undefined }
    | undefined;
  readonly push?: { readonly team?: readonly string[] | undefined } | undefined;
}

export type CheckedConfig =
  | { readonly kind: "good"; readonly written: WrittenConfig; readonly unknownKeys: readonly string[] }
  | { readonly kind: "bad"; readonly path: readonly (string | number)[]; readonly what: string };

/** Checks the parsed file; the first error is reported. */
export function validateConfig(value: unknown): CheckedConfig {
  const result = whole.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    const path = (issue?.path ?? []).map((step) => (typeof step === "symbol" ? String(step) : step));
    return { kind: "bad", path, what: issue?.message ?? "is not understood" };
  }
  const written = result.data;
  const unknownKeys = [
    ...unknownIn("", whole, value),
    ...unknownIn("hooks.", hooks, written.hooks),
    ...unknownIn("search.", search, written.search),
    ...unknownIn("index.", index, written.index),
    ...unknownIn("sync.", sync, written.sync),
    ...unknownIn("push.", push, written.push),
  ];
  return { kind: "good", written, unknownKeys };
}

/** The valid part of the parsed file: lists without invalid elements, otherwise without whole values. */
export function salvageConfig(value: unknown): {
  readonly written: WrittenConfig;
  /** The place of an error; an empty path is the whole file. */
  readonly badPaths: readonly (readonly PropertyKey[])[];
} {
  const badPaths: (readonly PropertyKey[])[] = [];
  for (let rest: unknown = value; ; ) {
    const result = whole.safeParse(rest);
    if (result.success) return { written: result.data, badPaths };
    for (const { path } of result.error.issues) {
      badPaths.push(path);
      // Emptied first, so that the places of the other elements stay.
      rest = replaceAt(rest, path);
    }
    rest = withoutHoles(rest);
  }
}

const HOLE = Symbol("hole");

/** Puts a hole where the path leads, or where it ends early; the whole is replaced by an empty object. */
function replaceAt(value: unknown, [step, ...path]: readonly PropertyKey[]): unknown {
  if (step === undefined) return HOLE;
  if (Array.isArray(value)) return value.map((each, at) => (at === step ? replaceAt(each, path) : each));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return HOLE;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === step ? replaceAt(each, path) : each]),
  );
}

function withoutHoles(value: unknown): unknown {
  if (value === HOLE) return {};
  if (Array.isArray(value)) return value.filter((each) => each !== HOLE);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === HOLE ? [] : [[key, withoutHoles(each)]])),
  );
}

function unknownIn(prefix: string, schema: { readonly shape: object }, value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value)
    .filter((key) => !Object.hasOwn(schema.shape, key))
    .map((key) => prefix + key);
}

function wholeNumber(least: number, most: number): z.ZodMiniNumber<number> {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.number(message).check(z.int(message), z.gte(least, message), z.lte(most, message));
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}
