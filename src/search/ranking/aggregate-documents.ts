import type { DocumentSet } from "./document-set.ts";
import type { Evaluation } from "./evaluate.ts";
import type { IndexView } from "./index-view.ts";
import { withSearchLoops } from "./loops/search-loops.ts";
import type { SessionScope } from "./session-scores.ts";

/** What documents of one kind give. */
export interface AggregatedKind {
  /** 1 for each document that counts. */
  readonly counts: Uint8Array;
  /** By session, the score of the best one. */
  readonly best: Float64Array;
}

/** What sessions get of their documents. */
export interface AggregatedDocuments {
  /** Sessions with a document that counts, in no order. */
  readonly sessions: Uint32Array;
  readonly cards: AggregatedKind;
  readonly turns: AggregatedKind;
  /** By session, as documents have them: what any document of it matches. */
  readonly bits: Uint32Array;
  /** By session: how many clauses it matches, and the most that one document of it does. */
  readonly has: Uint32Array;
  readonly together: Uint32Array;
}

/** `passes`: 1 for each turn that counts; undefined: all do. */
export function aggregateDocuments(
  view: IndexView,
  { card, turn, clauses }: Evaluation,
  scope: SessionScope,
  passes: Uint8Array | undefined,
): AggregatedDocuments {
  const sessionOf = turn.docs.length === 0 ? new Uint32Array(0) : view.sessionsOfTurns();
  const asked = scope.refused === undefined || scope.turnPasses !== undefined;
  const counting = asked ? askEach(view, card, turn, sessionOf, scope, passes) : undefined;
  const { words } = turn;
  const space = view.space.card;
  return withSearchLoops((loops, room) => {
    const united = room.takeZeros(space * words * 4);
    const together = room.takeZeros(space * 4);
    const has = room.take(space * 4);
    const sessionsAt = room.put(sessionOf);
    const passesAt = passes === undefined ? 0 : room.put(passes);
    const turnRefused = room.put(counting?.refused ?? scope.refused ?? new Uint8Array(space));
    const cardRefused = counting === undefined ? turnRefused : room.put(counting.refusedCards);

    const turnDocs = room.put(turn.docs);
    const cardDocs = room.put(card.docs);

    const unite = (
      set: DocumentSet,
      docs: number,
      documents: number,
      ofSession: number,
      passing: number,
      refused: number,
    ): AggregatedKind => {
      const counts = room.takeZeros(documents);
      const best = room.takeZeros(space * 8);
      const scores = room.put(set.scores);
      const bits = room.put(set.bits);
      loops.uniteDocuments(
        docs,
        set.docs.length,
        scores,
        bits,
        words,
        clauses,
        ofSession,
        passing,
        refused,
        counts,
        best,
        united,
        together,
      );
      return {
        counts: room.bytes.slice(counts, counts + documents),
        best: room.fractions(best, space).slice(),
      };
    };
    const turns = unite(turn, turnDocs, view.space.turn, sessionsAt, passesAt, turnRefused);
    const cards = unite(card, cardDocs, space, 0, 0, cardRefused);
    loops.countClauses(united, words, clauses, space, has);

    /** Where it is known who is refused. */
    const list = (): Uint32Array => {
      const seen = room.takeZeros(space);
      const found = room.take(space * 4);
      const listed = loops.listSessions(
        turnDocs,
        turn.docs.length,
        sessionsAt,
        passesAt,
        turnRefused,
        seen,
        found,
      );
      const more = loops.listSessions(
        cardDocs,
        card.docs.length,
        0,
        0,
        cardRefused,
        seen,
        found + listed * 4,
      );
      return room.numbers(found, listed + more).slice();
    };
    return {
      sessions: counting?.sessions ?? list(),
      cards,
      turns,
      bits: room.numbers(united, space * words).slice(),
      has: room.numbers(has, space).slice(),
      together: room.numbers(together, space).slice(),
    };
  });
}

interface Counting {
  readonly sessions: Uint32Array;
  /** 1 for each session whose turns do not count, and whose card does not. */
  readonly refused: Uint8Array;
  readonly refusedCards: Uint8Array;
}

/** Asks of each session that matches whether it counts. */
function askEach(
  view: IndexView,
  card: DocumentSet,
  turn: DocumentSet,
  sessionOf: Uint32Array,
  scope: SessionScope,
  passes: Uint8Array | undefined,
): Counting {
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
