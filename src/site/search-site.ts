import { sessionSchema } from "../search/document-fields.ts";
import type { DateContext } from "../search/query/parse-date.ts";
import { type ParsedQuery, parseQuery } from "../search/query/parse-query.ts";
import { queryDates } from "../search/query/query-dates.ts";
import { searchClauses } from "../search/query/search-clauses.ts";
import { noFilter } from "../search/query/session-filter.ts";
import { LEAST_WEIGHT, PREVIOUS_TURN_SHARE, TURN_WEIGHT } from "../search/ranking/aggregate-by-session.ts";
import { clauseTest, type Texts, type TextTest } from "../search/ranking/check-phrases.ts";
import { exactNode, looseNode, type QueryNode } from "../search/ranking/query-node.ts";
import { inverseFrequency } from "../search/ranking/scorer.ts";
import type { Clause } from "../search/ranking/search-plan.ts";
import { timeFactor } from "../search/ranking/time-factor.ts";
import type { Context } from "../session/session.ts";
import type { SiteSession, SiteTexts, SiteTurn } from "./site-data.ts";
import { type SiteIndex, scoreClause } from "./site-index.ts";

/** A matching session and its best turns. */
export interface SiteHit {
  readonly session: number;
  readonly score: number;
  /** Whether its documents have every word. */
  readonly hasAll: boolean;
  /** Documents of turns, best first. */
  readonly turns: readonly number[];
}

/** Fields of the query language that a site supports; others need the program. */
const knownFields: readonly string[] = ["project", "agent", "branch", "in"];

export interface SiteResults {
  /** Best first. With phrases, candidates: their texts decide (`keepPhrases`). */
  readonly hits: readonly SiteHit[];
  /** Conditions on texts, for each clause with a phrase. */
  readonly phrases: readonly TextTest[];
  /** Whether the words were found only with prefixes or typos. */
  readonly isLoose: boolean;
  readonly warnings: readonly string[];
}

export interface SearchableSite {
  readonly index: SiteIndex;
  readonly sessions: readonly SiteSession[];
  readonly turns: readonly SiteTurn[];
}

/**
 * Searches a site in the same way as the command line: documents have the scores of its engine, and the scores of
 * sessions are computed from them by the same formula (search/ranking/aggregate-by-session.ts), with its factors for
 * recent sessions and for dates.
 */
export function searchSite(site: SearchableSite, typed: string, clock: DateContext): SiteResults {
  const query = parseQuery(typed);
  const { clauses, excluded: not } = searchClauses(query, noFilter);
  const accepts = sessionFilter(query, site.sessions);
  const inContext = contextFilter(query);
  const nodes = clauses.map((clause) => nodeOf(clause, site.index));
  const scored = nodes.map(({ node }) => ({
    card: scoreClause(site.index, "card", node),
    turn: scoreClause(site.index, "turn", node),
  }));
  const excluded = new Set(
    not.flatMap((clause) => {
      const node = exactNode(clause, { fields: sessionSchema.fields, has: () => false });
      const turns = [...scoreClause(site.index, "turn", node).keys()];
      return [
        ...scoreClause(site.index, "card", node).keys(),
        ...turns.map((doc) => site.turns[doc]?.[0] ?? -1),
      ];
    }),
  );
  const isIn = (session: number): boolean => accepts(session) && !excluded.has(session);
  const weights = scored.map(({ turn }) =>
    Math.max(LEAST_WEIGHT, inverseFrequency(site.index.turn.documentCount, turn.size)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const cards = new Map<number, Matched>();
  const turns = new Map<number, Matched>();
  scored.forEach((sets, clause) => {
    const share = (weights[clause] ?? 0) / total;
    for (const [doc, score] of sets.card) if (isIn(doc)) add(cards, doc, score, share, clause);
    for (const [doc, score] of sets.turn) {
      const [session = -1, , context] = site.turns[doc] ?? [];
      if (isIn(session) && inContext(context)) add(turns, doc, score, share, clause);
    }
  });
  for (const doc of copiesToDrop(site, turns)) turns.delete(doc);
  const dates = queryDates(query.words, clock);
  const shares = weights.map((weight) => weight / total);
  const hits = rank(site, { cards, turns, shares }, (at) => timeFactor(at ?? Number.NaN, clock.now, dates));
  const phrases = clauses.flatMap((clause) => clauseTest(clause) ?? []);
  const fields = query.filters.filter(({ field, isNegated }) => isNegated || !knownFields.includes(field));
  const ignored = fields.map(({ field }) => `${field}: needs the program, and is ignored here`);
  return {
    hits: phrases.length === 0 ? hits : hits.filter(({ hasAll }) => hasAll),
    phrases,
    isLoose: nodes.some(({ isLoose }) => isLoose),
    warnings: [...query.warnings, ...ignored],
  };
}

/** The number of sessions whose texts are read to find a phrase: a query of common words has many candidates. */
const MAX_TEXTS = 200;

/** Keeps the hits that have each phrase in the card or a turn, and of their turns those that have one. */
export async function keepPhrases(
  site: SearchableSite,
  { hits, phrases }: SiteResults,
  textsOf: (session: SiteSession) => Promise<SiteTexts>,
  enough: number,
): Promise<readonly SiteHit[]> {
  if (phrases.length === 0) return hits;
  const kept: SiteHit[] = [];
  for (const hit of hits.slice(0, MAX_TEXTS)) {
    const session = site.sessions[hit.session];
    if (session === undefined) continue;
    const { card, turns } = await textsOf(session);
    const fieldsOf = (doc: number): Texts => turns[site.turns[doc]?.[4] ?? -1]?.fields ?? {};
    const having = hit.turns.filter((doc) => phrases.some((test) => test(fieldsOf(doc))));
    const hasAll = phrases.every((test) => test(card) || having.some((doc) => test(fieldsOf(doc))));
    if (hasAll) kept.push({ ...hit, turns: having });
    if (kept.length === enough) break;
  }
  return kept;
}

/**
 * Copied turns that do not count. A fork starts with copies of another session's turns: if both match, only the original
 * counts; if only copies match, the one whose session has the smallest key.
 */
function copiesToDrop(site: SearchableSite, matching: ReadonlyMap<number, Matched>): readonly number[] {
  const kept = new Map<string, number>();
  const dropped: number[] = [];
  const isCopy = (doc: number): boolean => site.turns[doc]?.[6] === true;
  const isBetter = (doc: number, than: number): boolean =>
    isCopy(doc) === isCopy(than)
      ? keyOf(site, site.turns[doc]?.[0]) < keyOf(site, site.turns[than]?.[0])
      : isCopy(than);
  for (const doc of matching.keys()) {
    const identity = site.turns[doc]?.[5];
    if (identity === undefined) continue;
    const other = kept.get(identity);
    if (other === undefined) kept.set(identity, doc);
    else if (!isCopy(doc) && !isCopy(other)) {
      // Two originals: a turn that is in two files. Both count.
    } else if (isBetter(doc, other)) {
      dropped.push(other);
      kept.set(identity, doc);
    } else dropped.push(doc);
  }
  return dropped;
}

function keyOf({ sessions }: SearchableSite, number: number | undefined): string {
  const { agent, id } = sessions[number ?? -1] ?? { agent: "", id: "" };
  return `${agent}:${id}`;
}

/** The match of a document: its score, its share of the clauses, and which clauses match. */
interface Matched {
  score: number;
  share: number;
  readonly clauses: Set<number>;
}

function add(docs: Map<number, Matched>, doc: number, score: number, share: number, clause: number): void {
  const found = docs.get(doc) ?? { score: 0, share: 0, clauses: new Set<number>() };
  found.score += score;
  found.share += share;
  found.clauses.add(clause);
  docs.set(doc, found);
}

interface Matches {
  readonly cards: ReadonlyMap<number, Matched>;
  readonly turns: ReadonlyMap<number, Matched>;
  /** The share of each clause. */
  readonly shares: readonly number[];
}

function rank(
  site: SearchableSite,
  { cards, turns, shares }: Matches,
  factorOf: (endedAt: number | null) => number,
): readonly SiteHit[] {
  const bySession = new Map<number, number[]>([...cards.keys()].map((session) => [session, []]));
  for (const doc of [...turns.keys()].sort((a, b) => a - b)) {
    const session = site.turns[doc]?.[0] ?? 0;
    const own = bySession.get(session);
    if (own === undefined) bySession.set(session, [doc]);
    else own.push(doc);
  }
  return [...bySession]
    .map(([session, docs]) => {
      const card = cards.get(session);
      let most = card?.share ?? 0;
      let best = 0;
      const had = new Set(card?.clauses);
      for (const doc of docs) {
        const { score, share } = withPrevious(turns, doc, site, shares);
        best = Math.max(best, score * share);
        most = Math.max(most, share);
        for (const clause of turns.get(doc)?.clauses ?? []) had.add(clause);
      }
      const worth = (doc: number): number => (turns.get(doc)?.score ?? 0) * (turns.get(doc)?.share ?? 0);
      const score = ((card?.score ?? 0) * (card?.share ?? 0) + TURN_WEIGHT * best) * most;
      return {
        session,
        score: score * factorOf(site.sessions[session]?.endedAt ?? null),
        hasAll: had.size === shares.length,
        turns: [...docs].sort((a, b) => worth(b) - worth(a)),
      };
    })
    .sort((a, b) => b.score - a.score || (keyOf(site, a.session) < keyOf(site, b.session) ? -1 : 1));
}

/** If the turn before it matches too, that raises a turn's score. */
function withPrevious(
  turns: ReadonlyMap<number, Matched>,
  doc: number,
  site: SearchableSite,
  shares: readonly number[],
): { readonly score: number; readonly share: number } {
  const own = turns.get(doc);
  if (own === undefined) return { score: 0, share: 0 };
  const isSameSession = site.turns[doc - 1]?.[0] === site.turns[doc]?.[0];
  const before = isSameSession ? turns.get(doc - 1) : undefined;
  if (before === undefined) return own;
  const others = [...before.clauses].filter((clause) => !own.clauses.has(clause));
  const added = others.reduce((sum, clause) => sum + (shares[clause] ?? 0), 0);
  return {
    score: own.score + PREVIOUS_TURN_SHARE * before.score,
    share: own.share + PREVIOUS_TURN_SHARE * added,
  };
}

function nodeOf(clause: Clause, index: SiteIndex): { readonly node: QueryNode; readonly isLoose: boolean } {
  const has = (term: string, prefix: boolean): boolean => {
    const node = { kind: "term", term, prefix, maxDistance: 0, boost: 1, fields: -1 } as const;
    return scoreClause(index, "turn", node).size > 0 || scoreClause(index, "card", node).size > 0;
  };
  const options = {
    fields: sessionSchema.fields,
    has: (term: string) => has(term, false),
    hasPrefix: (term: string) => has(term, true),
  };
  const loose = looseNode(clause, options);
  return { node: loose ?? exactNode(clause, options), isLoose: loose !== undefined };
}

/** Sessions that the fields of the query allow. */
function sessionFilter(
  { filters }: ParsedQuery,
  sessions: readonly SiteSession[],
): (session: number) => boolean {
  const values = (name: string): readonly string[] =>
    filters
      .filter(({ field, isNegated }) => field === name && !isNegated)
      .map(({ value }) => value.toLowerCase());
  const any = (values: readonly string[], matches: (value: string) => boolean): boolean =>
    values.length === 0 || values.some(matches);
  const [projects, agents, branches] = [values("project"), values("agent"), values("branch")];
  return (number) => {
    const { project, agent, branch } = sessions[number] ?? { project: null, agent: "", branch: null };
    return (
      any(projects, (value) => (project ?? "").toLowerCase().includes(value)) &&
      any(agents, (value) => agent === value) &&
      any(branches, (value) => (branch ?? "").toLowerCase() === value)
    );
  };
}

function contextFilter({ filters }: ParsedQuery): (context: Context | undefined) => boolean {
  const contexts = filters
    .filter(({ field, isNegated }) => field === "in" && !isNegated)
    .map(({ value }) => value);
  return (context) => contexts.length === 0 || contexts.includes(context ?? "");
}
