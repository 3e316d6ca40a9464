import MiniSearch, { type Query } from "minisearch";
import type { IndexedSession } from "../../../src/search/engine.ts";
import type { DocumentKind, IndexSchema } from "../../../src/search/ranking/index-schema.ts";
import type { QueryNode } from "../../../src/search/ranking/query-node.ts";
import { eachTerm } from "./terms-of.ts";

interface OracleDocument {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Oracle {
  /** Sums over terms and fields by `key#turn`, of the documents that match any of the clauses. */
  search(kind: DocumentKind, clauses: readonly QueryNode[]): Map<string, number>;
}

/** One real MiniSearch per kind of document, built from sessions as they are now. */
export function createOracle(schema: IndexSchema, sessions: readonly IndexedSession[]): Oracle {
  const build = (kind: DocumentKind): MiniSearch<OracleDocument> => {
    const own = schema.fields.filter((field) => field.kind === kind);
    const index = new MiniSearch<OracleDocument>({
      fields: own.map(({ name }) => name),
      extractField: (document, field) => (field === "id" ? document.id : (document.fields[field] ?? "")),
      tokenize: (text) => {
        const terms: string[] = [];
        eachTerm(text, (term) => terms.push(term), schema.createAnalyzer);
        return terms;
      },
      processTerm: (term) => term,
    });
    for (const session of sessions) {
      for (const document of session.documents) {
        if ((document.turn === 0 ? "card" : "turn") !== kind) continue;
        index.add({ id: `${session.key}#${document.turn}`, fields: document.fields });
      }
    }
    return index;
  };
  const indexes = { card: build("card"), turn: build("turn") };

  return {
    search(kind, clauses) {
      const boost = Object.fromEntries(
        schema.fields.filter((field) => field.kind === kind).map(({ name, boost }) => [name, boost]),
      );
      const results = indexes[kind].search(
        { combineWith: "OR", queries: clauses.map((clause) => toQuery(schema, kind, boost, clause)) },
        { bm25: { k: 1.5, b: 0.8, d: 0 } },
      );
      // MiniSearch multiplies the sum over terms and fields by the number of query terms that match.
      return new Map(
        results.map(({ id, score, queryTerms }) => [String(id), score / Math.max(1, queryTerms.length)]),
      );
    },
  };
}

function toQuery(
  schema: IndexSchema,
  kind: DocumentKind,
  boost: Readonly<Record<string, number>>,
  node: QueryNode,
): Query {
  if (node.kind !== "term") {
    const names = { all: "AND", any: "OR", without: "AND_NOT" } as const;
    return {
      combineWith: names[node.kind],
      queries: node.nodes.map((child) => toQuery(schema, kind, boost, child)),
    };
  }
  return {
    combineWith: "OR",
    queries: [node.term],
    fields: schema.fields
      .filter((field, place) => field.kind === kind && (node.fields & (1 << place)) !== 0)
      .map(({ name }) => name),
    boost: { ...boost },
    prefix: node.prefix,
    fuzzy: node.maxDistance === 0 ? false : node.maxDistance,
    boostTerm: () => node.boost,
    tokenize: (text) => [text],
    processTerm: (term) => term,
  };
}
