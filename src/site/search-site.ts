import { sessionSchema } from "../search/document-fields.ts";
import { type ParsedQuery, parseQuery } from "../search/query/parse-query.ts";
import { searchClauses } from "../search/query/search-clauses.ts";
import { exactNode, looseNode, type QueryNode } from "../search/ranking/query-node.ts";
import { inverseFrequency } from "../search/ranking/scorer.ts";
import type { Clause } from "../search/ranking/search-plan.ts";
import type { Context } from "../session/session.ts";
import type { SiteSession, SiteTurn } from "./site-data.ts";
import { type SiteIndex, scoreClause } from "./site-index.ts";

/** A session that matches, and its best turns. */
export interface SiteHit {
  readonly session: number;
  readonly score: number;
  /** Documents of turns, best first. */
  readonly turns: readonly number[];
}

/** Fields of the query language that a site knows; others need the program. */
const knownFields: readonly string[] = ["project", "agent", "branch", "in"];

export interface SiteResults {
  readonly hits: readonly SiteHit[];
  /** Whether the words were found only with prefixes or typos. */
  readonly isLoose: boolean;
  readonly warnings: readonly string[];
}

export interface SearchableSite {
  readonly index: SiteIndex;
  readonly sessions: readonly SiteSession[];
  readonly turns: readonly SiteTurn[];
}

const noFilter = {
  projects: [],
  files: [],
  agents: [],
  branches: [],
  tools: [],
  commands: [],
  errors: [],
  titles: [],
  contexts: [],
  since: undefined,
  until: undefined,
};

/**
 * Searches a site. Documents have the scores of the command line's engine, and sessions are scored from them by the same
 * formula, without its bonus for recent ones (search/ranking/aggregate-by-session.ts). The words of a phrase must be in
 * one document; that they follow each other is not checked, because that takes the texts.
 */
export function searchSite(site: SearchableSite, typed: string): SiteResults {
  const query = parseQuery(typed);
  const { wanted, unwanted } = searchClauses(query, noFilter);
  const accepts = sessionFilter(query, site.sessions);
  const inContext = contextFilter(query);
  const nodes = wanted.map((clause) => nodeOf(clause, site.index));
  const scored = nodes.map(({ node }) => ({
    card: scoreClause(site.index, "card", node),
    turn: scoreClause(site.index, "turn", node),
  }));
  const excluded = new Set(
    unwanted.flatMap((clause) => {
      const node = exactNode(clause, { fields: sessionSchema.fields, has: () => false });
      const turns = [...scoreClause(site.index, "turn", node).keys()];
      return [
        ...scoreClause(site.index, "card", node).keys(),
        ...turns.map((doc) => site.turns[doc]?.[0] ?? -1),
      ];
    }),
  );
  const weights = scored.map(({ turn }) =>
    Math.max(LEAST_WEIGHT, inverseFrequency(site.index.turn.documentCount, turn.size)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const cards = new Map<number, Matched>();
  const turns = new Map<number, Matched>();
  scored.forEach((sets, clause) => {
    const share = (weights[clause] ?? 0) / total;
    for (const [doc, score] of sets.card) add(cards, doc, score, share, clause);
    for (const [doc, score] of sets.turn)
      if (inContext(site.turns[doc]?.[2])) add(turns, doc, score, share, clause);
  });
  const isIn = (session: number): boolean => accepts(session) && !excluded.has(session);
  const hits = rank(
    site,
    cards,
    turns,
    weights.map((weight) => weight / total),
  ).filter(({ session }) => isIn(session));
  const fields = query.filters.filter(({ field, isUnwanted }) => isUnwanted || !knownFields.includes(field));
  const ignored = fields.map(({ field }) => `${field}: needs the program, and is ignored here`);
  return { hits, isLoose: nodes.some(({ isLoose }) => isLoose), warnings: [...query.warnings, ...ignored] };
}

const TURN_WEIGHT = 2;
const LEAN = 0.3;
const LEAST_WEIGHT = 0.001;

/** What a document matches: its score, the share of the clauses that it has, and which. */
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

function rank(
  site: SearchableSite,
  cards: ReadonlyMap<number, Matched>,
  turns: ReadonlyMap<number, Matched>,
  shares: readonly number[],
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
      for (const doc of docs) {
        const { score, share } = leaning(turns, doc, site, shares);
        best = Math.max(best, score * share);
        most = Math.max(most, share);
      }
      const worth = (doc: number): number => (turns.get(doc)?.score ?? 0) * (turns.get(doc)?.share ?? 0);
      return {
        session,
        score: ((card?.score ?? 0) * (card?.share ?? 0) + TURN_WEIGHT * best) * most,
        turns: [...docs].sort((a, b) => worth(b) - worth(a)),
      };
    })
    .sort((a, b) => b.score - a.score || a.session - b.session);
}

/** A turn leans on the one before it, if that matches too. */
function leaning(
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
  return { score: own.score + LEAN * before.score, share: own.share + LEAN * added };
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
      .filter(({ field, isUnwanted }) => field === name && !isUnwanted)
      .map(({ value }) => value.toLowerCase());
  const any = (wanted: readonly string[], matches: (value: string) => boolean): boolean =>
    wanted.length === 0 || wanted.some(matches);
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
  const wanted = filters
    .filter(({ field, isUnwanted }) => field === "in" && !isUnwanted)
    .map(({ value }) => value);
  return (context) => wanted.length === 0 || wanted.includes(context ?? "");
}
