import { aggregateDocuments } from "./aggregate-documents.ts";
import { countBits, type DocumentSet } from "./document-set.ts";
import type { Evaluation } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { isCopied } from "./turn-flags.ts";

/** What an evaluation says about sessions. */
export interface SessionScores {
  /** Sessions with a match, in no order. */
  readonly sessions: Uint32Array;
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
  /** 1 for each session that does not count; undefined where each has to be asked for. */
  readonly refused: Uint8Array | undefined;
  accepts(session: number): boolean;
  /** undefined: all turns count. */
  readonly turnPasses: ((turn: number) => boolean) | undefined;
  /** Whether the session's card counts although no turn of it matches. */
  cardPasses(session: number): boolean;
}

/**
 * What a session is worth: its card and its best turn, which counts more, times the share of the
 * query's words that it has, times the share that one of its documents has. Measured on real
 * sessions (docs/decisions/ranking.md).
 */
export const TURN_WEIGHT = 2;

export function scoreSessions(view: IndexView, evaluation: Evaluation, scope: SessionScope): SessionScores {
  const { turn, clauses } = evaluation;
  const { words } = turn;
  const { sessions, cards, turns, bits, together, has } = aggregateDocuments(
    view,
    evaluation,
    scope,
    passingTurns(view, turn, scope),
  );
  const clausesOf = (session: number, first = clauses): number =>
    first === clauses ? (has[session] ?? 0) : countBits(bits, session * words, 0, first);

  return {
    sessions,
    score(session) {
      const sum = (cards.best[session] ?? 0) + TURN_WEIGHT * (turns.best[session] ?? 0);
      if (clauses < 2) return sum;
      return sum * (clausesOf(session) / clauses) * ((together[session] ?? 0) / clauses);
    },
    hasAll: (session) => clausesOf(session) === clauses,
    clausesOf,
    hasCard: (session) => cards.counts[session] === 1,
    turns(session) {
      const found: number[] = [];
      for (const [from, to] of view.turnsOf(session))
        for (let doc = from; doc < to; doc++) if (turns.counts[doc] === 1) found.push(doc);
      // Equal ones stay in their order.
      return found.sort((a, b) => (turn.scores[b] ?? 0) - (turn.scores[a] ?? 0));
    },
    turnScore: (doc) => turn.scores[doc] ?? 0,
  };
}

/** 1 for each turn that counts, where it matches; undefined: all do. */
function passingTurns(view: IndexView, turns: DocumentSet, scope: SessionScope): Uint8Array | undefined {
  const { turnPasses } = scope;
  const dropped = copiesToDrop(view, turns, scope);
  if (turnPasses === undefined && dropped === undefined) return undefined;
  const { docs } = turns;
  const passes = new Uint8Array(view.space.turn).fill(1);
  if (turnPasses !== undefined) {
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i] ?? 0;
      if (!turnPasses(doc)) passes[doc] = 0;
    }
  }
  for (const doc of dropped ?? []) passes[doc] = 0;
  return passes;
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
  const { docs } = turns;
  const flags = view.turnFlags();
  const identities = view.turnIdentities();
  const isCopy = (doc: number): boolean => isCopied(flags[doc] ?? 0);
  const copied = new Set<number>();
  for (let i = 0; i < docs.length; i++) {
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
  for (let i = 0; i < docs.length; i++) {
    const doc = docs[i] ?? 0;
    const identity = identities[doc] ?? 0;
    if (identity === 0 || !copied.has(identity)) continue;
    if (!scope.accepts(sessionOf[doc] ?? 0) || scope.turnPasses?.(doc) === false) continue;
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
