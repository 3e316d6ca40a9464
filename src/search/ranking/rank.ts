import type { IndexView } from "./index-view.ts";
import type { SearchPlan } from "./search-plan.ts";
import type { SessionScores } from "./session-scores.ts";

/** How much more a session of this moment counts than one of long ago, and when half of that is gone. */
const RECENCY = 0.1;
const HALF_LIFE_MS: number = 30 * 24 * 60 * 60 * 1000;

export interface RankedSession {
  readonly session: number;
  readonly score: number;
}

/**
 * The best `limit` sessions, best first; recent ones count a little more. Equal ones stand in the order of their keys, so that the same index
 * gives the same answer however it came about.
 */
export function rankSessions(
  view: IndexView,
  scores: SessionScores,
  sessions: Uint32Array,
  plan: Pick<SearchPlan, "sort" | "now">,
  limit: number,
): RankedSession[] {
  const times = view.sessionTimes();
  const scoreOf = (session: number): number =>
    scores.score(session) * recencyFactor(times[session] ?? Number.NaN, plan.now);
  const sign = plan.sort === "newest" ? 1 : -1;
  // What counts first, the larger the better; sessions without a time come last, whichever way round.
  const gradeOf = (session: number, score: number): number => {
    if (plan.sort === "relevance") return score;
    const at = times[session] ?? Number.NaN;
    return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : sign * at;
  };
  return pickBest(sessions, limit, {
    grade: (session) => gradeOf(session, scoreOf(session)),
    compareEqual: (a, b) => scoreOf(b) - scoreOf(a) || compareKeys(view.key(a), view.key(b)),
  }).map((session) => ({ session, score: scoreOf(session) }));
}

export function recencyFactor(at: number, now: number): number {
  if (Number.isNaN(at)) return 1;
  return 1 + RECENCY * 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);
}

interface Grading {
  readonly grade: (session: number) => number;
  readonly compareEqual: (a: number, b: number) => number;
}

/**
 * The first of a list as if it were sorted. A word that stands everywhere gives thousands of
 * sessions, of which ten are shown: most are dismissed after one comparison.
 */
function pickBest(sessions: Uint32Array, limit: number, { grade, compareEqual }: Grading): number[] {
  const best: { readonly session: number; readonly grade: number }[] = [];
  const compare = (a: (typeof best)[number], b: (typeof best)[number]): number =>
    b.grade - a.grade || compareEqual(a.session, b.session);
  // Sorted only now and then: twice as many are kept as are wanted.
  const room = limit * 2 + 64;
  let least = Number.NEGATIVE_INFINITY;
  const trim = (): void => {
    best.sort(compare);
    if (best.length > limit) best.length = limit;
    if (best.length === limit) least = best.at(-1)?.grade ?? least;
  };
  for (const session of sessions) {
    const own = grade(session);
    if (own < least) continue;
    best.push({ session, grade: own });
    if (best.length >= room) trim();
  }
  trim();
  return best.map(({ session }) => session);
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
