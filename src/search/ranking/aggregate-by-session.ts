import type { Evaluation } from "./evaluate.ts";
import { isCopied } from "./index-schema.ts";
import type { IndexView } from "./index-view.ts";
import { withSearchLoops } from "./loops/search-loops.ts";
import { countBits, type DocumentSet } from "./scorer.ts";
import type { SessionScope } from "./session-scope.ts";

/** The scores of sessions, from those of their documents. */
export interface SessionScores {
  /** Sessions with a match, in no order. */
  readonly sessions: Uint32Array;
  score(session: number): number;
  /** Whether each clause matches in some document of the session. */
  readonly hasAll: (session: number) => boolean;
  /** How many of the first `first` clauses match in some document of the session; absent: of all clauses. */
  readonly clausesOf: (session: number, first?: number) => number;
  /** Whether the card itself matches and counts. */
  hasCard(session: number): boolean;
  /** Matching turns that count, best first. */
  turns(session: number): readonly number[];
  turnScore(turn: number): number;
}

/**
 * A session's score is its card's plus its best turn's, which counts more, times the share of the clauses that the
 * session has, times the largest share that one of its documents has (docs/decisions/ranking.md).
 */
const TURN_WEIGHT = 2;

export function scoreSessions(view: IndexView, evaluation: Evaluation, scope: SessionScope): SessionScores {
  const { turn, clauses } = evaluation;
  const { words } = turn;
  const passes = passingTurns(view, turn, scope);
  const { sessions, cards, turns, bits, clausesInSession, maxClausesInOneDocument } = aggregate(
    view,
    evaluation,
    scope,
    passes,
  );
  const clausesOf = (session: number, first = clauses): number =>
    first === clauses ? (clausesInSession[session] ?? 0) : countBits(bits, session * words, 0, first);

  return {
    sessions,
    score(session) {
      const sum = (cards.best[session] ?? 0) + TURN_WEIGHT * (turns.best[session] ?? 0);
      if (clauses < 2) return sum;
      return sum * (clausesOf(session) / clauses) * ((maxClausesInOneDocument[session] ?? 0) / clauses);
    },
    hasAll: (session) => clausesOf(session) === clauses,
    clausesOf,
    hasCard: (session) => cards.counts[session] === 1,
    turns(session) {
      const found: number[] = [];
      for (const [from, to] of view.turnsOf(session))
        for (let doc = from; doc < to; doc++) if (turns.counts[doc] === 1) found.push(doc);
      // The sort is stable: equal turns stay in order.
      return found.sort((a, b) => (turn.scores[b] ?? 0) - (turn.scores[a] ?? 0));
    },
    turnScore: (doc) => turn.scores[doc] ?? 0,
  };
}

/** 1 for each turn that counts if it matches; undefined if all do. */
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
 * Finds copied turns that must not count. A fork starts with copies of another session's turns: if both match, only
 * the original counts; if only copies match, the one whose session has the smallest key.
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

/** What the documents of one kind contribute. */
interface AggregatedKind {
  /** 1 for each document that counts. */
  readonly counts: Uint8Array;
  /** By session, the score of its best document. */
  readonly best: Float64Array;
}

interface Aggregate {
  /** Sessions with a document that counts, in no order. */
  readonly sessions: Uint32Array;
  readonly cards: AggregatedKind;
  readonly turns: AggregatedKind;
  /** By session, the bits of all of its documents. */
  readonly bits: Uint32Array;
  /** By session. */
  readonly clausesInSession: Uint32Array;
  readonly maxClausesInOneDocument: Uint32Array;
}

/** `passes`: 1 for each turn that counts; undefined if all do. */
function aggregate(
  view: IndexView,
  { card, turn, clauses }: Evaluation,
  scope: SessionScope,
  passes: Uint8Array | undefined,
): Aggregate {
  const sessionOf = turn.docs.length === 0 ? new Uint32Array(0) : view.sessionsOfTurns();
  const mustAsk = scope.refused === undefined || scope.turnPasses !== undefined;
  const accepted = mustAsk ? acceptEach(view, card, turn, sessionOf, scope, passes) : undefined;
  const { words } = turn;
  const space = view.space.card;
  return withSearchLoops((loops, arena) => {
    const bits = arena.takeZeros(space * words * 4);
    const maxClauses = arena.takeZeros(space * 4);
    const clauseCounts = arena.take(space * 4);
    const sessionsAt = arena.put(sessionOf);
    const passesAt = passes === undefined ? 0 : arena.put(passes);
    const turnRefused = arena.put(accepted?.refused ?? scope.refused ?? new Uint8Array(space));
    const cardRefused = accepted === undefined ? turnRefused : arena.put(accepted.refusedCards);
    const turnDocs = arena.put(turn.docs);
    const cardDocs = arena.put(card.docs);

    const aggregateKind = (
      set: DocumentSet,
      docs: number,
      documents: number,
      sessionsOfDocs: number,
      passing: number,
      refused: number,
    ): AggregatedKind => {
      const counts = arena.takeZeros(documents);
      const best = arena.takeZeros(space * 8);
      const scores = arena.put(set.scores);
      const own = arena.put(set.bits);
      loops.aggregateDocuments(
        docs,
        set.docs.length,
        scores,
        own,
        words,
        clauses,
        sessionsOfDocs,
        passing,
        refused,
        counts,
        best,
        bits,
        maxClauses,
      );
      return {
        counts: arena.bytes.slice(counts, counts + documents),
        best: arena.fractions(best, space).slice(),
      };
    };
    const turns = aggregateKind(turn, turnDocs, view.space.turn, sessionsAt, passesAt, turnRefused);
    const cards = aggregateKind(card, cardDocs, space, 0, 0, cardRefused);
    loops.countClauses(bits, words, clauses, space, clauseCounts);

    const listMatching = (): Uint32Array => {
      const seen = arena.takeZeros(space);
      const list = arena.take(space * 4);
      const { length } = turn.docs;
      const byTurn = loops.collectSessions(turnDocs, length, sessionsAt, passesAt, turnRefused, seen, list);
      const end = list + byTurn * 4;
      const byCard = loops.collectSessions(cardDocs, card.docs.length, 0, 0, cardRefused, seen, end);
      return arena.numbers(list, byTurn + byCard).slice();
    };
    return {
      sessions: accepted?.sessions ?? listMatching(),
      cards,
      turns,
      bits: arena.numbers(bits, space * words).slice(),
      clausesInSession: arena.numbers(clauseCounts, space).slice(),
      maxClausesInOneDocument: arena.numbers(maxClauses, space).slice(),
    };
  });
}

interface AcceptedSessions {
  readonly sessions: Uint32Array;
  /** 1 for each session whose turns do not count, and for each whose card does not. */
  readonly refused: Uint8Array;
  readonly refusedCards: Uint8Array;
}

/** Asks the scope about each session that matches. */
function acceptEach(
  view: IndexView,
  card: DocumentSet,
  turn: DocumentSet,
  sessionOf: Uint32Array,
  scope: SessionScope,
  passes: Uint8Array | undefined,
): AcceptedSessions {
  const refused = new Uint8Array(view.space.card).fill(1);
  const refusedCards = refused.slice();
  const sessions: number[] = [];
  for (let i = 0; i < turn.docs.length; i++) {
    const doc = turn.docs[i] ?? 0;
    const session = sessionOf[doc] ?? 0;
    if (refused[session] === 0 || passes?.[doc] === 0 || !scope.accepts(session)) continue;
    refused[session] = 0;
    sessions.push(session);
  }
  for (const session of card.docs) {
    const isListed = refused[session] === 0;
    if (!isListed && !(scope.accepts(session) && scope.cardPasses(session))) continue;
    refusedCards[session] = 0;
    if (!isListed) sessions.push(session);
  }
  return { sessions: Uint32Array.from(sessions), refused, refusedCards };
}
