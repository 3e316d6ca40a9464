import { cleanText } from "../../redact/clean-text.ts";

/** The factor of all estimates in this program. */
export const CHARS_PER_TOKEN = 4;

export function estimateJsonTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

export interface FittedJson {
  readonly value: object;
  /** How many items were left out of each list, by its name. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Texts or inner lists were shortened. */
  readonly isShortened: boolean;
}

interface Limits {
  /** Characters of a prose text. */
  readonly text: number;
  /** Items of an inner list. */
  readonly items: number;
}

/** Tried one after the other until the answer fits: many short items say more than a few long ones. */
const LEVELS: readonly Limits[] = [
  { text: 1_500, items: 20 },
  { text: 600, items: 8 },
  { text: 400, items: 4 },
  { text: 260, items: 3 },
  { text: 200, items: 2 },
  { text: 200, items: 1 },
];
/** Shorter items would be useless, so past this some are left out. */
const NARROWEST: Limits = { text: 140, items: 1 };

/** Fields that may be cut anywhere. All others are ids, paths, times or commands: half of one would be wrong. */
const PROSE: ReadonlySet<string> = new Set([
  "text",
  "title",
  "request",
  "reply",
  "thinking",
  "output",
  "input",
  "command",
  "currentWork",
  "plan",
  "what",
  "result",
]);

/**
 * Makes an answer fit into a number of tokens, and removes control characters from it. Every field stays and keeps
 * its type: texts and inner lists get shorter, and finally the top-level lists lose their ends, which matter least.
 */
export function fitJson(answer: object, budget: number, note: (fitted: FittedJson) => object): object {
  const clean = cleanDeep(answer);
  if (fits(clean, budget)) return clean;
  for (const limits of [...LEVELS, NARROWEST]) {
    const value = shorten(clean, limits, 0);
    const noted = note({ value, dropped: {}, isShortened: true });
    if (fits(noted, budget)) return noted;
  }
  return dropEnds(shorten(clean, NARROWEST, 0), budget, note);
}

function fits(value: object, budget: number): boolean {
  return estimateJsonTokens(JSON.stringify(value)) <= budget;
}

/** Shortens the longest list item by item, from its end. One item always stays. */
function dropEnds(value: object, budget: number, note: (fitted: FittedJson) => object): object {
  const dropped: Record<string, number> = {};
  let left = new Map<string, unknown>(Object.entries(value));
  for (;;) {
    const noted = note({ value: Object.fromEntries(left), dropped, isShortened: true });
    if (fits(noted, budget)) return noted;
    const longest = [...left]
      .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 1)
      .toSorted((a, b) => JSON.stringify(b[1]).length - JSON.stringify(a[1]).length)[0];
    if (longest === undefined) return noted;
    const [name, items] = longest;
    dropped[name] = (dropped[name] ?? 0) + 1;
    left = new Map([...left, [name, items.slice(0, -1)]]);
  }
}

function shorten(value: object, limits: Limits, depth: number): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      shortenField(key, inner, limits, depth),
    ]),
  );
}

function shortenField(key: string, value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === "string") return PROSE.has(key) ? cut(value, limits.text) : value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = depth === 0 ? value : value.slice(0, limits.items);
    return items.map((item) => shortenField(key, item, limits, depth + 1));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  // A table of counts by name: its keys are data, so it may be shortened.
  const isTable = key === "tools" && entries.length > limits.items;
  const short = shorten(
    isTable ? Object.fromEntries(entries.slice(0, limits.items)) : value,
    limits,
    depth + 1,
  );
  // Highlights are for people, and their text may have been cut off.
  return "highlights" in short ? { ...short, highlights: [] } : short;
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function cleanDeep(value: object): object {
  const clean = (inner: unknown): unknown => {
    if (typeof inner === "string") return cleanText(inner);
    if (Array.isArray(inner)) return inner.map(clean);
    return typeof inner === "object" && inner !== null ? cleanDeep(inner) : inner;
  };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), clean(inner)]));
}
