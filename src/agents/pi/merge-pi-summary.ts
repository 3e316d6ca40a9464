import type { PiSections } from "./pi-sections.ts";
import { parsePiSections } from "./pi-sections.ts";

/** How many items a section may hold after many rounds; the newest stay, of goals the first one too. */
const MAX_ITEMS = 40;
/** What failed long ago is no longer in the way. */
const MAX_BLOCKED = 8;

/**
 * Brings an earlier summary up to date: all that it says stays; what was in progress or to be done next and is done now
 * moves; what is new comes behind it.
 */
export function mergePiSections(earlier: string, newer: PiSections): PiSections {
  const old = parsePiSections(earlier);
  // Another shape, written by a person or an extension: it is context as it stands.
  if (old === undefined)
    return { ...newer, critical: [`Earlier summary:\n${earlier.trim()}`, ...newer.critical] };
  const done = union(old.done, newer.done);
  const isDone = setOf(done);
  const open = (items: readonly string[]): readonly string[] =>
    items.filter((item) => !isDone.has(fold(item)));
  const inProgress = union(open(old.inProgress), newer.inProgress);
  const isInProgress = setOf(inProgress);
  const goal = union(old.goal, newer.goal);
  return {
    goal: goal.length <= MAX_ITEMS ? goal : [...goal.slice(0, 1), ...goal.slice(1 - MAX_ITEMS)],
    constraints: union(old.constraints, newer.constraints).slice(-MAX_ITEMS),
    done: done.slice(-MAX_ITEMS),
    inProgress: inProgress.slice(-MAX_ITEMS),
    blocked: union(old.blocked, newer.blocked).slice(-MAX_BLOCKED),
    decisions: union(old.decisions, newer.decisions).slice(-MAX_ITEMS),
    nextSteps: union(newer.nextSteps, open(old.nextSteps))
      .filter((item) => !isInProgress.has(fold(item)))
      .slice(0, MAX_ITEMS),
    critical: union(
      old.critical.filter((item) => !PASSING.test(item)),
      newer.critical,
    ).slice(-MAX_ITEMS),
  };
}

/** True at the time, and told anew by every summary. */
const PASSING = /^(?:Last reply|Last failed command|Last error|Tools used):/;

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  const found = new Map<string, string>();
  for (const item of [...first, ...second]) if (!found.has(fold(item))) found.set(fold(item), item);
  return [...found.values()];
}

function setOf(items: readonly string[]): ReadonlySet<string> {
  return new Set(items.map(fold));
}

function fold(item: string): string {
  return item.toLowerCase().replace(/\s+/g, " ").trim();
}
