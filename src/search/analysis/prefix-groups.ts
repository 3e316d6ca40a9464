import { foldLetters } from "./fold.ts";
import { MAX_TERM_CHARS } from "./junk.ts";
import type { QueryRun } from "./query-runs.ts";
import { type TermGroup, tellingParts, unique } from "./query-term.ts";
import { joinParts, splitName } from "./split-name.ts";
import { atomsOf, termOf } from "./token.ts";

/** What may follow the beginning of a word, so that its stem is no longer than what was typed. */
const endings = ["", "s", "es", "d", "ed", "g", "ng", "ing", "y", "ly"];
const MIN_STEM_CHARS = 3;

/**
 * What the beginning of a word is found by. The index holds stems, so the beginning of a long form may
 * be more than the stem itself: runni* is to find running, which stands under run.
 */
export function prefixGroups(run: QueryRun): readonly TermGroup[] {
  if (run.kind === "dense") {
    return run.pairs.length === 0 ? [{ all: [], prefix: run.letter }] : [{ all: unique(run.pairs) }];
  }
  const last = run.tokens.at(-1);
  if (last === undefined) return [];
  const name = foldLetters(last.raw);
  const { parts } = splitName(name);
  const part = parts.at(-1);
  if (part === undefined) return [];
  const typed = (part.text ?? name.slice(part.start, part.end)).toLowerCase().slice(0, MAX_TERM_CHARS);
  const before = run.tokens.slice(0, -1).flatMap(atomsOf).concat(atomsOf(last).slice(0, -1));
  const leading = before.length === 0 ? [] : tellingParts(before);
  const groups: TermGroup[] = [{ all: leading, prefix: typed }];
  if (before.length > 0) groups.unshift(wholePrefix(run, name, parts.length));
  if (typed.length >= MIN_STEM_CHARS && /^[a-z]+$/.test(typed)) {
    const stems = new Set(endings.map((ending) => termOf(typed + ending)));
    for (const stem of stems) if (!stem.startsWith(typed)) groups.push({ all: [...leading, stem] });
  }
  return groups;
}

function wholePrefix(run: QueryRun & { kind: "name" }, lastName: string, parts: number): TermGroup {
  const name = run.pair === undefined ? lastName : foldLetters(run.pair.raw);
  const split = splitName(name);
  const count = run.pair === undefined ? parts : split.parts.length;
  const leading = run.tokens.slice(0, -2).flatMap(atomsOf);
  return {
    all: leading.length === 0 ? [] : tellingParts(leading),
    prefix: joinParts(name, split.parts, count).slice(0, MAX_TERM_CHARS),
  };
}
