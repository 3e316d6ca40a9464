import type { PatternNode, PatternSequence } from "./pattern-syntax.ts";
import { readPattern } from "./pattern-syntax.ts";

/*
 * The engine tries one way through a pattern after the other. On a text that does not match, it tries all of them, and
 * how many there are depends on the pattern:
 *
 *   (a+)+$      twice as many with every "a": a text of 40 characters takes hours
 *   \S+:\S+@    their number grows with the third power of the length
 *   \w+@        with the second power, which is fine for texts of a few thousand characters
 *
 * So the pattern is turned into an automaton: its states are the places in the pattern that take one character, and an
 * edge says which place may come next. Ways multiply without end where a loop leads back to where it began in two
 * ways on the same text, and with a power where several loops in a row can take the same text.
 */

/** `endless`: the time may double with every character. `slow`: it grows with the third power of the length, or more. */
export type PatternCost = "fine" | "slow" | "endless";

/** How long a pattern (flag `u`) may take on the worst text. It must be a regular expression. */
export function patternCost(source: string): PatternCost {
  return costOf(readPattern(source, true), samplesFor(source), MAX_POWER);
}

/** Characters of which it is tried what takes them: all of ASCII, and some of every script. */
const SAMPLES: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 860 }, (_, at) => String.fromCharCode(128 + at * 64)),
  ...["\u2028", "\u00e9", "\u00df", "\ufeff", "\u{1f600}", "\u{10ffff}"],
];

/** Those, and all that the pattern itself names. */
function samplesFor(source: string): readonly string[] {
  const named = Array.from(source.matchAll(/\\[ux]\{?([0-9a-f]{2,6})\}?/gi), ([, hex = ""]) =>
    Number.parseInt(hex, 16),
  );
  return [
    ...new Set([...SAMPLES, ...source, ...named.filter(isPoint).map((code) => String.fromCodePoint(code))]),
  ];
}

function isPoint(code: number): boolean {
  return code <= 0x10ffff;
}

/** More than this is not looked into: whoever repeats such a thing repeats too much. */
const MAX_STEPS = 2_000_000;
/** A repetition of one character up to so many times is written out; a longer one counts as endless. */
const MAX_COPIES = 64;
/** So often anything is written out: what is ambiguous in it then multiplies so often and no more. */
const FEW = 5;
const MAX_PLACES = 2_000;
/** Loops in a row that can take the same text, the search for the beginning of a match included. */
const MAX_POWER = 2;

/** A part of the pattern, by the places that it begins and ends with. */
interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
  /** Places after which it has matched, whatever follows: from there nothing is ever tried again. */
  readonly done: readonly number[];
  /** It holds a condition that takes no text and may fail. */
  readonly hasCondition: boolean;
}

interface Automaton {
  /** By place: which samples it takes. */
  readonly takes: readonly ReadonlySet<number>[];
  /** By place: the places that may follow, and in how many ways. */
  readonly next: readonly ReadonlyMap<number, number>[];
  readonly done: ReadonlySet<number>;
}

class Endless extends Error {}

/** What stands in a look ahead or behind. */
interface Look {
  readonly branches: readonly PatternSequence[];
  /** It is taken again and again by a repetition around it. */
  readonly isRepeated: boolean;
}

function costOf(
  branches: readonly PatternSequence[],
  samples: readonly string[],
  maxPower: number,
): PatternCost {
  try {
    const looks: Look[] = [];
    const automaton = build(branches, samples, looks);
    const loops = findLoops(automaton);
    if (loops.some((loop) => isAmbiguous(automaton, loop))) return "endless";
    // What is looked at from every place adds its own power, and once more where a repetition does it.
    const costs = looks.map((look) =>
      costOf(look.branches, samples, look.isRepeated ? maxPower - 1 : maxPower),
    );
    if (costs.includes("endless")) return "endless";
    return costs.includes("slow") || powerOf(automaton, loops) > maxPower ? "slow" : "fine";
  } catch (error) {
    if (error instanceof Endless) return "endless";
    throw error;
  }
}

/** The automaton that searches for a pattern. Adds the looks that it meets to `looks`. */
function build(branches: readonly PatternSequence[], samples: readonly string[], looks: Look[]): Automaton {
  const takes: ReadonlySet<number>[] = [];
  const next: Map<number, number>[] = [];
  const known = new Map<string, ReadonlySet<number>>();

  const place = (set: ReadonlySet<number>): Part => {
    const at = takes.push(set) - 1;
    next.push(new Map());
    if (at > MAX_PLACES) throw new Endless();
    return { first: [at], last: [at], canBeEmpty: false, done: [at], hasCondition: false };
  };
  const join = (from: readonly number[], to: readonly number[]): void => {
    for (const a of from) for (const b of to) next[a]?.set(b, (next[a]?.get(b) ?? 0) + 1);
  };
  const setOf = (source: string): ReadonlySet<number> => {
    const found = known.get(source) ?? taking(source, samples);
    known.set(source, found);
    return found;
  };

  const append = (a: Part, b: Part): Part => {
    join(a.last, b.first);
    return {
      first: a.canBeEmpty ? [...a.first, ...b.first] : a.first,
      last: b.canBeEmpty ? [...a.last, ...b.last] : b.last,
      canBeEmpty: a.canBeEmpty && b.canBeEmpty,
      done: b.canBeEmpty && !b.hasCondition ? [...a.done, ...b.done] : b.done,
      hasCondition: a.hasCondition || b.hasCondition,
    };
  };
  const sequence = (nodes: PatternSequence, repeated: boolean): Part =>
    nodes.map((node) => part(node, repeated)).reduce(append, NOTHING);
  const anyOf = (each: readonly PatternSequence[], repeated: boolean): Part => {
    const parts = each.map((nodes) => sequence(nodes, repeated));
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      canBeEmpty: parts.some(({ canBeEmpty }) => canBeEmpty),
      done: parts.flatMap(({ done }) => done),
      hasCondition: parts.some(({ hasCondition }) => hasCondition),
    };
  };

  const part = (node: PatternNode, repeated: boolean): Part => {
    switch (node.kind) {
      case "text":
        return place(setOf(classOf(node.text)));
      case "some":
        return place(setOf(node.source));
      case "nothing":
        return CONDITION;
      case "look":
        looks.push({ branches: node.branches, isRepeated: repeated });
        return CONDITION;
      case "unknown":
        if (node.branches !== undefined) return anyOf(node.branches, repeated);
        // What a group matched takes text in one way; repeated, nobody can tell.
        if (repeated) throw new Endless();
        return CONDITION;
      case "group":
        return anyOf(node.branches, repeated);
      case "repeat":
        return repeat(node.node, node.min, node.max, repeated);
    }
  };

  const repeat = (node: PatternNode, min: number, max: number, repeated: boolean): Part => {
    if (max === 0) return NOTHING;
    const isOne = node.kind === "text" || node.kind === "some";
    if (max <= (isOne ? MAX_COPIES : FEW)) return copies(node, min, max, repeated);
    const body = part(node, repeated || max > 1);
    if (max > 1) {
      // Which of so many times took nothing can be chosen at will.
      if (body.canBeEmpty && (min > 1 || max !== Infinity)) throw new Endless();
      join(body.last, body.first);
    }
    return { ...body, canBeEmpty: body.canBeEmpty || min === 0 };
  };

  /** `a{2,4}` as `aa(a(a)?)?`. */
  const copies = (node: PatternNode, min: number, max: number, repeated: boolean): Part => {
    let tail: Part = NOTHING;
    for (let count = max; count > 0; count--) {
      const longer = append(part(node, repeated), tail);
      tail = count > min ? { ...longer, canBeEmpty: true } : longer;
    }
    return tail;
  };

  // The engine tries every place of a text as the beginning of a match: that is a loop, too.
  const search = place(new Set(samples.keys()));
  join(search.last, search.first);
  const whole = anyOf(branches, false);
  join(search.last, whole.first);
  return { takes, next, done: new Set(whole.done) };
}

const NOTHING: Part = { first: [], last: [], canBeEmpty: true, done: [], hasCondition: false };
const CONDITION: Part = { ...NOTHING, hasCondition: true };

function taking(source: string, samples: readonly string[]): ReadonlySet<number> {
  // A part of the pattern may ignore case; that others count as if they did costs little.
  const pattern = new RegExp(`^${source}$`, "iu");
  return new Set(samples.flatMap((char, at) => (pattern.test(char) ? [at] : [])));
}

/** Written so that it is no sign of the pattern. */
function classOf(text: string): string {
  return `[${text.replace(/[\\\]^-]/, "\\$&")}]`;
}

/** Sets of places from each of which every other can be reached. */
function findLoops({ next }: Automaton): readonly ReadonlySet<number>[] {
  const reach = next.map((_, from) => reachable(from, (at) => next[at]?.keys() ?? []));
  const loops: ReadonlySet<number>[] = [];
  const taken = new Set<number>();
  for (const [at, ahead] of reach.entries()) {
    if (taken.has(at) || !ahead.has(at)) continue;
    const loop = new Set([...ahead].filter((other) => reach[other]?.has(at) === true));
    for (const other of loop) taken.add(other);
    loops.push(loop);
  }
  return loops;
}

/** What can be reached in one step or more. */
function reachable<T>(from: T, next: (at: T) => Iterable<T>): ReadonlySet<T> {
  const found = new Set<T>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const other of next(at)) {
      if (found.has(other)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return found;
}

/** Can a loop be gone through in two ways on the same text, from a place back to itself? */
function isAmbiguous({ takes, next }: Automaton, loop: ReadonlySet<number>): boolean {
  const within = (at: number): readonly number[] =>
    [...(next[at]?.keys() ?? [])].filter((to) => loop.has(to));
  for (const at of loop) for (const to of within(at)) if ((next[at]?.get(to) ?? 0) > 1) return true;
  // Two at once, on the same text: they part, and meet again.
  const size = takes.length;
  let steps = 0;
  const ahead = new Map<number, readonly number[]>();
  const pairsAfter = (pair: number): readonly number[] => {
    const known = ahead.get(pair);
    if (known !== undefined) return known;
    const found: number[] = [];
    for (const a of within(Math.floor(pair / size))) {
      for (const b of within(pair % size)) {
        if (++steps > MAX_STEPS) throw new Endless();
        if (meets(takes[a], takes[b])) found.push(a * size + b);
      }
    }
    ahead.set(pair, found);
    return found;
  };
  const isSame = (pair: number): boolean => Math.floor(pair / size) === pair % size;
  const parted = new Set<number>();
  for (const at of loop)
    for (const pair of reachable(at * size + at, pairsAfter)) if (!isSame(pair)) parted.add(pair);
  for (const pair of parted) for (const later of pairsAfter(pair)) if (isSame(later)) return true;
  return false;
}

/** The longest chain of loops of which each can take what the one before it takes, and what lies between. */
function powerOf(automaton: Automaton, loops: readonly ReadonlySet<number>[]): number {
  const { takes, next, done } = automaton;
  const inLoop = new Map(loops.flatMap((loop) => [...loop].map((at) => [at, loop] as const)));
  const lettersOf = new Map(loops.map((loop) => [loop, union([...loop].map((at) => takes[at]))]));
  // Where such a loop is reached, the pattern has matched: nothing is tried again.
  const counted = loops.filter((loop) => ![...loop].every((at) => done.has(at)));

  const follow = (a: ReadonlySet<number>, b: ReadonlySet<number>): boolean => {
    const letters = [lettersOf.get(a), lettersOf.get(b)];
    const fits = (at: number): boolean => letters.every((each) => meets(takes[at], each));
    const onwards = (at: number): readonly number[] => [...(next[at]?.keys() ?? [])].filter(fits);
    return [...a].some((at) => [...reachable(at, onwards)].some((other) => inLoop.get(other) === b));
  };

  const lengths = new Map<ReadonlySet<number>, number>();
  const lengthFrom = (loop: ReadonlySet<number>): number => {
    const known = lengths.get(loop);
    if (known !== undefined) return known;
    const later = counted.filter((other) => other !== loop && follow(loop, other)).map(lengthFrom);
    const length = 1 + Math.max(0, ...later);
    lengths.set(loop, length);
    return length;
  };
  return Math.max(0, ...counted.map(lengthFrom));
}

function union(sets: readonly (ReadonlySet<number> | undefined)[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...(set ?? [])]));
}

function meets(a: ReadonlySet<number> | undefined, b: ReadonlySet<number> | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  for (const each of small) if (large.has(each)) return true;
  return false;
}
