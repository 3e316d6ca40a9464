import MiniSearch, { type AsPlainObject, type Options, type Query } from "minisearch";
import { sessionSchema } from "../search/document-fields.ts";
import type { DocumentKind } from "../search/ranking/index-schema.ts";
import type { QueryNode } from "../search/ranking/query-node.ts";
import type { SiteIndexData, SiteText, SiteTexts, SiteTurn } from "./site-data.ts";

/** A card or a turn, as MiniSearch indexes it. */
export interface SiteDocument {
  readonly id: number;
  readonly fields: Readonly<Record<string, string>>;
}

/** One MiniSearch for each kind of document, since each kind is a corpus with its own statistics. */
export interface SiteIndex {
  readonly card: MiniSearch<SiteDocument>;
  readonly turn: MiniSearch<SiteDocument>;
}

export type SiteIndexJson = Readonly<Record<DocumentKind, AsPlainObject>>;

const { fields, createAnalyzer } = sessionSchema;

export function createSiteIndex(): SiteIndex {
  return { card: new MiniSearch(optionsOf("card")), turn: new MiniSearch(optionsOf("turn")) };
}

/** Builds the index of a site, session by session, in the order of its list. */
export interface SiteBuilder {
  add(texts: SiteTexts): void;
  finish(): SiteIndexData;
}

export function createSiteBuilder(): SiteBuilder {
  const index = createSiteIndex();
  const turns: { readonly turn: SiteTurn; readonly text: SiteText }[] = [];
  let sessions = 0;
  return {
    add({ card, turns: texts }) {
      const session = sessions++;
      index.card.add({ id: session, fields: card });
      texts.forEach((text, place) => {
        index.turn.add({ id: turns.length, fields: text.fields });
        turns.push({ turn: [session, text.turn, text.context, text.at, place], text });
      });
    },
    finish() {
      const copied = new Set(
        turns.flatMap(({ text }) => (text.isCopy === true ? (text.identity ?? []) : [])),
      );
      return {
        index: { card: index.card.toJSON(), turn: index.turn.toJSON() },
        turns: turns.map(({ turn, text: { identity, isCopy } }): SiteTurn => {
          if (identity === undefined || !copied.has(identity)) return turn;
          const [session, number, context, at, place] = turn;
          return [session, number, context, at, place, identity, isCopy === true];
        }),
      };
    },
  };
}

/** Loads the output of `JSON.stringify` for an index. */
export function loadSiteIndex({ card, turn }: SiteIndexJson): SiteIndex {
  return {
    card: MiniSearch.loadJS(card, optionsOf("card")),
    turn: MiniSearch.loadJS(turn, optionsOf("turn")),
  };
}

/** Terms come from the analysis of the command line's index; MiniSearch counts and scores them. */
function optionsOf(kind: DocumentKind): Options<SiteDocument> {
  return {
    fields: fields.filter((field) => field.kind === kind).map(({ name }) => name),
    extractField: (document, field) => (field === "id" ? document.id : (document.fields[field] ?? "")),
    tokenize: termsOf,
    processTerm: (term) => term,
  };
}

/** The terms of a text, as often as they count: a weak term counts once. */
function termsOf(text: string): string[] {
  const terms: { readonly term: string; readonly isWeak: boolean }[] = [];
  const ids = new Map<string, number>();
  const added = new Set<number>();
  const found: string[] = [];
  createAnalyzer({
    idOf(term, isWeak) {
      const id = ids.get(term) ?? terms.push({ term, isWeak }) - 1;
      ids.set(term, id);
      return id;
    },
    add(id, times) {
      const token = terms[id];
      if (token === undefined || (token.isWeak && added.has(id))) return;
      added.add(id);
      for (let time = 0; time < (token.isWeak ? 1 : times); time++) found.push(token.term);
    },
  })(text);
  return found;
}

/**
 * The scores of the documents of one kind that match a clause, by id: the same as those of the command line's engine.
 */
export function scoreClause(
  index: SiteIndex,
  kind: DocumentKind,
  node: QueryNode,
): ReadonlyMap<number, number> {
  const results = index[kind].search(toQuery(kind, node), { bm25: { k: 1.5, b: 0.8, d: 0 } });
  // MiniSearch multiplies the sum over terms and fields by the number of query terms that match.
  return new Map(
    results.map(({ id, score, queryTerms }) => [Number(id), score / Math.max(1, queryTerms.length)]),
  );
}

function toQuery(kind: DocumentKind, node: QueryNode): Query {
  if (node.kind !== "term") {
    const names = { all: "AND", any: "OR", without: "AND_NOT" } as const;
    return { combineWith: names[node.kind], queries: node.nodes.map((child) => toQuery(kind, child)) };
  }
  const own = fields.filter((field) => field.kind === kind);
  return {
    combineWith: "OR",
    queries: [node.term],
    fields: own.filter((field) => (node.fields & (1 << fields.indexOf(field))) !== 0).map(({ name }) => name),
    boost: Object.fromEntries(own.map(({ name, boost }) => [name, boost])),
    prefix: node.prefix,
    fuzzy: node.maxDistance === 0 ? false : node.maxDistance,
    boostTerm: () => node.boost,
    tokenize: (text) => [text],
    processTerm: (term) => term,
  };
}
