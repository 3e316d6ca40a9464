import { type PatternNode, type PatternSequence, readPattern } from "./pattern-syntax.ts";

/*
 * Finds regular expressions that may take too long (ReDoS). The engine tries one path through a pattern after the other.
 * On a text that does not match it tries all of them, and their number depends on the pattern:
 *
 *   (a+)+$      doubles with every "a": a text of 40 characters takes hours
 *   \S+:\S+@    grows with the third power of the length
 *   \w+@        grows with the second power, which is fine for texts of a few thousand characters
 *
 * So the pattern is turned into an automaton. Its states are the positions in the pattern that match one character; an
 * edge leads to a position that may come next. The number of paths is exponential if a loop can be passed in two ways on
 * the same text, and polynomial if several loops in a row can match the same text.
 */

/** `endless`: the time may double with every character. `slow`: it grows with the third power of the length, or more. */
export type PatternCost = "fine" | "slow" | "endless";

/** Estimates how long a pattern (flag `u`) may take on the worst text. It must be a valid regular expression. */
export function patternCost(source: string): PatternCost {
  return costOf(readPattern(source, true), samplesFor(source), MAX_POWER);
}

/** Sample characters that positions are tested with: all of ASCII, and some of every script. */
const SAMPLES: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 860 }, (_, at) => String.fromCharCode(128 + at * 64)),
  "\u2028",
  "\u00e9",
  "\u00df",
  "\ufeff",
  "\u{1f600}",
  "\u{10ffff}",
];

/** The samples, and all characters in the pattern itself. */
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

/** A larger automaton is not analyzed: the pattern is refused. */
const MAX_STEPS = 2_000_000;
/** A repetition of one character up to this count is unrolled; a longer one counts as unlimited. */
const MAX_COPIES = 64;
/** Any other repetition is unrolled at most this often. */
const FEW = 5;
const MAX_PLACES = 2_000;
/** Loops in a row that can match the same text, including the search for the start of a match. */
const MAX_POWER = 2;

/** A part of the pattern, by the positions that it starts and ends with. */
interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly canBeEmpty: boolean;
  /** Positions after which it has matched, whatever follows: nothing is tried again from there. */
  readonly done: readonly number[];
  /** It has a condition that matches no text and may fail. */
  readonly hasCondition: boolean;
}

interface Automaton {
  /** By position: the samples that it matches. */
  readonly takes: readonly ReadonlySet<number>[];
  /** By position: the positions that may follow, and in how many ways. */
  readonly next: readonly ReadonlyMap<number, number>[];
  readonly done: ReadonlySet<number>;
}

class Endless extends Error {}

/** The pattern inside a lookahead or lookbehind. */
interface Look {
  readonly branches: readonly PatternSequence[];
  /** It is inside a repetition. */
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
    // A lookaround is tried at every position, which adds one to its power, and one more inside a repetition.
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

/** Builds the automaton that searches for a pattern. Adds the lookarounds in it to `looks`. */
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
        // A back reference matches in one way; repeated, it cannot be analyzed.
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
      // Any of the repetitions may match nothing, which multiplies the paths.
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

  // The engine tries every position of a text as the start of a match: that is a loop too.
  const search = place(new Set(samples.keys()));
  join(search.last, search.first);
  const whole = anyOf(branches, false);
  join(search.last, whole.first);
  return { takes, next, done: new Set(whole.done) };
}

const NOTHING: Part = { first: [], last: [], canBeEmpty: true, done: [], hasCondition: false };
const CONDITION: Part = { ...NOTHING, hasCondition: true };

function taking(source: string, samples: readonly string[]): ReadonlySet<number> {
  // A part of the pattern may ignore case; treating all of it like that costs little.
  const pattern = new RegExp(`^${source}$`, "iu");
  return new Set(samples.flatMap((char, at) => (pattern.test(char) ? [at] : [])));
}

/** Escapes a character so that it is literal in a pattern. */
function classOf(text: string): string {
  return `[${text.replace(/[\\\]^-]/, "\\$&")}]`;
}

/** Finds the strongly connected components: sets of positions that can all reach each other. */
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

/** Finds the positions that can be reached in one step or more. */
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

/** Whether the same text can pass a loop in two ways, from a position back to itself. */
function isAmbiguous({ takes, next }: Automaton, loop: ReadonlySet<number>): boolean {
  const within = (at: number): readonly number[] =>
    [...(next[at]?.keys() ?? [])].filter((to) => loop.has(to));
  for (const at of loop) for (const to of within(at)) if ((next[at]?.get(to) ?? 0) > 1) return true;
  // Follows two paths at once on the same text: they part, and meet again.
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

/** Finds the longest chain of loops in which each can match the same text as the one before it, and what is between them. */
function powerOf(automaton: Automaton, loops: readonly ReadonlySet<number>[]): number {
  const { takes, next, done } = automaton;
  const inLoop = new Map(loops.flatMap((loop) => [...loop].map((at) => [at, loop] as const)));
  const lettersOf = new Map(loops.map((loop) => [loop, union([...loop].map((at) => takes[at]))]));
  // When such a loop is reached, the pattern has matched: nothing is tried again.
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
