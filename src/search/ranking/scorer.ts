import {
  createPostingsArena,
  decodeGroup,
  type PostingsArena,
  type PostingsGroup,
  readGroups,
} from "../paged/postings.ts";
import { type DocumentKind, MAX_FIELDS } from "./index-schema.ts";
import type { FieldLengths, IndexPart, IndexStatistics, IndexTerm, IndexView } from "./index-view.ts";

/**
 * BM25 as MiniSearch computes it with these values for its option `bm25`, and 0 for `d`. Tests compare every score with
 * a real MiniSearch, so nothing here may be "improved" alone.
 */
const bm25 = { k: 1.5, b: 0.8 } as const;

export function inverseFrequency(documents: number, matching: number): number {
  return Math.log(1 + (documents - matching + 0.5) / (matching + 0.5));
}

/** Weight of a term that only starts with the query term, by the lengths of both. */
export function prefixWeight(queryLength: number, foundLength: number): number {
  return (0.375 * foundLength) / (foundLength + 0.3 * (foundLength - queryLength));
}

/** Weight of a term that only resembles the query term. */
export function fuzzyWeight(foundLength: number, distance: number): number {
  return (0.45 * foundLength) / (foundLength + distance);
}

/**
 * Documents of one kind with their scores. The arrays cover all documents, so a word that is in nearly every one
 * costs an addition per document and no look-up. A document is in the set if its score is above 0.
 */
export interface DocumentSet {
  /** The documents in the set, in no order: the first `count`. */
  readonly docs: Uint32Array;
  count: number;
  readonly scores: Float64Array;
  /** `words` numbers of 32 bits per document: which clauses it matches. */
  readonly clauses: Uint32Array;
  readonly words: number;
}

export function createSet(space: number, clauses: number): DocumentSet {
  const words = Math.ceil(clauses / 32);
  return {
    docs: new Uint32Array(space),
    count: 0,
    scores: new Float64Array(space),
    clauses: new Uint32Array(space * words),
    words,
  };
}

export function documentsIn({ docs, count }: DocumentSet): Uint32Array {
  return docs.subarray(0, count);
}

export function hasClause(set: DocumentSet, doc: number, clause: number): boolean {
  return ((set.clauses[doc * set.words + (clause >>> 5)] ?? 0) & (1 << (clause & 31))) !== 0;
}

/**
 * Adds the documents of another set to those that match a clause. Returns the number of documents to which the clause
 * is new.
 */
export function addSet(into: DocumentSet, other: DocumentSet, clause: number): number {
  let added = 0;
  for (let i = 0; i < other.count; i++) {
    const doc = other.docs[i] ?? 0;
    const before = into.scores[doc] ?? 0;
    if (before === 0) into.docs[into.count++] = doc;
    into.scores[doc] = before + (other.scores[doc] ?? 0);
    if (hasClause(into, doc, clause)) continue;
    const at = doc * into.words + (clause >>> 5);
    into.clauses[at] = (into.clauses[at] ?? 0) | (1 << (clause & 31));
    added++;
  }
  return added;
}

/** Keeps the documents that are in both sets and sums their scores. */
export function intersectSet(into: DocumentSet, other: DocumentSet): void {
  keep(into, (doc) => {
    const score = other.scores[doc] ?? 0;
    if (score > 0) into.scores[doc] = (into.scores[doc] ?? 0) + score;
    return score > 0;
  });
}

/** Removes the documents that are in the other set. */
export function subtractSet(from: DocumentSet, other: DocumentSet): void {
  keep(from, (doc) => other.scores[doc] === 0);
}

function keep(set: DocumentSet, isKept: (doc: number) => boolean): void {
  let kept = 0;
  for (let i = 0; i < set.count; i++) {
    const doc = set.docs[i] ?? 0;
    if (isKept(doc)) {
      set.docs[kept++] = doc;
      continue;
    }
    set.scores[doc] = 0;
    set.clauses.fill(0, doc * set.words, (doc + 1) * set.words);
  }
  set.count = kept;
}

export type DocumentSets = Readonly<Record<DocumentKind, DocumentSet>>;

/** The postings of a term in one field of one part. */
interface TermGroup {
  readonly part: IndexPart;
  readonly bytes: Uint8Array;
  readonly group: PostingsGroup;
  readonly kind: DocumentKind;
}

function groupsOf(view: IndexView, term: IndexTerm): readonly TermGroup[] {
  return view.postings(term).flatMap(({ part, bytes }) =>
    readGroups(bytes).map((group) => ({
      part,
      bytes,
      group,
      kind: view.fields[group.field]?.kind ?? "turn",
    })),
  );
}

/** Counts the documents that have a term, once per field that has it. */
export function countUses(view: IndexView, term: IndexTerm): number {
  return countLiving(groupsOf(view, term));
}

/** Counts postings of documents that are not deleted. */
function countLiving(groups: readonly TermGroup[]): number {
  const arena = createPostingsArena();
  return groups.reduce((sum, each) => {
    if (each.part.gone(each.kind) === undefined) return sum + each.group.count;
    arena.length = 0;
    decodeLiving(each, arena);
    return sum + arena.length;
  }, 0);
}

/** Whether any document that is not deleted has a term. */
export function isIndexed(view: IndexView, term: string): boolean {
  const found = view.exact(term);
  return found !== undefined && countUses(view, found) > 0;
}

/** The turns that have a rare term in a text that is not stored; none if stored texts of several turns have it. */
export function unstoredTurns(view: IndexView, term: string): ReadonlySet<number> {
  const turns = new Set<number>();
  const found = view.exact(term);
  const groups = found === undefined ? [] : groupsOf(view, found).filter(({ kind }) => kind === "turn");
  const isStored = ({ group }: TermGroup): boolean => view.fields[group.field]?.stored !== false;
  const counted = view.statistics && countInIndex(view, term, view.statistics);
  if ((counted ?? countLiving(groups.filter(isStored))) >= RARE) return turns;
  const arena = createPostingsArena();
  for (const each of groups) {
    if (isStored(each)) continue;
    arena.length = 0;
    decodeLiving(each, arena);
    for (const doc of arena.docs.subarray(0, arena.length)) turns.add(each.part.firstTurn + doc);
  }
  return turns;
}

/** How many turns of the whole index have a term in a text that is stored. */
function countInIndex({ fields }: IndexView, term: string, statistics: IndexStatistics): number {
  return fields.reduce(
    (sum, { kind, stored }, field) =>
      kind === "turn" && stored !== false ? sum + (statistics.documentsWith(term, field) ?? 0) : sum,
    0,
  );
}

/** Appends the postings of a group to the arena, without those of deleted documents. */
function decodeLiving({ part, bytes, group, kind }: TermGroup, arena: PostingsArena): void {
  const from = arena.length;
  decodeGroup(bytes, group, arena, kind === "card" ? part.sessions : part.turns);
  const gone = part.gone(kind);
  if (gone === undefined) return;
  const { docs, freqs } = arena;
  let to = from;
  for (let i = from; i < arena.length; i++) {
    const doc = docs[i] ?? 0;
    if (gone[doc] === 1) continue;
    docs[to] = doc;
    freqs[to++] = freqs[i] ?? 0;
  }
  arena.length = to;
}

/** How a term is scored, and the clause it belongs to. */
export interface TermScoring {
  /** Bit mask of the fields that count. */
  readonly fields: number;
  readonly weight: number;
  readonly clause: number;
}

export interface TermScorer {
  /**
   * Adds the scores of a term to its documents, and its clause. Returns how many turns did not have the clause before, not
   * counting those that only have it in texts that are not stored.
   */
  score(term: IndexTerm, sets: DocumentSets, scoring: TermScoring): number;
  /** The terms that were found in a document. */
  readonly found: ReadonlySet<string>;
}

/** `boosts`: the weight of each field. */
export function createTermScorer(view: IndexView, boosts: readonly number[]): TermScorer {
  const found = new Set<string>();
  const arena = createPostingsArena();
  const counts = new Float64Array(MAX_FIELDS);
  return {
    found,
    score(term, sets, { fields, weight, clause }) {
      arena.length = 0;
      counts.fill(0);
      const groups = groupsOf(view, term).filter(({ group }) => (fields & (1 << group.field)) !== 0);
      const ends = groups.map((each) => {
        const from = arena.length;
        decodeLiving(each, arena);
        counts[each.group.field] = (counts[each.group.field] ?? 0) + arena.length - from;
        return arena.length;
      });
      if (arena.length > 0) found.add(term.term);
      if (view.statistics !== undefined)
        for (let field = 0; field < view.fields.length; field++)
          if ((fields & (1 << field)) !== 0)
            counts[field] = view.statistics.documentsWith(term.term, field) ?? counts[field] ?? 0;
      let addedTurns = 0;
      const isStored = (field: number): boolean => view.fields[field]?.stored !== false;
      const inTurns = view.fields.reduce(
        (sum, { kind }, field) => (kind === "turn" && isStored(field) ? sum + (counts[field] ?? 0) : sum),
        0,
      );
      groups.forEach(({ part, kind, group: { field } }, i) => {
        const idf = inverseFrequency(view.documents[kind], counts[field] ?? 0);
        const added = scorePostings(sets[kind], arena, ends[i - 1] ?? 0, ends[i] ?? 0, {
          base: kind === "card" ? part.firstSession : part.firstTurn,
          documents: kind === "card" ? part.sessions : part.turns,
          lengths: part.lengths(field),
          averageLength: view.averageLengths[field] ?? 0,
          weight: weight * (boosts[field] ?? 1) * idf,
          clause,
          // Texts that are not stored are long, so a match of a word that is also in conversations means little
          // there.
          isCounted: kind === "card" || isStored(field) || inTurns < RARE,
        });
        if (kind === "turn" && isStored(field)) addedTurns += added;
      });
      return addedTurns;
    },
  };
}

interface PostingsScoring {
  /** Number of the part's first document of this kind, and how many it has. */
  readonly base: number;
  readonly documents: number;
  readonly lengths: FieldLengths;
  readonly averageLength: number;
  readonly weight: number;
  readonly clause: number;
  /** False: the documents are found, but do not count as having the clause. */
  readonly isCounted: boolean;
}

/** A term in fewer turns is rare. */
export const RARE = 4;

/** If a term is in fewer than one in this many documents, their lengths are read one by one. */
const SPARSE = 64;

/**
 * Scores a range of the arena. Returns the number of documents to which the clause is new. One loop without calls,
 * because it runs most often.
 */
function scorePostings(
  set: DocumentSet,
  { docs: found, freqs }: PostingsArena,
  from: number,
  to: number,
  { base, documents, lengths, averageLength, weight, clause, isCounted }: PostingsScoring,
): number {
  const all = (to - from) * SPARSE < documents ? undefined : lengths.all();
  const { k, b } = bm25;
  const flat = k * (1 - b);
  const slope = (k * b) / averageLength;
  const factor = weight * (k + 1);
  const { docs, scores, clauses, words } = set;
  const word = clause >>> 5;
  const bit = isCounted ? 1 << (clause & 31) : 0;
  let { count } = set;
  let added = 0;
  for (let i = from; i < to; i++) {
    const own = found[i] ?? 0;
    const freq = freqs[i] ?? 0;
    const length = all === undefined ? lengths.at(own) : (all[own] ?? 0);
    const doc = base + own;
    const before = scores[doc] ?? 0;
    if (before === 0) docs[count++] = doc;
    scores[doc] = before + (factor * freq) / (freq + flat + slope * length);
    const at = doc * words + word;
    const bits = clauses[at] ?? 0;
    if ((bits & bit) !== 0) continue;
    clauses[at] = bits | bit;
    added++;
  }
  set.count = count;
  return added;
}
