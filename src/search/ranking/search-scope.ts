import type { IndexView } from "./index-view.ts";
import type { SearchFilter } from "./search-plan.ts";
import type { SessionScope } from "./session-scores.ts";
import { contextOf } from "./turn-flags.ts";

/** Turns a filter into questions that are cheap to ask for every match. */
export function createScope(
  view: IndexView,
  filter: SearchFilter,
  excluded: Uint8Array | undefined,
): SessionScope {
  const turnPasses = createTurnFilter(view, filter);
  const accepted = new Int8Array(view.space.card);
  const gone = view.gone();

  const decide = (session: number): boolean =>
    gone[session] === 0 && excluded?.[session] !== 1 && (filter.session?.(view.key(session)) ?? true);

  return {
    refused: excluded === undefined && filter.session === undefined ? gone : undefined,
    accepts(session) {
      if (accepted[session] === 0) accepted[session] = decide(session) ? 1 : -1;
      return accepted[session] === 1;
    },
    turnPasses,
    cardPasses(session) {
      if (turnPasses === undefined) return true;
      let hasTurns = false;
      for (const [from, to] of view.turnsOf(session)) {
        hasTurns ||= from < to;
        for (let turn = from; turn < to; turn++) if (turnPasses(turn)) return true;
      }
      // A session of which only the card is known passes by its own time.
      return (
        !hasTurns &&
        filter.contexts === undefined &&
        isWithin(view.sessionTimes()[session] ?? Number.NaN, filter)
      );
    },
  };
}

function createTurnFilter(view: IndexView, filter: SearchFilter): ((turn: number) => boolean) | undefined {
  const { since, until, contexts } = filter;
  const byTime = since !== undefined || until !== undefined;
  if (!byTime && contexts === undefined) return undefined;
  const times = byTime ? view.turnTimes() : undefined;
  const flags = contexts === undefined ? undefined : view.turnFlags();
  const from = since ?? Number.NEGATIVE_INFINITY;
  const to = until ?? Number.POSITIVE_INFINITY;
  return (turn) => {
    if (flags !== undefined && contexts?.includes(contextOf(flags[turn] ?? 0)) === false) return false;
    if (times === undefined) return true;
    const at = times[turn] ?? Number.NaN;
    return at >= from && at <= to;
  };
}

/** No time is within nothing. */
function isWithin(at: number, { since, until }: SearchFilter): boolean {
  return at >= (since ?? at) && at <= (until ?? at);
}
