import { Buffer } from "node:buffer";
import { IndexDamage } from "../../fs/damage.ts";
import { once } from "../../fs/once.ts";
import { localSource } from "../engine.ts";
import type { FieldTable } from "../ranking/index-schema.ts";
import { contextOf } from "../ranking/index-schema.ts";
import type { IndexPart, IndexTerm, IndexView, NearIndexTerm } from "../ranking/index-view.ts";
import type { TermPlace } from "./dictionary.ts";
import { addTotals, goneTurns, type LiveSegment, noTotals } from "./manifest.ts";
import type { SegmentTotals } from "./segment.ts";
import { decodeDocumentText } from "./stored-blocks.ts";

export interface CountedSegment extends LiveSegment {
  /** The share of its live documents in the statistics. */
  readonly live: SegmentTotals;
}

/** A segment with the view's numbers of its first documents. */
interface PlacedSegment extends LiveSegment {
  readonly part: IndexPart;
  readonly firstSession: number;
  readonly firstTurn: number;
}

interface PlacedTerm {
  readonly at: PlacedSegment;
  readonly place: TermPlace;
}

interface SegmentsTerm extends IndexTerm {
  readonly places: readonly PlacedTerm[];
}

/** Shows all segments as one index. */
export function createSegmentsView(counted: readonly CountedSegment[], fields: FieldTable): IndexView {
  const segments: PlacedSegment[] = [];
  let sessions = 0;
  let turns = 0;
  for (const { segment, gone, partials } of counted) {
    const first = { firstSession: sessions, firstTurn: turns };
    const live = { segment, gone, partials };
    segments.push({ ...live, ...first, part: { ...first, ...toPart(live) } });
    sessions += segment.totals.sessions;
    turns += segment.totals.turns;
  }
  const grown = once(() => placePartials(segments));
  const live = counted.reduce((sum, { live }) => addTotals(sum, live), noTotals);

  const bySession = (session: number): PlacedSegment => pick(segments, (at) => at.firstSession <= session);
  const byTurn = (turn: number): PlacedSegment => pick(segments, (at) => at.firstTurn <= turn);

  const view: IndexView = {
    fields,
    space: { card: sessions, turn: turns },
    documents: { card: live.sessions, turn: live.turns },
    averageLengths: fields.map((field, place) =>
      average(live.lengths[place] ?? 0, field.kind === "card" ? live.sessions : live.turns),
    ),
    exact: (term) =>
      gather(segments, (at) => {
        const place = at.segment.dictionary.find(term);
        return place === undefined ? [] : [place];
      })[0],
    withPrefix: (prefix) => gather(segments, (at) => at.segment.dictionary.withPrefix(prefix)),
    near: cached((word, maxDistance, isSameStart = false) => {
      const distances = new Map<string, number>();
      const found = gather(segments, (at) => {
        const near = at.segment.dictionary.near(word, maxDistance, isSameStart);
        for (const { term, distance } of near) distances.set(term, distance);
        return near;
      });
      return found.map((term): NearIndexTerm => ({ found: term, distance: distances.get(term.term) ?? 0 }));
    }),
    postings: (term) =>
      placesOf(term).map(({ at, place }) => ({
        part: at.part,
        bytes: at.segment.postings(place.offset, place.length),
      })),
    sessionsOfTurns: once(() => {
      const joined = new Uint32Array(turns);
      for (const { segment, firstSession, firstTurn } of segments) {
        const starts = segment.turnStarts();
        for (let session = 0; session < segment.totals.sessions; session++) {
          const from = firstTurn + (starts[session] ?? 0);
          joined.fill(firstSession + session, from, firstTurn + (starts[session + 1] ?? 0));
        }
      }
      for (const [head, ranges] of grown()) for (const { from, to } of ranges) joined.fill(head, from, to);
      return joined;
    }),
    turnsOf(session) {
      const at = bySession(session);
      const starts = at.segment.turnStarts();
      const own = session - at.firstSession;
      const last = [at.firstTurn + (starts[own] ?? 0), at.firstTurn + (starts[own + 1] ?? 0)] as const;
      const before = grown().get(session);
      return before === undefined ? [last] : [...before.map(({ from, to }) => [from, to] as const), last];
    },
    gone: once(() => {
      const joined = new Uint8Array(sessions);
      for (const { gone, firstSession } of segments) if (gone !== undefined) joined.set(gone, firstSession);
      return joined;
    }),
    key(session) {
      const at = bySession(session);
      return at.segment.key(session - at.firstSession);
    },
    sourceOf: () => localSource,
    sessionTimes: once(() => {
      const joined = new Float64Array(sessions);
      for (const { segment, firstSession } of segments) joined.set(segment.cardTimes.all(), firstSession);
      return joined;
    }),
    turn(turn) {
      const at = byTurn(turn);
      const own = turn - at.firstTurn;
      return {
        number: at.segment.turnNumbers.at(own),
        at: toTime(at.segment.turnTimes.at(own)),
        context: contextOf(at.segment.turnFlags.at(own)),
      };
    },
    turnTimes: once(() => {
      const joined = new Float64Array(turns);
      for (const { segment, firstTurn } of segments) joined.set(segment.turnTimes.all(), firstTurn);
      return joined;
    }),
    turnFlags: once(() => {
      const joined = new Uint8Array(turns);
      for (const { segment, firstTurn } of segments) joined.set(segment.turnFlags.all(), firstTurn);
      return joined;
    }),
    hasCopies: live.copies > 0,
    turnIdentities: once(() => {
      const joined = new Float64Array(turns);
      for (const { segment, firstTurn } of segments) joined.set(segment.turnIdentities.all(), firstTurn);
      return joined;
    }),
    cardTexts(session) {
      const at = bySession(session);
      return decodeDocumentText(at.segment.cardTexts.record(session - at.firstSession), fields);
    },
    turnTexts(turn) {
      const at = byTurn(turn);
      return decodeDocumentText(at.segment.turnTexts.record(turn - at.firstTurn), fields);
    },
    turnTextsApart(turn) {
      const at = byTurn(turn);
      return decodeDocumentText(at.segment.turnTextsApart.record(turn - at.firstTurn), fields);
    },
    row(session) {
      const at = bySession(session);
      return Buffer.from(at.segment.rows.record(session - at.firstSession)).toString("utf8");
    },
  };
  return view;
}

function toPart(live: LiveSegment): Omit<IndexPart, "firstSession" | "firstTurn"> {
  const { segment, gone } = live;
  const { sessions, turns } = segment.totals;
  const turnsGone = once(() => goneTurns(live));
  return {
    sessions,
    turns,
    gone: (kind) => (kind === "card" ? gone : turnsGone()),
    lengths: (field) => segment.fieldLengths(field),
  };
}

interface TurnRange {
  readonly from: number;
  readonly to: number;
  /** Its position among the ranges of its session. */
  readonly order: number;
}

/** By session, the ranges of its turns in partial sessions, in order. */
function placePartials(segments: readonly PlacedSegment[]): ReadonlyMap<number, readonly TurnRange[]> {
  const bySession = new Map<number, TurnRange[]>();
  for (const { segment, partials, firstTurn } of segments) {
    for (const { session, turns, from: order, head } of partials) {
      const at = segments.find((each) => each.segment.descriptor.file === head.file);
      if (at === undefined) throw new IndexDamage("The last part of a session is missing");
      const from = firstTurn + (segment.turnStarts()[session] ?? 0);
      const key = at.firstSession + head.session;
      const range = { from, to: from + turns, order };
      bySession.set(
        key,
        [...(bySession.get(key) ?? []), range].sort((a, b) => a.order - b.order),
      );
    }
  }
  return bySession;
}

/** Caches results: a walk over the dictionary is slow, and a query without exact hits repeats it. */
function cached(near: IndexView["near"]): IndexView["near"] {
  const known = new Map<string, readonly NearIndexTerm[]>();
  return (word, maxDistance, isSameStart = false) => {
    const key = `${maxDistance} ${isSameStart} ${word}`;
    const found = known.get(key) ?? near(word, maxDistance, isSameStart);
    known.set(key, found);
    return found;
  };
}

/** Merges the terms of all segments by text, in order. */
function gather(
  segments: readonly PlacedSegment[],
  find: (at: PlacedSegment) => readonly TermPlace[],
): SegmentsTerm[] {
  const found = new Map<string, { readonly term: string; readonly places: PlacedTerm[] }>();
  for (const at of segments) {
    for (const place of find(at)) {
      const known = found.get(place.term);
      if (known === undefined) found.set(place.term, { term: place.term, places: [{ at, place }] });
      else known.places.push({ at, place });
    }
  }
  const terms = [...found.values()];
  // The terms of one segment are in order already.
  return segments.length < 2 ? terms : terms.sort((a, b) => (a.term < b.term ? -1 : 1));
}

function placesOf(term: IndexTerm): readonly PlacedTerm[] {
  return isSegmentsTerm(term) ? term.places : [];
}

function isSegmentsTerm(term: IndexTerm): term is SegmentsTerm {
  return Array.isArray(term.places);
}

function toTime(at: number): number | null {
  return Number.isNaN(at) ? null : at;
}

function average(sum: number, count: number): number {
  return count === 0 ? 0 : sum / count;
}

/** Returns the last segment that starts at or before a number. */
function pick(segments: readonly PlacedSegment[], begins: (at: PlacedSegment) => boolean): PlacedSegment {
  const found = segments.findLast(begins);
  if (found === undefined) throw new RangeError("No such document");
  return found;
}
