import { countBits, type DocumentSet } from "./document-set.ts";
import type { Evaluation } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { isCopied } from "./turn-flags.ts";

/** What an evaluation says about sessions. */
export interface SessionScores {
  /** Sessions with a match, in no order. */
  readonly sessions: readonly number[];
  score(session: number): number;
  /** Whether each clause matches in some document of the session. */
  readonly hasAll: (session: number) => boolean;
  /** How many clauses match in some document of the session, of these first ones; absent: of all. */
  readonly clausesOf: (session: number, first?: number) => number;
  /** Whether the card itself matches and counts. */
  hasCard(session: number): boolean;
  /** Matching turns that count, best first. */
  turns(session: number): readonly number[];
  turnScore(turn: number): number;
}

export interface SessionScope {
  accepts(session: number): boolean;
  /** undefined: all turns count. */
  readonly turnPasses: ((turn: number) => boolean) | undefined;
  /** Whether the session's card counts although no turn of it matches. */
  cardPasses(session: number): boolean;
}

const REFUSED = 2;

/**
 * What a session is worth: its card and its best turn, which counts more, times the share of the
 * query's words that it has, times the share that one of its documents has. Measured on real
 * sessions (docs/decisions/ranking.md).
 */
export const TURN_WEIGHT = 2;

export function scoreSessions(view: IndexView, evaluation: Evaluation, scope: SessionScope): SessionScores {
  const { card, turn, clauses } = evaluation;
  const { words } = turn;
  const count = view.space.card;
  const seen = new Uint8Array(count);
  const cardScores = new Float64Array(count);
  const cardCounts = new Uint8Array(count);
  const bestTurns = new Float64Array(count);
  const bits = new Uint32Array(count * words);
  /** Most clauses that one document has. */
  const together = new Uint16Array(count);
  const sessions: number[] = [];
  const turnCounts = new Uint8Array(view.space.turn);

  const see = (session: number): void => {
    seen[session] = 1;
    sessions.push(session);
  };
  const unite = (session: number, set: DocumentSet, doc: number): void => {
    for (let w = 0; w < words; w++) {
      bits[session * words + w] = (bits[session * words + w] ?? 0) | (set.bits[doc * words + w] ?? 0);
    }
    const has = countBits(set.bits, doc * words, 0, clauses);
    if (has > (together[session] ?? 0)) together[session] = has;
  };
  const clausesOf = (session: number, first = clauses): number =>
    clauses > 1 ? countBits(bits, session * words, 0, first) : first;

  if (turn.count > 0) {
    const sessionOf = view.sessionsOfTurns();
    const dropped = copiesToDrop(view, turn, scope);
    const { turnPasses } = scope;
    for (let i = 0; i < turn.count; i++) {
      const doc = turn.docs[i] ?? 0;
      const session = sessionOf[doc] ?? 0;
      // Of each session it is asked once whether it counts.
      if (seen[session] === REFUSED) continue;
      if (turnPasses !== undefined && !turnPasses(doc)) continue;
      if (dropped?.has(doc) === true) continue;
      if (seen[session] === 0) {
        if (!scope.accepts(session)) {
          seen[session] = REFUSED;
          continue;
        }
        see(session);
      }
      turnCounts[doc] = 1;
      const score = turn.scores[doc] ?? 0;
      if (score > (bestTurns[session] ?? 0)) bestTurns[session] = score;
      if (clauses > 1) unite(session, turn, doc);
    }
  }
  for (let i = 0; i < card.count; i++) {
    const session = card.docs[i] ?? 0;
    if (seen[session] !== 1) {
      if (!scope.accepts(session) || !scope.cardPasses(session)) continue;
      see(session);
    }
    if (clauses > 1) unite(session, card, session);
    cardCounts[session] = 1;
    cardScores[session] = card.scores[session] ?? 0;
  }

  return {
    sessions,
    score(session) {
      const sum = (cardScores[session] ?? 0) + TURN_WEIGHT * (bestTurns[session] ?? 0);
      if (clauses < 2) return sum;
      return sum * (clausesOf(session) / clauses) * ((together[session] ?? 0) / clauses);
    },
    hasAll: (session) => clausesOf(session) === clauses,
    clausesOf,
    hasCard: (session) => cardCounts[session] === 1,
    turns(session) {
      const found: number[] = [];
      for (const [from, to] of view.turnsOf(session))
        for (let doc = from; doc < to; doc++) if (turnCounts[doc] === 1) found.push(doc);
      // Equal ones stay in their order.
      return found.sort((a, b) => (turn.scores[b] ?? 0) - (turn.scores[a] ?? 0));
    },
    turnScore: (doc) => turn.scores[doc] ?? 0,
  };
}

/**
 * A fork begins with copies of another session's turns. Where both match, the copy does not count;
 * where only copies are left, the one in the session that comes first by key does.
 */
function copiesToDrop(
  view: IndexView,
  turns: DocumentSet,
  scope: SessionScope,
): ReadonlySet<number> | undefined {
  if (!view.hasCopies) return undefined;
  const flags = view.turnFlags();
  const isCopy = (doc: number): boolean => isCopied(flags[doc] ?? 0);
  let any = false;
  for (let i = 0; i < turns.count && !any; i++) any = isCopy(turns.docs[i] ?? 0);
  if (!any) return undefined;

  const sessionOf = view.sessionsOfTurns();
  const dropped = new Set<number>();
  const kept = new Map<number, number>();
  const isBetter = (doc: number, than: number): boolean => {
    if (isCopy(doc) !== isCopy(than)) return isCopy(than);
    return view.key(sessionOf[doc] ?? 0) < view.key(sessionOf[than] ?? 0);
  };
  for (let i = 0; i < turns.count; i++) {
    const doc = turns.docs[i] ?? 0;
    const identity = view.turnIdentity(doc);
    if (identity === 0 || !scope.accepts(sessionOf[doc] ?? 0) || scope.turnPasses?.(doc) === false) continue;
    const other = kept.get(identity);
    if (other === undefined) {
      kept.set(identity, doc);
    } else if (!isCopy(doc) && !isCopy(other)) {
      // Two originals: the same name by chance, or a turn that stands in two files. Both count.
    } else if (isBetter(doc, other)) {
      dropped.add(other);
      kept.set(identity, doc);
    } else {
      dropped.add(doc);
    }
  }
  return dropped;
}
