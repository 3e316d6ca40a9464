import type { Evaluation } from "./evaluate.ts";
import { isCopied } from "./index-schema.ts";
import type { IndexView } from "./index-view.ts";
import { type DocumentSet, inverseFrequency } from "./scorer.ts";
import type { SessionScope } from "./session-scope.ts";

/*
 * How sessions are scored by their documents; docs/decisions/ranking.md explains why.
 *
 *   share of a document  the weights of the clauses that it matches / the weights of all clauses
 *   worth of a document  its score · its share
 *   score of a session   (worth of its card + 2 · worth of its best turn) · the largest share of any of them
 *
 * If the turn before a turn matches too, 0.3 of its score is added to that of the turn, and 0.3 of the share of the clauses
 * that only the turn before has.
 */
export const TURN_WEIGHT = 2;
/** How much of the turn before it counts for a turn. */
export const PREVIOUS_TURN_SHARE = 0.3;
/** A clause that every turn matches weighs this much. */
export const LEAST_WEIGHT = 0.001;

/** The scores of sessions, from those of their documents. */
export interface SessionScores {
  /** Sessions with a match, in no order. */
  readonly sessions: readonly number[];
  /** At least `score`, but cheap: it does not look at single documents. */
  bound(session: number): number;
  score(session: number): number;
  /** Whether each clause matches in some document of the session. */
  hasAll(session: number): boolean;
  /** Whether the card itself matches and counts. */
  hasCard(session: number): boolean;
  /** Matching turns that count, best first. */
  turns(session: number): readonly number[];
  turnScore(turn: number): number;
}

/** `required`: how many of the first clauses a session must have. */
export function scoreSessions(
  view: IndexView,
  evaluation: Evaluation,
  scope: SessionScope,
  required = 0,
): SessionScores {
  const { card, turn } = evaluation;
  const { words } = turn;
  const weigh = createWeigher(view, evaluation);
  const isOut = turnsThatDoNotCount(view, turn, scope);
  const found = aggregate(view, evaluation, scope, isOut);
  const counts = (doc: number): boolean => (turn.scores[doc] ?? 0) > 0 && isOut?.[doc] !== 1;
  const shareOf = (bits: Uint32Array, doc: number): number => {
    let sum = 0;
    for (let word = 0; word < words; word++) sum += weigh(bits[doc * words + word] ?? 0, word);
    return sum;
  };
  /** The share of the clauses that only the second document has. */
  const shareWithout = (doc: number, other: number): number => {
    let sum = 0;
    for (let word = 0; word < words; word++) {
      const own = turn.clauses[doc * words + word] ?? 0;
      sum += weigh((turn.clauses[other * words + word] ?? 0) & ~own, word);
    }
    return sum;
  };
  const hasFirst = (session: number, clauses: number): boolean => {
    for (let clause = 0; clause < clauses; clause++) {
      const bits = found.clauses[session * words + (clause >>> 5)] ?? 0;
      if ((bits & (1 << (clause & 31))) === 0) return false;
    }
    return true;
  };
  const hasCard = (session: number): boolean => found.hasCard[session] === 1;
  const turnScore = (doc: number): number => (turn.scores[doc] ?? 0) * shareOf(turn.clauses, doc);
  const cardShare = (session: number): number => (hasCard(session) ? shareOf(card.clauses, session) : 0);

  return {
    sessions:
      required === 0 ? found.sessions : found.sessions.filter((session) => hasFirst(session, required)),
    bound(session) {
      const share = shareOf(found.clauses, session);
      const best = (found.bestTurn[session] ?? 0) * (1 + PREVIOUS_TURN_SHARE) * share;
      return ((card.scores[session] ?? 0) * cardShare(session) + TURN_WEIGHT * best) * share * ROUNDING;
    },
    score(session) {
      let best = 0;
      let most = cardShare(session);
      const worth = (card.scores[session] ?? 0) * most;
      let before: number | undefined;
      for (const [from, to] of view.turnsOf(session)) {
        for (let doc = from; doc < to; doc++) {
          if (!counts(doc)) {
            before = undefined;
            continue;
          }
          let score = turn.scores[doc] ?? 0;
          let share = shareOf(turn.clauses, doc);
          if (before !== undefined) {
            score += PREVIOUS_TURN_SHARE * (turn.scores[before] ?? 0);
            share += PREVIOUS_TURN_SHARE * shareWithout(doc, before);
          }
          before = doc;
          if (score * share > best) best = score * share;
          if (share > most) most = share;
        }
      }
      return (worth + TURN_WEIGHT * best) * most;
    },
    hasAll: (session) => hasFirst(session, evaluation.turnsOfClauses.length),
    hasCard,
    turns(session) {
      const matching: { readonly doc: number; readonly score: number }[] = [];
      for (const [from, to] of view.turnsOf(session))
        for (let doc = from; doc < to; doc++) if (counts(doc)) matching.push({ doc, score: turnScore(doc) });
      // The sort is stable: equal turns stay in order.
      return matching.sort((a, b) => b.score - a.score).map(({ doc }) => doc);
    },
    turnScore,
  };
}

/** A bound is computed in another order than a score, so it may be less by a rounding error. */
const ROUNDING: number = 1 + 1e-9;

/**
 * Returns a function that sums the shares of clauses, given as bits of the 32 clauses from 32 · `word` on. Clauses weigh
 * by their information: the fewer turns match one, the more. Sums are looked up by eight clauses at a time.
 */
function createWeigher(
  view: IndexView,
  { turnsOfClauses }: Evaluation,
): (bits: number, word: number) => number {
  const weights = turnsOfClauses.map((turns) =>
    Math.max(LEAST_WEIGHT, inverseFrequency(view.documents.turn, turns)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sums = new Float64Array(Math.ceil(weights.length / 32) * 4 * 256);
  for (let first = 0; first < weights.length; first += 8) {
    for (let byte = 1; byte < 256; byte++) {
      const highest = 31 - Math.clz32(byte);
      const rest = sums[first * 32 + (byte ^ (1 << highest))] ?? 0;
      sums[first * 32 + byte] = rest + (weights[first + highest] ?? 0) / total;
    }
  }
  return (bits, word) => {
    let sum = 0;
    for (let rest = bits, at = word * 4 * 256; rest !== 0; rest >>>= 8, at += 256)
      sum += sums[at + (rest & 255)] ?? 0;
    return sum;
  };
}

/** 1 for each turn that matches but does not count; undefined if all do. */
function turnsThatDoNotCount(
  view: IndexView,
  turns: DocumentSet,
  scope: SessionScope,
): Uint8Array | undefined {
  const { turnPasses } = scope;
  const dropped = copiesToDrop(view, turns, scope);
  if (turnPasses === undefined && dropped === undefined) return undefined;
  const isOut = new Uint8Array(view.space.turn);
  if (turnPasses !== undefined) {
    for (let i = 0; i < turns.count; i++) {
      const doc = turns.docs[i] ?? 0;
      if (!turnPasses(doc)) isOut[doc] = 1;
    }
  }
  for (const doc of dropped ?? []) isOut[doc] = 1;
  return isOut;
}

/**
 * Finds copied turns that must not count. A fork starts with copies of another session's turns: if both match, only
 * the original counts; if only copies match, the one whose session has the smallest key.
 */
function copiesToDrop(
  view: IndexView,
  turns: DocumentSet,
  scope: SessionScope,
): ReadonlySet<number> | undefined {
  if (!view.hasCopies) return undefined;
  const { docs, count } = turns;
  const flags = view.turnFlags();
  const identities = view.turnIdentities();
  const isCopy = (doc: number): boolean => isCopied(flags[doc] ?? 0);
  const copied = new Set<number>();
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    if (isCopy(doc)) copied.add(identities[doc] ?? 0);
  }
  if (copied.size === 0) return undefined;

  const sessionOf = view.sessionsOfTurns();
  const dropped = new Set<number>();
  const kept = new Map<number, number>();
  const isBetter = (doc: number, than: number): boolean => {
    if (isCopy(doc) !== isCopy(than)) return isCopy(than);
    return view.key(sessionOf[doc] ?? 0) < view.key(sessionOf[than] ?? 0);
  };
  for (let i = 0; i < count; i++) {
    const doc = docs[i] ?? 0;
    const identity = identities[doc] ?? 0;
    if (identity === 0 || !copied.has(identity)) continue;
    if (!scope.accepts(sessionOf[doc] ?? 0) || scope.turnPasses?.(doc) === false) continue;
    const other = kept.get(identity);
    if (other === undefined) {
      kept.set(identity, doc);
    } else if (!isCopy(doc) && !isCopy(other)) {
      // Two originals: a hash collision, or a turn that is in two files. Both count.
    } else if (isBetter(doc, other)) {
      dropped.add(other);
      kept.set(identity, doc);
    } else {
      dropped.add(doc);
    }
  }
  return dropped;
}

interface Aggregate {
  /** Sessions with a document that counts, in no order. */
  readonly sessions: readonly number[];
  /** By session, the clauses that its documents match together, and the best score of a turn. */
  readonly clauses: Uint32Array;
  readonly bestTurn: Float64Array;
  /** 1 for each session whose card counts. */
  readonly hasCard: Uint8Array;
}

const IN = 1;
const REFUSED = 2;

function aggregate(
  view: IndexView,
  { card, turn }: Evaluation,
  scope: SessionScope,
  isOut: Uint8Array | undefined,
): Aggregate {
  const { words } = turn;
  const space = view.space.card;
  const sessions: number[] = [];
  const clauses = new Uint32Array(space * words);
  const bestTurn = new Float64Array(space);
  const hasCard = new Uint8Array(space);
  /** IN or REFUSED; 0 if the session has not been seen yet. */
  const states = new Uint8Array(space);
  const merge = (set: DocumentSet, doc: number, session: number): void => {
    for (let word = 0; word < words; word++) {
      const at = session * words + word;
      clauses[at] = (clauses[at] ?? 0) | (set.clauses[doc * words + word] ?? 0);
    }
  };
  const accept = (session: number, isHit: boolean): void => {
    states[session] = isHit ? IN : REFUSED;
    if (isHit) sessions.push(session);
  };
  const sessionOf = turn.count === 0 ? new Uint32Array(0) : view.sessionsOfTurns();
  for (let i = 0; i < turn.count; i++) {
    const doc = turn.docs[i] ?? 0;
    if (isOut?.[doc] === 1) continue;
    const session = sessionOf[doc] ?? 0;
    if (states[session] === 0) accept(session, scope.accepts(session));
    if (states[session] === REFUSED) continue;
    const score = turn.scores[doc] ?? 0;
    if (score > (bestTurn[session] ?? 0)) bestTurn[session] = score;
    merge(turn, doc, session);
  }
  for (let i = 0; i < card.count; i++) {
    const session = card.docs[i] ?? 0;
    if (states[session] === 0) accept(session, scope.accepts(session) && scope.cardPasses(session));
    if (states[session] === REFUSED) continue;
    hasCard[session] = 1;
    merge(card, session, session);
  }
  return { sessions, clauses, bestTurn, hasCard };
}
